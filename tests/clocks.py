"""Time under the test's hand: the fake of the `Clock` port."""

import asyncio
import heapq
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from itertools import count

import pytest

DAWN = datetime(2026, 3, 15, 6, 0, tzinfo=UTC)
TURNS_OF_THE_LOOP = 25


class FakeClock:
    """Stands still until it is advanced; sleepers wake in the order of their time, each at his own."""

    def __init__(self, start: datetime = DAWN) -> None:
        self._start = start
        self._elapsed = 0.0
        self._numbers = count()
        self._sleepers: list[tuple[float, int, asyncio.Future[None]]] = []

    def now(self) -> datetime:
        return self._start + timedelta(seconds=self._elapsed)

    def monotonic(self) -> float:
        return self._elapsed

    async def sleep(self, seconds: float) -> None:
        if seconds <= 0:
            await asyncio.sleep(0)
            return
        woken: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        heapq.heappush(self._sleepers, (self._elapsed + seconds, next(self._numbers), woken))
        await woken

    def advance(self, seconds: float) -> None:
        """Let that much time pass at once; whoever sleeps again on waking is not woken a second time."""
        end = self._elapsed + seconds
        while self._sleepers and self._sleepers[0][0] <= end:
            self._elapsed, _, woken = heapq.heappop(self._sleepers)
            if not woken.done():
                woken.set_result(None)
        self._elapsed = end

    async def run(self, seconds: float) -> None:
        """Let time pass from sleeper to sleeper, each of whom acts before it goes on."""
        end = self._elapsed + seconds
        await settled()
        while (due := self._next()) is not None and due <= end:
            self.advance(max(due - self._elapsed, 0.0))
            await settled()
        self.advance(end - self._elapsed)
        await settled()

    async def run_until(self, condition: Callable[[], object], *, within: float, what: str = "") -> None:
        """Let time pass until the condition holds; fail when it does not within that many fake seconds."""
        end = self._elapsed + within
        await settled()
        while not condition():
            due = self._next()
            if due is None or due > end:
                pytest.fail(f"{within} s passed in vain for: {what or condition}")
            self.advance(max(due - self._elapsed, 0.0))
            await settled()

    @property
    def sleepers(self) -> int:
        """How many sleep now."""
        return sum(not woken.done() for _, _, woken in self._sleepers)

    def _next(self) -> float | None:
        while self._sleepers and self._sleepers[0][2].done():
            heapq.heappop(self._sleepers)
        return self._sleepers[0][0] if self._sleepers else None


async def settled() -> None:
    """Let everything that can run without time or the network do so."""
    for _ in range(TURNS_OF_THE_LOOP):
        await asyncio.sleep(0)


async def timed(clock: FakeClock, body: Awaitable[None]) -> float:
    """How many fake seconds `body` takes."""
    start = clock.monotonic()
    task = asyncio.ensure_future(body)
    await clock.run_until(task.done, within=3600)
    await task
    return clock.monotonic() - start
