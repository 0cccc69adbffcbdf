"""What was seen, beside what it may be: samples, figures and the table they make. Pure.

Nothing is rounded before it is judged. A figure without a bound is told and not judged.
"""

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

HEADER = ("figure", "bound", "seen", "verdict")
MET, MISSED, UNJUDGED = "met", "MISSED", "-"


@dataclass(frozen=True, slots=True)
class Sample:
    """Durations of one kind, in seconds, in the order in which they were measured; at least one."""

    seconds: tuple[float, ...]

    @property
    def median(self) -> float:
        """Half of them are at most this."""
        return statistics.median(self.seconds)

    def percentile(self, share: float) -> float:
        """The least of them that `share` percent do not exceed: the nearest rank, nothing interpolated."""
        rank = math.ceil(share / 100 * len(self.seconds))
        return sorted(self.seconds)[max(rank, 1) - 1]

    def __str__(self) -> str:
        """The median, and how far the sample is spread: that is how noisy the machine was."""
        least, most = min(self.seconds), max(self.seconds)
        return f"{spell(self.median)} ({spell(least)} to {spell(most)}, n={len(self.seconds)})"


@dataclass(frozen=True, slots=True)
class Figure:
    """One line of the report. `met` is None where there is no bound."""

    name: str
    bound: str
    seen: str
    met: bool | None = None

    @property
    def verdict(self) -> str:
        """The bound's word on what was seen."""
        return UNJUDGED if self.met is None else MET if self.met else MISSED


def spell(seconds: float) -> str:
    """A duration in the unit that suits it."""
    if seconds >= 1:
        return f"{seconds:.2f} s"
    return f"{seconds * 1000:.1f} ms" if seconds >= 0.01 else f"{seconds * 1000:.3f} ms"


def table(figures: Sequence[Figure]) -> str:
    """The figures under their header, in columns as wide as they have to be."""
    rows = [HEADER, *((figure.name, figure.bound, figure.seen, figure.verdict) for figure in figures)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEADER))]
    lines = [" | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in rows]
    rule = "-|-".join("-" * width for width in widths)
    return "\n".join(line.rstrip() for line in (lines[0], rule, *lines[1:]))


def missed(figures: Sequence[Figure]) -> tuple[str, ...]:
    """The names of the figures that missed their bound."""
    return tuple(figure.name for figure in figures if figure.met is False)
