"""Money: what turns have cost, and whether another one may begin."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Protocol

from legio.nuntius import Turn


@dataclass(frozen=True, slots=True)
class Expense:
    """What one agent's turns took together: all tokens, cached ones too, and US dollars."""

    agent: str
    turns: int
    tokens: int
    usd: float


class Costs(Protocol):
    """What the record knows of money. A turn counts where it ended, for the agent that did the work."""

    async def expenses(self, start: datetime, end: datetime | None = None) -> tuple[Expense, ...]:
        """1. What was spent from `start` to before `end`, by agent's name; nobody who spent nothing."""

    async def latest(self, agent: str, count: int) -> tuple[float, ...]:
        """2. What the agent's last turns cost, at most `count`, newest first; none that was free."""

    async def raised(self, day: date) -> Mapping[str, float]:
        """3. By how many US dollars Caesar raised the caps of that day: by agent, "" for all together."""

    async def raise_caps(self, day: date, raises: Mapping[str, float]) -> None:
        """4. Raises them by so much more, all in one transaction."""


@dataclass(frozen=True, slots=True)
class Leave:
    """A turn may begin; `model` replaces the agent's own in it, "" keeps that."""

    model: str = ""


class Purse(Protocol):
    """Who says whether a turn may cost something now."""

    async def reserve(self, turn: Turn) -> Leave | None:
        """1. Sets money aside for the turn; None, and nothing is set aside, where too little is left."""

    async def word(self, turn: Turn) -> Leave | None:
        """2. Waits until the turn may begin, and asks Caesar meanwhile; None when he said no."""

    def withdraw(self, turn: Turn) -> None:
        """3. The turn waits no longer: its `word` is no. Does nothing where none is waited for."""

    def release(self, turn: Turn) -> None:
        """4. What was set aside for the turn is free again; what it did cost is in the record by now."""
