"""Turns measured on their way: each step and each end is passed on, counted, and noticed for the feed."""

from collections.abc import Awaitable, Callable
from typing import Protocol

from legio.claude.probe import Verdict
from legio.console import Metrics
from legio.events import ADVICE, Event, Failed, Fault, Retrying
from legio.nuntius import Turn
from legio.sessions import Outcome
from legio.watch.steps import Steps

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

    `over` is told whose turn has ended, before that is written; `steps`, if there are any, what he did in it.
    """

    def __init__(
        self,
        legatus: Reports,
        metrics: Metrics,
        over: Callable[[str], None] = lambda _agent: None,
        steps: Steps | None = None,
    ) -> None:
        self._legatus = legatus
        self._over = over
        self._steps = steps
        self.metrics = metrics
        self._locked_out = False

    def watch(self, turn: Turn, event: Event) -> None:
        """One step of a turn."""
        self._legatus.watch(turn, event)
        if self._steps is not None:
            self._steps.notice(turn, event)
        if isinstance(event, Retrying):
            self.metrics.retried(event)

    async def settle(self, turn: Turn, outcome: Outcome) -> None:
        """The end of a turn."""
        self._over(turn.agent)
        if self._steps is not None:
            await self._steps.written(turn.agent)
        await self._legatus.settle(turn, outcome)
        self.metrics.ended(turn.agent, outcome.end, outcome.seconds)
        if isinstance(outcome.end, Failed) and outcome.end.fault in LOCKED_OUT:
            self._locked_out = True

    async def try_credential(self, probe: Callable[[], Awaitable[Verdict]]) -> None:
        """Tell Caesar of a credential that is refused, unless a turn of his has told him meanwhile."""
        fault = await probe()
        if fault is not None and not self._locked_out:
            await self._legatus.tell(f"⛔ Legio: {ADVICE[fault]}")
