"""A clock on which every rest is over at once, and known afterwards."""

import asyncio
from datetime import UTC, datetime


class HastyClock:
    def __init__(self) -> None:
        self.rests: list[float] = []

    def now(self) -> datetime:
        return datetime(2026, 11, 21, 12, tzinfo=UTC)

    def monotonic(self) -> float:
        return sum(self.rests)

    async def sleep(self, seconds: float) -> None:
        self.rests.append(seconds)
        await asyncio.sleep(0)
