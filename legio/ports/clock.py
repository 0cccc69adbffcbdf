"""Time, as the core needs it."""

from datetime import datetime
from typing import Protocol


class Clock(Protocol):
    """Time and waiting, injected so that no test sleeps."""

    def now(self) -> datetime:
        """1. Aware, UTC, the wall clock: may jump, so it dates things and never measures them."""

    def monotonic(self) -> float:
        """2. Seconds since some start; never goes back."""

    async def sleep(self, seconds: float) -> None:
        """3. Returns after `seconds`, or raises CancelledError."""
