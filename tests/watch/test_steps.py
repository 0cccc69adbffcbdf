"""What agents do in their turns, noticed for the feed: what is told of it, and when it is written."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from legio.clock import SystemClock
from legio.errors import PraetoriumError
from legio.events import (
    Answered,
    Connected,
    Event,
    Failed,
    Fault,
    Held,
    Retrying,
    Stopped,
    Thinking,
    ToolEnded,
    ToolStarted,
    Usage,
    Waiting,
    Writing,
)
from legio.logs import REDACTED, redacted
from legio.nuntius import CAESAR, Nuntius, Turn
from legio.ports import Entry, EntryKind
from legio.watch.steps import AGAIN_SECONDS, MOST_WAITING, PAUSE_SECONDS, SHOWN_CHARACTERS, Steps
from tests.clocks import DAWN, FakeClock, settled
from tests.fakes import MemoryFeed
from tests.praetorium.record import praetorium_in
from tests.scenes import scene

TURN = Turn(7, "pullo", Nuntius("q", CAESAR, "ave", ("pullo",), datetime(2026, 1, 1, tzinfo=UTC)), root=1)
OTHER = replace(TURN, id=8, agent="vorenus")


class Rig:
    """Steps over a feed in memory."""

    def __init__(self) -> None:
        self.feed, self.clock = MemoryFeed(), FakeClock()
        self.steps = Steps(self.feed, self.clock)

    @property
    def texts(self) -> list[str]:
        return [entry.text for entry in self.feed.entries]

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """While the guarded task runs."""
        task = asyncio.create_task(self.steps.run(), name="steps")
        try:
            yield
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)


@pytest.mark.parametrize(
    ("event", "kind", "text"),
    [
        (ToolStarted("Bash", {"command": "ls", "n": 1}), EntryKind.TOOL, 'Bash\n{"command":"ls","n":1}'),
        (ToolStarted("list_acta"), EntryKind.TOOL, "list_acta"),
        (ToolEnded("Bash", failed=False, result="two\nfiles"), EntryKind.TOOL_SUCCESS, "Bash\ntwo\nfiles"),
        (ToolEnded("Bash", failed=True), EntryKind.TOOL_ERROR, "Bash"),
        (Held("the budget"), EntryKind.EVENT, "Waits for Caesar's word on the budget."),
        (
            Retrying(1, 3, 0.5, 529),
            EntryKind.EVENT,
            "The model answered 529; try 1 of 3 follows in 0.5 s.",
        ),
        (
            Retrying(2, 3, 12, None),
            EntryKind.EVENT,
            "The model was not reached; try 2 of 3 follows in 12.0 s.",
        ),
    ],
)
@scene
async def test_a_step_is_told_with_whose_it_was_and_when(event: Event, kind: EntryKind, text: str) -> None:
    rig = Rig()
    rig.steps.notice(TURN, event)
    await rig.steps.flush()
    assert rig.feed.entries == [Entry(kind, "pullo", text, DAWN, turn=7, id=1)]


@pytest.mark.parametrize(
    "event",
    [
        Waiting(),
        Connected("t"),
        Thinking(),
        Writing("half"),
        Answered("whole", Usage()),
        Failed(Fault.EMPTY, ""),
        Stopped(),
    ],
)
@scene
async def test_what_the_record_says_itself_is_not_told_twice(event: Event) -> None:
    rig = Rig()
    rig.steps.notice(TURN, event)
    await rig.steps.flush()
    assert rig.feed.entries == []
    assert rig.feed.writings == 0


@scene
async def test_no_secret_is_written_even_where_it_would_be_cut_in_two() -> None:
    rig, secret = Rig(), "the-secret-of-caesar"
    rig.steps = Steps(rig.feed, rig.clock, lambda text: redacted(text, [secret]))
    rig.steps.notice(TURN, ToolStarted("Bash", {"command": f"curl -H {secret}", "list": [secret]}))
    result = f"sk-ant-abc {'x' * 1480}{secret}{'y' * 999}"
    rig.steps.notice(TURN, ToolEnded("Bash", failed=False, result=result))
    await rig.steps.flush()
    given, returned = rig.texts
    assert given == f'Bash\n{{"command":"curl -H {REDACTED}","list":["{REDACTED}"]}}'
    assert returned.startswith(f"Bash\n{REDACTED} xx")
    assert "the-sec" not in returned
    assert len(returned) == len("Bash\n") + SHOWN_CHARACTERS
    assert returned.endswith("…")


@scene
async def test_long_arguments_are_told_in_part() -> None:
    rig = Rig()
    rig.steps.notice(TURN, ToolStarted("Write", {"content": "x" * 1_000_000, "lines": ["y"] * 5000}))
    await rig.steps.flush()
    assert len(rig.texts[0]) < 2 * SHOWN_CHARACTERS


@scene
async def test_the_first_step_is_written_at_once_and_what_follows_closely_together() -> None:
    rig = Rig()
    async with rig.running():
        rig.steps.notice(TURN, ToolStarted("one"))
        await settled()
        assert rig.texts == ["one"]
        for name in ("two", "three", "four"):
            rig.steps.notice(TURN, ToolStarted(name))
        await settled()
        assert rig.texts == ["one"]
        await rig.clock.run(PAUSE_SECONDS)
        assert rig.texts == ["one", "two", "three", "four"]
        await rig.clock.run(60)
    assert rig.feed.writings == 2


@scene
async def test_the_end_of_a_turn_waits_for_its_own_steps_and_for_no_others() -> None:
    rig = Rig()
    rig.steps.notice(OTHER, ToolStarted("other"))
    await rig.steps.written("pullo")
    assert rig.texts == []
    rig.steps.notice(TURN, ToolStarted("his"))
    rig.feed.gate = asyncio.Event()
    writing = asyncio.create_task(rig.steps.flush())
    await settled()
    ending = asyncio.create_task(rig.steps.written("pullo"))
    await settled()
    assert not ending.done(), "what is being written is not written yet"
    rig.feed.gate.set()
    await asyncio.gather(writing, ending)
    assert rig.texts == ["other", "his"]


@scene
async def test_what_cannot_be_written_now_is_written_later_in_order_and_holds_up_no_turn() -> None:
    rig = Rig()
    rig.feed.trouble = PraetoriumError("the disk is full.", where="here", remedy="Free some.")
    with capture_logs() as logs:
        async with rig.running():
            rig.steps.notice(TURN, ToolStarted("one"))
            await settled()
            rig.steps.notice(TURN, ToolStarted("two"))
            await rig.clock.run(3 * AGAIN_SECONDS)
            tries = rig.feed.tries
            await rig.steps.written("pullo")
            assert rig.feed.tries == tries, "the end of a turn does not try it once more"
            rig.feed.trouble = None
            await rig.clock.run(AGAIN_SECONDS)
            assert rig.texts == ["one", "two"]
    assert [entry["event"] for entry in logs] == ["feed.unwritten"], "said once"


@scene
async def test_only_so_many_steps_wait_for_a_disk() -> None:
    rig = Rig()
    rig.feed.trouble = PraetoriumError("the disk is full.", where="here", remedy="Free some.")
    for number in range(MOST_WAITING + 10):
        rig.steps.notice(TURN, ToolStarted(str(number)))
    await rig.steps.flush()
    rig.feed.trouble = None
    await rig.steps.flush()
    assert (len(rig.texts), rig.texts[0]) == (MOST_WAITING, "10")


@scene
async def test_a_bug_in_the_feed_costs_no_turn() -> None:
    rig = Rig()
    rig.feed.trouble = RuntimeError("a bug")
    rig.steps.notice(TURN, ToolStarted("one"))
    with capture_logs() as logs:
        await rig.steps.written("pullo")
    assert [(entry["event"], entry["log_level"]) for entry in logs] == [("feed.broke", "error")]


@scene
async def test_whoever_is_cut_off_while_he_writes_loses_nothing(tmp_path: Path) -> None:
    async with praetorium_in(tmp_path) as praetorium:
        steps = Steps(praetorium.feed, SystemClock())
        steps.notice(TURN, ToolStarted("one"))
        writing = asyncio.create_task(steps.flush())
        await asyncio.sleep(0)
        writing.cancel()
        await asyncio.gather(writing, return_exceptions=True)
        await steps.flush()
        written: Sequence[Entry] = await praetorium.feed.since(0, 10)
    assert [entry.text for entry in written] == ["one"]
