"""What the legion did and took on the owner's days, as far as it can be counted."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Protocol
from zoneinfo import ZoneInfo


@dataclass(frozen=True, slots=True)
class Figure:
    """What the turns of one agent with one model that ended on one day took together.

    `failed` are those among them that failed or expired. Tokens are counts, `input_tokens` without cached
    ones; `usd` is in US dollars; `seconds` is the wall time of each turn, added up. `model` is "" where none
    was reached.
    """

    day: date
    agent: str
    model: str
    turns: int
    failed: int
    input_tokens: int
    output_tokens: int
    cache_read_tokens: int
    cache_write_tokens: int
    usd: float
    seconds: float


class Figures(Protocol):
    """What the record knows of past days. A turn counts where it ended, for the agent that did the work."""

    async def of(self, days: Sequence[date], zone: ZoneInfo) -> tuple[Figure, ...]:
        """1. What these days of that zone took, by day in their order, agent and model; no empty figure.

        Each day is looked at by itself: whoever wants to write waits for one of them, never for all.
        """
