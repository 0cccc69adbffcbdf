"""Turns that are stopped before their agent was told anything: settled at once, beside the queue.

Nothing has to be interrupted for such a turn, so nothing is waited for: not the agent's start, nor a place,
nor money, nor the turns before it. The queue passes over it when it comes to it.
"""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from legio.nuntius import Turn


class Struck:
    """The turns struck and not passed yet. `settle` writes the end of one; it never raises."""

    def __init__(self, settle: Callable[[Turn], Coroutine[Any, Any, None]]) -> None:
        self._settle = settle
        self._settling: dict[int, asyncio.Task[None]] = {}

    def __contains__(self, turn: Turn) -> bool:
        return turn.id in self._settling

    def strike(self, turn: Turn) -> None:
        """End it now; does nothing if that was done before."""
        if turn not in self:
            name = f"strike:{turn.id}"
            self._settling[turn.id] = asyncio.create_task(self._settle(turn), name=name)

    async def passed(self, turn: Turn) -> None:
        """The queue is past it: returns when its end is written; at once, if it was not struck."""
        settling = self._settling.get(turn.id)
        if settling is not None:
            await asyncio.wait({settling})  # whoever is cancelled here does not cancel the writing
            del self._settling[turn.id]

    async def settled(self) -> None:
        """Returns when all their ends are written."""
        if self._settling:
            await asyncio.wait(self._settling.values())
