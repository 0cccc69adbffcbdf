"""How all is, put together in one pulse: what each part says of itself, and when an error was last logged."""

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

from legio.claude.processes import resident
from legio.console import Bounds, Console, Metrics
from legio.ports import Backlog, Clock, Pulse, Reception


class _LastError(logging.Handler):
    """Remembers when something was last logged that somebody must act on."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.at: datetime | None = None

    def emit(self, record: logging.LogRecord) -> None:
        """One record of level ERROR or worse."""
        self.at = datetime.fromtimestamp(record.created, UTC)


@contextlib.contextmanager
def last_error() -> Iterator[Callable[[], datetime | None]]:
    """While inside, what it yields says when an error was last logged, by whichever library."""
    handler = _LastError()
    root = logging.getLogger()
    root.addHandler(handler)
    try:
        yield lambda: handler.at
    finally:
        root.removeHandler(handler)


@dataclass(frozen=True, slots=True)
class Signs:
    """Where the parts of Legio say how they are.

    `memory` gives resident bytes, of Legio and of what it has started; it reads a file for each process, so
    it is asked on another thread.
    """

    backlog: Callable[[], Awaitable[Backlog]]
    reception: Callable[[], Reception]
    live_sessions: Callable[[], int]
    memory: Callable[[], tuple[int, int]] = resident


@dataclass(frozen=True, slots=True)
class LiveVitals:
    """The port `Vitals`: what each part says of itself, put together."""

    signs: Signs
    clock: Clock
    started: float
    last_error: Callable[[], datetime | None]

    async def pulse(self) -> Pulse:
        """1. How all is now; raises `PraetoriumError` when the record cannot be read. Changes nothing."""
        backlog = await self.signs.backlog()
        own, started = await asyncio.to_thread(self.signs.memory)
        return Pulse(
            backlog=backlog,
            reception=self.signs.reception(),
            uptime_seconds=self.clock.monotonic() - self.started,
            live_sessions=self.signs.live_sessions(),
            own_bytes=own,
            started_bytes=started,
            last_error=self.last_error(),
        )


@contextlib.contextmanager
def watched(signs: Signs, metrics: Metrics, bounds: Bounds, clock: Clock) -> Iterator[Console]:
    """Inside, what it yields knows how Legio is."""
    with last_error() as failed:
        yield Console(LiveVitals(signs, clock, clock.monotonic(), failed), metrics, bounds)
