"""What is noticed of the running Legio: turns measured on their way, errors dated, all of it in one pulse.

It stands beside the life of a nuntius and never in its way: what it passes on it passes on first.
"""

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Protocol

from legio.claude.probe import Verdict
from legio.claude.processes import resident
from legio.config import Config
from legio.console import Bounds, Console, Metrics, console
from legio.events import ADVICE, Event, Failed, Fault, Retrying
from legio.nuntius import Turn
from legio.ports import Backlog, Clock, Pulse, Reception
from legio.sessions import Outcome

LOCKED_OUT = (Fault.CREDENTIAL, Fault.FORBIDDEN)


class Reports(Protocol):
    """Whom sessions report to, and who has Caesar's ear: the Legatus."""

    def watch(self, turn: Turn, event: Event) -> None:
        """1. One step of a turn."""

    async def settle(self, turn: Turn, outcome: Outcome) -> None:
        """2. The end of a turn; it is written when this returns."""

    async def tell(self, text: str) -> None:
        """3. A word of Legio itself to Caesar."""


class Measured:
    """The Legatus as sessions report to him, with a measure taken of each turn.

    `over` is told whose turn has ended, before that is written.
    """

    def __init__(
        self, legatus: Reports, metrics: Metrics, over: Callable[[str], None] = lambda _agent: None
    ) -> None:
        self._legatus = legatus
        self._over = over
        self.metrics = metrics
        self._locked_out = False

    def watch(self, turn: Turn, event: Event) -> None:
        """One step of a turn."""
        self._legatus.watch(turn, event)
        if isinstance(event, Retrying):
            self.metrics.retried(event)

    async def settle(self, turn: Turn, outcome: Outcome) -> None:
        """The end of a turn."""
        self._over(turn.agent)
        await self._legatus.settle(turn, outcome)
        self.metrics.ended(turn.agent, outcome.end, outcome.seconds)
        if isinstance(outcome.end, Failed) and outcome.end.fault in LOCKED_OUT:
            self._locked_out = True

    async def try_credential(self, probe: Callable[[], Awaitable[Verdict]]) -> None:
        """Tell Caesar of a credential that is refused, unless a turn of his has told him meanwhile."""
        fault = await probe()
        if fault is not None and not self._locked_out:
            await self._legatus.tell(f"⛔ Legio: {ADVICE[fault]}")


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


@contextlib.asynccontextmanager
async def watched(signs: Signs, metrics: Metrics, config: Config, clock: Clock) -> AsyncIterator[None]:
    """Inside, whoever is on this machine can see how Legio is."""
    with last_error() as failed:
        vitals = LiveVitals(signs, clock, clock.monotonic(), failed)
        shown = Console(vitals, metrics, Bounds(config.claude.turn_seconds))
        async with console(shown, port=config.console.port):
            yield
