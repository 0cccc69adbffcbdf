"""How many agents may live at once: who is idle for longest sleeps first, and never one in mid-turn."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from typing import Protocol

from legio.errors import Refused

STARTS_AT_ONCE = 3
"""CLIs that start together slow each other down: four take 0.7 s, thirty-two 10.8 s, sixty-four a minute."""


class Sleeper(Protocol):
    """What the ceiling asks of a session."""

    @property
    def idle(self) -> bool:
        """Whether it is live, asks nothing and is asked nothing."""

    @property
    def since(self) -> float:
        """When it last began or ended a turn, on the monotonic clock."""

    @property
    def wanted(self) -> bool:
        """Whether there is still something to be awake for."""

    async def rest(self) -> None:
        """Sleep: returns when its process is gone."""


class Ceiling:
    """The places for live agents, `most` of them."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._live: dict[Sleeper, None] = {}
        self._starts = asyncio.Semaphore(STARTS_AT_ONCE)
        self._changed = asyncio.Event()

    @property
    def live(self) -> int:
        """How many places are taken."""
        return len(self._live)

    @contextlib.asynccontextmanager
    async def room(self, sleeper: Sleeper) -> AsyncIterator[None]:
        """A place for `sleeper`, and a turn to start; waits until somebody else can sleep.

        Raises `Refused` when nobody wants it to be awake any more while it waits.
        The place is kept when the block is left well, until `leave`, and given back when it raises.
        """
        # Who has a place starts anew in it: were all of them to wait for another one, they would for ever.
        while sleeper not in self._live and len(self._live) >= self._most:
            if not sleeper.wanted:
                raise Refused("what it was to be awake for was stopped.")
            idle = [other for other in self._live if other.idle]
            if idle:
                await min(idle, key=lambda other: other.since).rest()
            else:
                await self.changed()
        self._live[sleeper] = None
        try:
            async with self._starts:
                yield
        except BaseException:
            self.leave(sleeper)
            raise

    def leave(self, sleeper: Sleeper) -> None:
        """Give the place back; does nothing for who has none."""
        self._live.pop(sleeper, None)
        self._changed.set()

    async def changed(self) -> None:
        """Wait until somebody leaves, or becomes idle."""
        self._changed.clear()
        await self._changed.wait()

    def look_again(self) -> None:
        """Somebody became idle: whoever waits for a place may find one."""
        self._changed.set()
