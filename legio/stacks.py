"""Figures by day and by whom, as bars that are stacked: whose pieces are shown, and what the lines count in.

Pure, and says nothing of letters, colours and sizes: these belong to whoever draws.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final

OTHERS: Final = "others"
"""What those are called together who have no piece of their own."""
LINES: Final = 4
"""How many lines there are above the one that the bars stand on."""
STEPS: Final = (1.0, 2.0, 2.5, 5.0, 10.0)
"""What the lines may count in: as people do."""


@dataclass(frozen=True, slots=True)
class Day:
    """What each has on one day, in one unit."""

    day: date
    shares: Mapping[str, float]

    @property
    def total(self) -> float:
        """All of it."""
        return sum(self.shares.values())


@dataclass(frozen=True, slots=True)
class Shown:
    """Who has a piece of his own, from below; `others` says that there are more, who share the one on top."""

    names: tuple[str, ...]
    others: bool = False


def ranked(days: Sequence[Day]) -> tuple[str, ...]:
    """All who have anything on these days, those first who have most."""
    sums: dict[str, float] = {}
    for day in days:
        for name, share in day.shares.items():
            sums[name] = sums.get(name, 0.0) + share
    return tuple(sorted((name for name in sums if sums[name] > 0), key=lambda name: (-sums[name], name)))


def shown(names: Sequence[str], most: int) -> Shown:
    """The first so many for themselves; whoever comes after them is one of the others."""
    return Shown(tuple(names[:most]), len(names) > most)


def pieces(day: Day, whose: Shown) -> tuple[float, ...]:
    """What the day's bar is made of, from below: one piece a name, and the others' where there are any."""
    own = tuple(day.shares.get(name, 0.0) for name in whose.names)
    # Added up, never what is left of the total: the rounding of that would be a piece.
    rest = sum(share for name, share in day.shares.items() if name not in whose.names)
    return (*own, rest) if whose.others else own


def scale(most: float, *, least: float = 0.0001) -> float:
    """The distance of the lines, a whole number of times `least`, so that `most` keeps below the last one."""
    factor = 1
    while True:
        for step in STEPS:
            if (step * factor).is_integer() and step * factor * least * LINES >= most:
                return step * factor * least
        factor *= 10
