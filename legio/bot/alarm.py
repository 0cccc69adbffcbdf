"""An event that is also waited for with a bound, on the injected clock."""

import asyncio

from legio.ports import Clock


class Alarm:
    """Rung from anywhere in the loop without waiting; one waiter at a time, who silences it."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._rung = asyncio.Event()

    @property
    def rung(self) -> bool:
        """Whether it rang since it was last waited for."""
        return self._rung.is_set()

    def ring(self) -> None:
        """End the wait that runs, or the next one."""
        self._rung.set()

    def silence(self) -> None:
        """Forget that it rang."""
        self._rung.clear()

    async def wait(self, seconds: float | None = None) -> None:
        """Until it is rung, or `seconds` have passed; None waits for ever."""
        if seconds is None:
            await self._rung.wait()
        elif not self.rung:
            await self._first_of(seconds)
        self.silence()

    async def _first_of(self, seconds: float) -> None:
        timer = asyncio.create_task(self._clock.sleep(seconds), name="alarm:timer")
        ring = asyncio.create_task(self._rung.wait(), name="alarm:ring")
        try:
            await asyncio.wait({timer, ring}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            timer.cancel()
            ring.cancel()
            # Nothing may be left running behind the waiter, not even for one turn of the loop.
            await asyncio.gather(timer, ring, return_exceptions=True)
