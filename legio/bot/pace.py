"""A token bucket on the injected clock: how often something may be done."""

from typing import Final

from legio.ports import Clock

_ALMOST: Final = 1 - 1e-9
"""A token counts as whole when only the rounding of floats is missing: else a waiter would wait for ever."""


class Pace:
    """`burst` at once, and `per_second` in the long run. One loop; nothing here waits."""

    def __init__(self, clock: Clock, *, per_second: float, burst: int) -> None:
        self._clock = clock
        self._per_second = per_second
        self._burst = float(burst)
        self._tokens = self._burst
        self._counted = clock.monotonic()

    def take(self) -> bool:
        """Take a token if there is one."""
        self._refill()
        if self._tokens < _ALMOST:
            return False
        self._tokens = max(self._tokens - 1, 0.0)
        return True

    def delay(self) -> float:
        """Seconds until there is a token; 0 if there is one."""
        self._refill()
        return 0.0 if self._tokens >= _ALMOST else (1 - self._tokens) / self._per_second

    def _refill(self) -> None:
        now = self._clock.monotonic()
        self._tokens = min(self._burst, self._tokens + (now - self._counted) * self._per_second)
        self._counted = now
