"""What is counted of turns on the page: how it is added up and written, and how its axis is divided."""

from collections.abc import Callable
from dataclasses import dataclass
from operator import attrgetter
from typing import Final

from legio.ports import Figure
from legio.stacks import LINES, scale

LEAST_USD: Final = 0.0001
"""What less is written as: as much as the fourth digit of a dollar shows."""
MINUTE: Final = 60
HOUR: Final = 3600
MINUTES: Final = (0.25, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800)
"""In seconds: what the lines count in before they count in hours."""


@dataclass(frozen=True, slots=True)
class Axis:
    """How a chart is divided: `step` gives the lines' distance for the highest figure, `tick` writes one."""

    step: Callable[[float], float]
    tick: Callable[[float], str]


@dataclass(frozen=True, slots=True)
class Quantity:
    """Something that is counted: `of` takes it from a figure, `written` says it."""

    name: str
    title: str
    of: Callable[[Figure], float]
    written: Callable[[float], str]
    axis: Axis


def dollars(usd: float) -> str:
    """An amount; of less than a dime the fourth digit, too, and something is never nothing."""
    if 0 < usd < LEAST_USD:
        return f"<${LEAST_USD}"
    return f"${usd:,.4f}" if 0 < usd < 0.1 else f"${usd:,.2f}"


def dollar_tick(usd: float) -> str:
    """An amount without cents where it has none, and else with two digits or more."""
    whole, _, fraction = f"{usd:,.4f}".rstrip("0").partition(".")
    return f"${whole}.{fraction:0<2}" if fraction else f"${whole}"


def counted(count: float) -> str:
    """A whole number."""
    return f"{count:,.0f}"


def count_tick(count: float) -> str:
    """A whole number with a letter for its noughts."""
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if count >= size:
            return f"{count / size:g}{letter}"
    return f"{count:g}"


def lasting(seconds: float) -> str:
    """A span of time in its two largest units; of a few seconds the tenth, too."""
    if seconds < MINUTE:
        return f"{seconds:.1f} s" if 0 < seconds < 10 else f"{seconds:.0f} s"
    whole = round(seconds)
    if whole < HOUR:
        return f"{whole // MINUTE} min {whole % MINUTE} s"
    return f"{whole // HOUR:,} h {whole % HOUR // MINUTE} min"


def time_tick(seconds: float) -> str:
    """A span of time in one unit."""
    for size, unit in ((HOUR, "h"), (MINUTE, "min")):
        if seconds >= size:
            return f"{seconds / size:g} {unit}"
    return f"{seconds:g} s"


def time_step(most: float) -> float:
    """The distance of the lines as clocks count, so that `most` seconds keep below the last one."""
    fitting = (step for step in MINUTES if step * LINES >= most)
    return next(fitting, 0.0) or scale(most / HOUR, least=1.0) * HOUR


_DOLLARS = Axis(scale, dollar_tick)
_COUNT = Axis(lambda most: scale(most, least=1.0), count_tick)
_TIME = Axis(time_step, time_tick)


def _tokens(figure: Figure) -> int:
    cached = figure.cache_read_tokens + figure.cache_write_tokens
    return figure.input_tokens + figure.output_tokens + cached


COST: Final = Quantity("usd", "Cost", attrgetter("usd"), dollars, _DOLLARS)
TOKENS: Final = Quantity("tokens", "Tokens", _tokens, counted, _COUNT)
TURNS: Final = Quantity("turns", "Turns", attrgetter("turns"), counted, _COUNT)
TIME: Final = Quantity("seconds", "Time at work", attrgetter("seconds"), lasting, _TIME)
FAILURES: Final = Quantity("failed", "Failures", attrgetter("failed"), counted, _COUNT)

CHARTED: Final = (COST, TOKENS, TURNS, TIME, FAILURES)
"""What has a chart of its own."""
COLUMNS: Final = (
    COST,
    TURNS,
    FAILURES,
    TIME,
    Quantity("input", "Tokens in", attrgetter("input_tokens"), counted, _COUNT),
    Quantity("output", "out", attrgetter("output_tokens"), counted, _COUNT),
    Quantity("cache_read", "read from cache", attrgetter("cache_read_tokens"), counted, _COUNT),
    Quantity("cache_write", "written to cache", attrgetter("cache_write_tokens"), counted, _COUNT),
)
"""What the table has of each name."""
