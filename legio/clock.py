"""The real time. Everything that waits or dates takes a `Clock`, so that no test has to."""

import asyncio
import time
from datetime import UTC, datetime


class SystemClock:
    """The machine's clock, as the `Clock` port has it."""

    def now(self) -> datetime:
        """The wall clock, in UTC."""
        return datetime.now(UTC)

    def monotonic(self) -> float:
        """Seconds since some start."""
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        """Wait for that many seconds."""
        await asyncio.sleep(seconds)
