import asyncio
import sqlite3
from collections.abc import Awaitable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from legio.events import Usage
from legio.nuntius import Tally, TurnState
from legio.ports import Ending, Letter, Thread
from legio.praetorium import Praetorium
from tests.praetorium.record import (
    START,
    StillClock,
    answered,
    parcel,
    payloads,
    praetorium_in,
    said,
)
from tests.scenes import scene

FAILED = Ending(state=TurnState.FAILED, reply=None, parcels=(parcel("it failed"),), detail="API 529")


async def row(praetorium: Praetorium) -> dict[str, object]:
    (found,) = await praetorium.database.rows("SELECT * FROM turns")
    return dict(found)


async def counts(praetorium: Praetorium) -> dict[str, int]:
    tables = ("nuntii", "nuntius_audience", "turns", "outbox", "messages", "sessions")
    return {
        table: (await praetorium.database.rows(f"SELECT count(*) FROM {table}"))[0][0] for table in tables
    }


# --- admit --------------------------------------------------------------------------------------------


@scene
async def test_admitting_writes_a_pending_turn_for_each_agent_in_order(tmp_path: Path) -> None:
    question = said("compare", audience=("vorenus", "pullo"))
    async with praetorium_in(tmp_path) as praetorium:
        turns = await praetorium.turns.admit(question, ["vorenus", "pullo"], message=41)

        assert [(turn.agent, turn.root, turn.message, turn.state) for turn in turns] == [
            ("vorenus", 1, 41, TurnState.PENDING),
            ("pullo", 1, 41, TurnState.PENDING),
        ]
        assert {turn.nuntius for turn in turns} == {replace(question, seq=1)}
        assert await praetorium.turns.open() == turns


@scene
async def test_the_same_update_is_admitted_once(tmp_path: Path) -> None:
    async with praetorium_in(tmp_path) as praetorium:
        await praetorium.inbox.put(Letter(id=5, payload="{}", received=START))
        assert len(await praetorium.turns.admit(said("salve"), ["legatus"], update_id=5, message=41)) == 1
        before = await counts(praetorium)

        again = replace(said("salve"), id="another id")
        assert await praetorium.turns.admit(again, ["legatus"], update_id=5, message=42) == ()

        assert await counts(praetorium) == before
        assert await praetorium.nuntii.by_message(42) is None


@scene
async def test_a_letter_that_was_finished_is_not_admitted(tmp_path: Path) -> None:
    async with praetorium_in(tmp_path) as praetorium:
        await praetorium.inbox.put(Letter(id=5, payload="{}", received=START))
        await praetorium.inbox.finish(5)

        assert await praetorium.turns.admit(said("salve"), ["legatus"], update_id=5) == ()
        assert (await counts(praetorium))["nuntii"] == 0


@scene
async def test_admitting_an_update_that_was_never_put_is_a_mistake(tmp_path: Path) -> None:
    async with praetorium_in(tmp_path) as praetorium:
        with pytest.raises(LookupError, match="never put"):
            await praetorium.turns.admit(said("salve"), ["legatus"], update_id=5)

        assert (await counts(praetorium))["nuntii"] == 0


@scene
async def test_a_failed_admission_leaves_the_letter_open(tmp_path: Path) -> None:
    async with praetorium_in(tmp_path) as praetorium:
        await praetorium.inbox.put(Letter(id=5, payload="{}", received=START))
        with pytest.raises(sqlite3.IntegrityError):
            await praetorium.turns.admit(said("salve"), ["legatus", "legatus"], update_id=5, message=41)

        assert [letter.id for letter in await praetorium.inbox.unfinished()] == [5]
        assert set((await counts(praetorium)).values()) == {0}
        assert (await praetorium.turns.tally()).received == 0


@scene
async def test_without_an_update_every_admission_is_written(tmp_path: Path) -> None:
    async with praetorium_in(tmp_path) as praetorium:
        await praetorium.turns.admit(said("one"), ["legatus"])
        await praetorium.turns.admit(said("two"), ["legatus"])

        assert [turn.root for turn in await praetorium.turns.open()] == [1, 2]


@scene
async def test_a_dispatch_keeps_its_root_and_leaves_caesars_message_to_him(tmp_path: Path) -> None:
    async with praetorium_in(tmp_path) as praetorium:
        (asked,) = await praetorium.turns.admit(said("survey"), ["legatus"], message=41)
        (dispatched,) = await praetorium.turns.admit(
            said("survey Gaul", "legatus", ("vorenus",)), ["vorenus"], message=41, root=asked.root
        )

        assert (dispatched.root, dispatched.nuntius.seq, dispatched.message) == (1, 2, 41)
        assert await praetorium.nuntii.by_message(41) == asked.nuntius


