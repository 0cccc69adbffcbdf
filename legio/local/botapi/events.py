"""What happened, numbered, for those who watch: a page that comes back later misses nothing.

A position is `run-number`; the run is the server's own, so that a page left open over a restart notices.
"""

from collections import deque
from collections.abc import AsyncGenerator
from dataclasses import dataclass

from legio.local.botapi.waiting import Signal, first
from legio.local.botapi.wire import Wire
from legio.ports import Clock

KEPT = 2000
HEARTBEAT_SECONDS = 15.0


@dataclass(frozen=True, slots=True)
class Event:
    """One change in one chat. `kind` "reset" means: what you know is out of date, fetch all anew."""

    position: str
    kind: str
    chat: int
    data: Wire


class EventStream:
    """The last `kept` events, and the waiting for more."""

    def __init__(self, run: str, clock: Clock, kept: int = KEPT) -> None:
        self._run = run
        self._clock = clock
        self._events: deque[Event] = deque(maxlen=kept)
        self._count = 0
        self.news = Signal()
        self._generation = 0

    @property
    def position(self) -> str:
        """After the last event."""
        return f"{self._run}-{self._count}"

    def append(self, kind: str, chat: int, data: Wire) -> None:
        """Something happened."""
        self._count += 1
        self._events.append(Event(self.position, kind, chat, data))
        self.news.fire()

    def close(self) -> None:
        """Ends all that follow now; who comes later is served."""
        self._generation += 1
        self.news.fire()

    async def follow(self, position: str) -> AsyncGenerator[Event | None, None]:
        """The events after `position` as they come, and None now and then so that the line stays open."""
        seen = self._number(position)
        generation = self._generation
        while generation == self._generation:
            missed, seen = self._after(seen), self._count
            for event in missed:
                yield event
            # While the last ones were handed over, more may have come, or the end.
            if seen != self._count or generation != self._generation:
                continue
            if not await first(self.news.wait(), self._heartbeat()):
                yield None

    def _after(self, seen: int | None) -> list[Event]:
        missing = self._count if seen is None else self._count - seen
        if seen is None or missing > len(self._events):
            return [Event(self.position, "reset", 0, {})]
        return list(self._events)[len(self._events) - missing :]

    def _number(self, position: str) -> int | None:
        run, _, number = position.rpartition("-")
        if run != self._run or not number.isdecimal() or int(number) > self._count:
            return None
        return int(number)

    async def _heartbeat(self) -> bool:
        await self._clock.sleep(HEARTBEAT_SECONDS)
        return False
