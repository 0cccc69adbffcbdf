"""Waiting for whichever comes first: news, a deadline, or the other side going away.

Everything here is bound to one event loop; no task survives the call that made it.
"""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class Signal:
    """Wakes all who wait at this moment; who comes later waits for the next time."""

    def __init__(self) -> None:
        self._event = asyncio.Event()

    def fire(self) -> None:
        """Wake them."""
        self._event.set()
        self._event = asyncio.Event()

    def wait(self) -> Coroutine[Any, Any, bool]:
        """To be awaited. Bound when called, not when awaited: what is fired in between is not missed."""
        return self._event.wait()


async def first(*contenders: Coroutine[Any, Any, T]) -> T:
    """The result of the one that ends first; the others are cancelled and gone when this returns."""
    tasks = [asyncio.create_task(contender) for contender in contenders]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        return next(task for task in tasks if task in done).result()
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
