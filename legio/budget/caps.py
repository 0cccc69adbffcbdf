"""The caps as they stand today, what they bear and by how much they are raised, and what is said of them.

Pure: whose record it is, and who waits, is for `purse` to know.
"""

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

EVERYBODY = ""
"""Whose cap that of all agents together is."""
RAISE_PERCENT = 50
"""A cap is raised by as many times this as all need who wait."""
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class Cap:
    """One cap today, in US dollars: whose it is, as configured, by how much it was raised, and what is gone.

    `spent` is what was spent today, `kept` what is set aside for turns at work.
    """

    whose: str
    configured: float
    raised: float
    spent: float
    kept: float

    @property
    def size(self) -> float:
        """What may be spent today."""
        return self.configured + self.raised

    def bears(self, usd: float) -> bool:
        """Whether so much more fits."""
        return self._lacking(usd) <= _ROUNDING

    def steps(self, usd: float) -> int:
        """How many raises it takes until so much more fits; one at least."""
        step = self.configured * RAISE_PERCENT / 100
        return max(1, math.ceil(self._lacking(usd) / step - _ROUNDING))

    def _lacking(self, usd: float) -> float:
        return self.spent + self.kept + usd - self.size


@dataclass(frozen=True, slots=True)
class Wish:
    """A turn's agent, and what the turn will take, in US dollars, as far as one can know."""

    agent: str
    usd: float


@dataclass(frozen=True, slots=True)
class Books:
    """What is known of today, in US dollars by agent: what was spent, what was raised, and for whom is kept.

    `kept` may change while it is looked at: what is set aside goes by turns, not by the record.
    """

    spent: Mapping[str, float]
    raised: Mapping[str, float]
    kept: Collection[Wish] = ()

    @property
    def agents(self) -> tuple[str, ...]:
        """Whom any of it is about, by name."""
        about = {*self.spent, *self.raised, *(wish.agent for wish in self.kept)}
        return tuple(sorted(about - {EVERYBODY}))

    def whole(self, configured: float | None) -> Cap | None:
        """The cap of all agents together; None where there is none."""
        if configured is None:
            return None
        kept = sum(wish.usd for wish in self.kept)
        return Cap(EVERYBODY, configured, self.raised.get(EVERYBODY, 0.0), sum(self.spent.values()), kept)

    def own(self, agent: str, configured: float | None) -> Cap | None:
        """The agent's own cap; None where there is none, and for nobody."""
        if configured is None or agent == EVERYBODY:
            return None
        kept = sum(wish.usd for wish in self.kept if wish.agent == agent)
        return Cap(agent, configured, self.raised.get(agent, 0.0), self.spent.get(agent, 0.0), kept)


def card(short: Sequence[Cap], wishes: Sequence[Wish]) -> str:
    """What Caesar is asked: which caps are reached, and who waits for his word."""
    waiting = ", ".join(f"{wish.agent} (about {dollars(wish.usd)})" for wish in wishes)
    return "\n".join(
        [
            "💰 Today's budget does not bear another turn.",
            *(_line(cap) for cap in short),
            "",
            f"Waiting for your word: {waiting}.",
            "Without it they begin when a new day does.",
        ]
    )


def amounts(raises: Mapping[str, float]) -> str:
    """By how much whose cap is raised."""
    return ", ".join(f"{whose or 'everybody'} +{dollars(usd)}" for whose, usd in raises.items())


def names(agents: Iterable[str]) -> str:
    """Each agent once."""
    return ", ".join(dict.fromkeys(agents))


def dollars(usd: float) -> str:
    """An amount as people write it; one that would look like nothing says that it is something."""
    return f"${usd:,.2f}" if usd == 0 or usd >= 0.005 else "<$0.01"


def _line(cap: Cap) -> str:
    kept = f", {dollars(cap.kept)} set aside for turns at work" if cap.kept else ""
    return f"{cap.whose or 'Everybody'}: {dollars(cap.spent)} of {dollars(cap.size)} spent{kept}."
