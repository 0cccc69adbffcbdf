"""How an asynchronous test runs: one event loop, one deadline, and nothing left behind."""

import asyncio
import functools
import time
from collections.abc import Awaitable, Callable
from typing import ParamSpec

import pytest

P = ParamSpec("P")

DEADLINE_SECONDS = 30.0
TICK_SECONDS = 0.005
SLOWNESS = 3.0
"""How much slower than expected a machine may be before a wait counts as a hang: others work on it, too."""


def scene(
    test: Callable[P, Awaitable[None]] | None = None, *, deadline: float = DEADLINE_SECONDS
) -> Callable[..., object]:
    """Run an async test under `asyncio.run` with a deadline; a task left running fails it."""
    if test is None:
        return functools.partial(scene, deadline=deadline)

    @functools.wraps(test)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        asyncio.run(_watched(test(*args, **kwargs), deadline))

    return run


async def _watched(body: Awaitable[None], deadline: float) -> None:
    async with asyncio.timeout(deadline * SLOWNESS):
        await body
    await asyncio.sleep(0)
    left = [task.get_name() for task in asyncio.all_tasks() if task is not asyncio.current_task()]
    if left:
        pytest.fail(f"tasks were left running: {', '.join(left)}")


async def until(condition: Callable[[], object], *, deadline: float = 10.0, what: str = "") -> None:
    """Wait until `condition()` is true; fail with `what` when `deadline` seconds have long passed."""
    end = time.monotonic() + deadline * SLOWNESS
    while not condition():
        if time.monotonic() > end:
            pytest.fail(f"waited {deadline} s in vain for: {what or condition}")
        await asyncio.sleep(TICK_SECONDS)
