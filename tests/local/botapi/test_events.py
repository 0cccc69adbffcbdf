import asyncio
import contextlib
from typing import Self

from legio.local.botapi.events import HEARTBEAT_SECONDS, Event, EventStream
from tests.clocks import FakeClock, settled
from tests.scenes import scene


class Watcher:
    """Follows a stream from a position until it is left, and keeps what it was told."""

    def __init__(self, stream: EventStream, position: str) -> None:
        self.seen: list[str] = []
        self._follow = stream.follow(position)

    async def __aenter__(self) -> Self:
        self._task = asyncio.create_task(self._watch())
        await settled()
        return self

    async def __aexit__(self, *_: object) -> None:
        self._task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self._task

    @property
    def ended(self) -> bool:
        return self._task.done()

    async def _watch(self) -> None:
        async for event in self._follow:
            self.seen.append(event.kind if event else "heartbeat")


def stream(kept: int = 10) -> EventStream:
    return EventStream("run", FakeClock(), kept)


@scene
async def test_events_after_a_position_are_told_once_and_in_order() -> None:
    events = stream()
    events.append("one", 7, {})
    position = events.position
    events.append("two", 7, {})
    async with Watcher(events, position) as watcher:
        events.append("three", 7, {})
        await settled()
        assert watcher.seen == ["two", "three"]


@scene
async def test_who_was_away_too_long_or_knows_another_run_is_told_to_begin_anew() -> None:
    events = stream(kept=2)
    start = events.position
    for kind in ("one", "two", "three"):
        events.append(kind, 7, {})
    for position in (start, "other-1", "", "run-x", "run-99"):
        async with Watcher(events, position) as watcher:
            assert watcher.seen == ["reset"], position


@scene
async def test_a_silent_line_gets_a_heartbeat() -> None:
    clock = FakeClock()
    events = EventStream("run", clock)
    async with Watcher(events, events.position) as watcher:
        clock.advance(HEARTBEAT_SECONDS)
        await settled()
        assert watcher.seen == ["heartbeat"]


@scene
async def test_closing_ends_those_who_follow_and_nobody_later() -> None:
    events = stream()
    async with Watcher(events, events.position) as early:
        events.close()
        await settled()
        assert early.ended
    async with Watcher(events, events.position) as late:
        assert not late.ended


@scene
async def test_nothing_is_missed_while_events_are_handed_over() -> None:
    events = stream()
    start = events.position
    events.append("one", 7, {})
    follow = events.follow(start)
    first = await anext(follow)
    events.append("two", 7, {"a": 1})
    assert first == Event("run-1", "one", 7, {})
    assert await anext(follow) == Event("run-2", "two", 7, {"a": 1})
    await follow.aclose()