@scene
async def test_a_nuntius_may_be_admitted_for_nobody(tmp_path: Path) -> None:
    async with praetorium_in(tmp_path) as praetorium:
        assert await praetorium.turns.admit(said("to myself"), []) == ()
        assert (await counts(praetorium))["nuntii"] == 1


# --- begin --------------------------------------------------------------------------------------------


@scene
async def test_beginning_saves_the_thread_and_a_dead_process_leaves_the_turn_interrupted(
    tmp_path: Path,
) -> None:
    thread = Thread(agent="legatus", id="5f0c", cursor=1)
    async with praetorium_in(tmp_path) as praetorium:
        (turn,) = await praetorium.turns.admit(said("salve"), ["legatus"])
        assert await praetorium.turns.begin(turn, thread)

    async with praetorium_in(tmp_path) as praetorium:
        assert await praetorium.threads.load("legatus") == thread
        (found,) = await praetorium.turns.open()
        assert found == replace(turn, state=TurnState.RUNNING, interrupted=True)
        assert await praetorium.turns.begin(found, replace(thread, cursor=2))


@scene
async def test_an_ended_turn_does_not_begin_and_its_thread_is_not_saved(tmp_path: Path) -> None:
    async with praetorium_in(tmp_path) as praetorium:
        (turn,) = await praetorium.turns.admit(said("salve"), ["legatus"])
        await praetorium.turns.end(turn, FAILED)

        assert not await praetorium.turns.begin(turn, Thread(agent="legatus"))
        assert await praetorium.threads.load("legatus") is None


# --- end ----------------------------------------------------------------------------------------------


@scene
async def test_an_answer_is_written_whole(tmp_path: Path) -> None:
    usage = Usage(
        input_tokens=1,
        output_tokens=2,
        cache_read_tokens=3,
        cache_write_tokens=4,
        cost_usd=0.5,
        context_tokens=5,
        model="claude",
    )
    clock = StillClock()
    thread = Thread(agent="vorenus", cursor=2)
    async with praetorium_in(tmp_path, clock) as praetorium:
        (turn,) = await praetorium.turns.admit(said("salve", audience=("vorenus",)), ["vorenus"])
        await praetorium.turns.begin(turn, Thread(agent="vorenus"))
        clock.moment += timedelta(seconds=3)
        ending = answered("ave", "vorenus", turn.nuntius, parcel("ave"), parcel("notice", seq=1))
        reply = await praetorium.turns.end(
            turn, replace(ending, usage=usage, seconds=2.5, detail="fine"), thread
        )

        assert reply is not None
        assert (reply.seq, reply.text, reply.reply_to) == (2, "ave", turn.nuntius.id)
        assert await praetorium.nuntii.get(2) == reply
        assert await praetorium.nuntii.latest("vorenus", 9) == (turn.nuntius, reply)
        assert [one.parcel.seq for one in await praetorium.outbox.due()] == [2, 1]
        assert await praetorium.threads.load("vorenus") == thread
        assert await praetorium.turns.open() == ()
        assert await row(praetorium) == {
            "id": turn.id,
            "nuntius": 1,
            "agent": "vorenus",
            "root": 1,
            "message": None,
            "state": "answered",
            "reply": 2,
            "began": "2026-11-21T03:04:05.123456+00:00",
            "ended": "2026-11-21T03:04:08.123456+00:00",
            "seconds": 2.5,
            "detail": "fine",
            "input_tokens": 1,
            "output_tokens": 2,
            "cache_read_tokens": 3,
            "cache_write_tokens": 4,
            "context_tokens": 5,
            "cost_usd": 0.5,
            "model": "claude",
        }


@pytest.mark.parametrize("state", [TurnState.FAILED, TurnState.STOPPED, TurnState.EXPIRED])
def test_other_ends_have_no_reply_and_are_told(tmp_path: Path, state: TurnState) -> None:
    @scene
    async def end() -> None:
        async with praetorium_in(tmp_path) as praetorium:
            (turn,) = await praetorium.turns.admit(said("salve"), ["legatus"])

            assert await praetorium.turns.end(turn, replace(FAILED, state=state)) is None

            assert [one.parcel for one in await praetorium.outbox.due()] == [parcel("it failed")]
            assert (await row(praetorium))["state"] == state
            assert (await praetorium.nuntii.latest("caesar", 9)) == (turn.nuntius,)

    end()


@scene
async def test_a_turn_ends_once_and_the_first_end_stands(tmp_path: Path) -> None:
    async with praetorium_in(tmp_path) as praetorium:
        (turn,) = await praetorium.turns.admit(said("salve"), ["legatus"])
        await praetorium.turns.end(turn, FAILED)
        before = await counts(praetorium)

        late = answered("ave", "legatus", turn.nuntius, parcel("ave"))
        assert await praetorium.turns.end(turn, late, Thread(agent="legatus")) is None

        assert await counts(praetorium) == before
        assert (await row(praetorium))["state"] == "failed"


