import asyncio
import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace

from legio.bot.reactions import BURST, SEEN, Reactions
from legio.events import Answered, Event, Stopped, Thinking, Usage, Waiting
from legio.nuntius import Nuntius, Turn
from tests.bot.wire import FakeTelegram, bot_on, chat_on, flooded, refused
from tests.clocks import DAWN, FakeClock, settled
from tests.scenes import scene

CHAT = 77
NUNTIUS = Nuntius("id", "caesar", "look", ("vorenus", "pullo"), DAWN, seq=5)
DONE = Answered("done", Usage())


def turn(number: int, agent: str, message: int | None) -> Turn:
    return Turn(number, agent, NUNTIUS, root=5, message=message)


BUSY = turn(1, "vorenus", 11)
NEXT = turn(2, "vorenus", 12)


@dataclass
class Stage:
    reactions: Reactions
    telegram: FakeTelegram
    clock: FakeClock

    async def show(self, turn: Turn, event: Event) -> None:
        self.reactions.show(turn, event)
        await settled()

    @property
    def seen(self) -> list[tuple[int, list[str]]]:
        """Each message that was reacted to, and with what."""
        calls = self.telegram.of("setMessageReaction")
        return [
            (call.parameters["message_id"], [it["emoji"] for it in call.parameters.get("reaction") or []])
            for call in calls
        ]


@contextlib.asynccontextmanager
async def stage() -> AsyncIterator[Stage]:
    clock = FakeClock()
    telegram = FakeTelegram(clock.monotonic)
    reactions = Reactions(chat_on(bot_on(telegram), CHAT, clock), clock)
    task = asyncio.create_task(reactions.run(), name="reactions")
    try:
        yield Stage(reactions, telegram, clock)
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


@scene
async def test_a_message_behind_another_is_seen_until_its_turn_begins() -> None:
    async with stage() as it:
        await it.show(BUSY, Waiting())
        await it.show(BUSY, Thinking())
        await it.show(NEXT, Waiting())
        assert it.seen == [(12, [SEEN])]
        await it.show(BUSY, DONE)
        assert len(it.seen) == 1
        await it.show(NEXT, Thinking())
        await it.show(NEXT, DONE)
        assert it.seen == [(12, [SEEN]), (12, [])]


@scene
async def test_a_message_to_an_idle_agent_costs_no_call() -> None:
    async with stage() as it:
        await it.show(BUSY, Waiting())
        await it.show(BUSY, Thinking())
        await it.show(BUSY, DONE)
        await it.show(NEXT, Waiting())
        await it.show(NEXT, DONE)
        assert it.seen == []


@scene
async def test_a_message_to_several_is_seen_until_the_last_of_them_begins() -> None:
    async with stage() as it:
        other = turn(3, "pullo", 11)
        for each in (BUSY, other, NEXT, turn(4, "pullo", 12)):
            await it.show(each, Waiting())
        await it.show(NEXT, Thinking())
        assert it.seen == [(12, [SEEN])]
        await it.show(turn(4, "pullo", 12), Stopped())
        assert it.seen == [(12, [SEEN]), (12, [])]


@scene
async def test_each_message_that_was_gathered_is_seen() -> None:
    async with stage() as it:
        await it.show(BUSY, Waiting())
        await it.show(NEXT, Waiting())
        await it.show(replace(NEXT, message=13), Waiting())
        await it.show(NEXT, Thinking())
        assert it.seen == [(12, [SEEN]), (13, [SEEN]), (12, []), (13, [])]


@scene
async def test_a_dispatch_has_no_message_to_be_reacted_to() -> None:
    async with stage() as it:
        await it.show(turn(1, "vorenus", None), Waiting())
        await it.show(turn(2, "vorenus", None), Waiting())
        assert it.seen == []


@scene
async def test_under_pressure_reactions_are_dropped_and_never_queued() -> None:
    async with stage() as it:
        await it.show(BUSY, Waiting())
        for number in range(2, 3 * BURST):
            await it.show(turn(number, "vorenus", 10 + number), Waiting())
        assert len(it.seen) == BURST
        await it.clock.run(60)
        assert len(it.seen) == BURST


@scene
async def test_while_telegram_asks_for_quiet_nothing_is_reacted_to() -> None:
    async with stage() as it:
        it.telegram.script["setMessageReaction"].append(flooded(30))
        await it.show(BUSY, Waiting())
        await it.show(NEXT, Waiting())
        await it.show(turn(3, "vorenus", 13), Waiting())
        assert len(it.seen) == 1
        await it.clock.run(31)
        await it.show(turn(4, "vorenus", 14), Waiting())
        assert [message for message, _ in it.seen] == [12, 14]


@scene
async def test_a_message_that_is_gone_troubles_nobody() -> None:
    async with stage() as it:
        gone = refused(400, "Bad Request: message to react not found")
        it.telegram.script["setMessageReaction"].append(gone)
        await it.show(BUSY, Waiting())
        await it.show(NEXT, Waiting())
        await it.show(turn(3, "vorenus", 13), Waiting())
        assert [message for message, _ in it.seen] == [12, 13]


@scene
async def test_what_stands_there_wrongly_is_taken_back_as_soon_as_that_may_be() -> None:
    async with stage() as it:
        await it.show(BUSY, Waiting())
        waiting = [turn(number, "vorenus", 10 + number) for number in range(2, 2 + BURST)]
        for each in waiting:
            await it.show(each, Waiting())
        for each in waiting:
            await it.show(each, Stopped())
        assert len(it.seen) == BURST
        await it.clock.run(60)
        assert sorted(it.seen[BURST:]) == [(each.message, []) for each in waiting]
        await it.clock.run(60)
        assert len(it.seen) == 2 * BURST
