"""A cap as it stands today, what it bears, by how much it is raised, and what Caesar reads of it. Pure."""

import math
from collections.abc import Iterable, Mapping, Sequence
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
