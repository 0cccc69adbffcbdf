"""A scenario is a fault that is made, and figures of what became of Caesar's messages."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Figures:
    """What was seen in one scenario.

    `tries` is how often the fault was made, `received` how many turns Caesar's messages asked for and
    `answered` how many of them were answered or told why not. `lost` were neither, ever; `doubled` came
    twice without being marked as a possible duplicate. `recovery` is the longest time in seconds from a
    fault's end to the next answer. `note` says what else was seen.
    """

    tries: int
    received: int
    answered: int
    lost: int
    doubled: int
    recovery: float
    note: str = ""


@dataclass(frozen=True, slots=True)
class Scenario:
    """One fault. `run` gets an empty folder; what it raises is a failed scenario, never a figure."""

    group: str
    name: str
    run: Callable[[Path], Awaitable[Figures]]
    bound: float
    """The longest recovery in seconds that is still good."""
    quick: bool = False
    """Whether it runs in `make test` too."""
    long: bool = False
    """Whether it takes many minutes."""


def good(scenario: Scenario, figures: Figures) -> bool:
    """Whether nothing was lost or doubled, and the next answer came within the bound."""
    return figures.lost == 0 and figures.doubled == 0 and figures.recovery <= scenario.bound
