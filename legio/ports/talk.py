"""Who talked to whom."""

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Exchange:
    """How many nuntii one said to another; `hearer` is "all" for what was said to everyone."""

    sender: str
    hearer: str
    nuntii: int


class Talk(Protocol):
    """The record as a picture of who speaks with whom."""

    async def exchanges(self, start: datetime) -> tuple[Exchange, ...]:
        """1. What was said from the first nuntius on that is dated `start` or later, by sender and hearer."""
