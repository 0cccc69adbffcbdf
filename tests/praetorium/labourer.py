"""A process that works on a praetorium until it is killed: `python -m tests.praetorium.labourer FILE`.

It takes up what an earlier one left, then goes on with new letters, and tells each step after its commit.
"""

import asyncio
import os
import sys
from pathlib import Path

from legio.nuntius import Turn, TurnState
from legio.ports import Ending, Letter, Process, Thread
from legio.praetorium import Praetorium, open_praetorium
from tests.praetorium.record import START, StillClock, answered, parcel, said

AGENTS = ("vorenus", "pullo")


def tell(step: str) -> None:
    sys.stdout.write(f"{step}\n")
    sys.stdout.flush()


async def labour(path: Path) -> None:
    async with open_praetorium(path, StillClock()) as praetorium:
        known = await praetorium.database.rows("SELECT max(update_id) FROM inbox")
        tell("opened")
        await finish_what_was_begun(praetorium)
        number = known[0][0] or 0
        while True:
            number += 1
            await praetorium.inbox.put(Letter(id=number, payload=str(number), received=START))
            tell(f"put {number}")
            await serve(praetorium, number)


async def finish_what_was_begun(praetorium: Praetorium) -> None:
    for turn in await praetorium.turns.open():
        await answer(praetorium, turn)
    for letter in await praetorium.inbox.unfinished():
        await serve(praetorium, letter.id)
    await send(praetorium)


async def serve(praetorium: Praetorium, number: int) -> None:
    if number % 5 == 0:
        await praetorium.inbox.finish(number, [parcel(f"notice {number}")])
    else:
        question = said(str(number), audience=AGENTS)
        for turn in await praetorium.turns.admit(question, AGENTS, update_id=number, message=number):
            await answer(praetorium, turn)
    await send(praetorium)


async def answer(praetorium: Praetorium, turn: Turn) -> None:
    process = Process(os.getpid(), 1.0)
    thread = Thread(turn.agent, f"thread of {turn.agent}", turn.nuntius.seq, process=process)
    await praetorium.turns.begin(turn, thread)
    if turn.id % 7 == 0:
        ending = Ending(TurnState.FAILED, None, (parcel(f"failed {turn.id}"),))
    else:
        ending = answered(f"{turn.nuntius.text} {turn.agent}", turn.agent, turn.nuntius, parcel("answer"))
    await praetorium.turns.end(turn, ending, thread)
    tell(f"ended {turn.id}")


async def send(praetorium: Praetorium) -> None:
    for dispatch in await praetorium.outbox.due():
        await praetorium.outbox.start(dispatch)
        await praetorium.outbox.sent(dispatch, 1_000_000 + dispatch.id)
        tell(f"sent {dispatch.id}")


if __name__ == "__main__":
    asyncio.run(labour(Path(sys.argv[1])))