@scene
async def test_of_two_ends_at_once_exactly_one_is_written(tmp_path: Path) -> None:
    async with praetorium_in(tmp_path) as praetorium:
        (turn,) = await praetorium.turns.admit(said("salve"), ["legatus"])
        await asyncio.gather(
            praetorium.turns.end(turn, answered("ave", "legatus", turn.nuntius, parcel("ave"))),
            praetorium.turns.end(turn, FAILED),
        )

        assert payloads(await praetorium.outbox.due()) == ["ave"]
        assert (await praetorium.turns.tally()).answered == 1


@pytest.mark.parametrize(
    "nonsense",
    [
        Ending(state=TurnState.ANSWERED, reply=None, parcels=(parcel("empty"),)),
        Ending(state=TurnState.FAILED, reply=said("but it spoke", "legatus"), parcels=()),
        Ending(state=TurnState.RUNNING, reply=None, parcels=()),
    ],
)
def test_an_ending_that_makes_no_sense_is_refused_whole(tmp_path: Path, nonsense: Ending) -> None:
    @scene
    async def end() -> None:
        async with praetorium_in(tmp_path) as praetorium:
            (turn,) = await praetorium.turns.admit(said("salve"), ["legatus"])
            before = await counts(praetorium)

            with pytest.raises(sqlite3.IntegrityError):
                await praetorium.turns.end(turn, nonsense)

            assert await counts(praetorium) == before
            assert await praetorium.turns.open() == (turn,)

    end()


# --- open and tally -----------------------------------------------------------------------------------


@scene
async def test_the_law_holds_at_every_step(tmp_path: Path) -> None:
    async with praetorium_in(tmp_path) as praetorium:
        assert await praetorium.turns.tally() == Tally(0, 0, 0, 0, 0, 0)
        turns = await praetorium.turns.admit(said("all"), ["a", "b", "c", "d", "e", "f"])
        assert await praetorium.turns.tally() == Tally(6, 0, 0, 0, 0, 6)
        await praetorium.turns.begin(turns[0], Thread(agent="a"))
        assert await praetorium.turns.tally() == Tally(6, 0, 0, 0, 0, 6)

        await praetorium.turns.end(turns[1], answered("yes", "b", turns[1].nuntius))
        for turn, state in zip(
            turns[2:], (TurnState.FAILED, TurnState.STOPPED, TurnState.EXPIRED), strict=False
        ):
            await praetorium.turns.end(turn, replace(FAILED, state=state))

        tally = await praetorium.turns.tally()
        assert tally == Tally(received=6, answered=1, failed=1, stopped=1, expired=1, pending=2)
        assert tally.holds
        assert [turn.agent for turn in await praetorium.turns.open()] == ["a", "f"]


@scene
async def test_a_turn_that_vanished_breaks_the_law(tmp_path: Path) -> None:
    async with praetorium_in(tmp_path) as praetorium:
        await praetorium.turns.admit(said("all"), ["a", "b"])
        await praetorium.database.change("DELETE FROM turns WHERE agent = 'b'")

        assert not (await praetorium.turns.tally()).holds


# --- cancelled callers --------------------------------------------------------------------------------


async def cancelled_after(steps: int, call: Awaitable[object]) -> None:
    task = asyncio.ensure_future(call)
    for _ in range(steps):
        await asyncio.sleep(0)
    task.cancel()
    await asyncio.wait([task])


@scene
async def test_a_cancelled_caller_leaves_all_of_it_or_nothing(tmp_path: Path) -> None:
    async with praetorium_in(tmp_path) as praetorium:
        for number in range(60):
            await praetorium.inbox.put(Letter(id=number, payload="{}", received=START))
            question = said(str(number), audience=("all",))
            admitting = praetorium.turns.admit(question, ["a", "b"], update_id=number, message=number)
            await cancelled_after(number % 6, admitting)
            open_now = {turn.agent: turn for turn in await praetorium.turns.open()}
            written = await praetorium.nuntii.by_message(number) is not None
            unfinished = [letter.id for letter in await praetorium.inbox.unfinished()]
            assert (len(open_now), number in unfinished) == ((2, False) if written else (0, True))

            for agent, turn in open_now.items():
                ending = answered(f"{agent}{number}", agent, turn.nuntius, parcel(f"{agent}{number}"))
                await cancelled_after(number % 4, praetorium.turns.end(turn, ending, Thread(agent=agent)))
                await praetorium.turns.end(turn, FAILED)

        assert await praetorium.check() == ()
        tally = await praetorium.turns.tally()
        assert (tally.holds, tally.pending) == (True, 0)
        sent = payloads(await praetorium.outbox.due())
        assert len(sent) == tally.received
        assert sent.count("it failed") == tally.failed
