"""Tasks that never end: each has a name, an owner that awaits it, and begins again when it breaks."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable

import structlog

from legio.ports import Clock

log = structlog.get_logger()

RESTART_SECONDS = 1.0

Body = Callable[[], Awaitable[None]]
Tasks = tuple[tuple[str, Body], ...]
"""Names, and what runs under them."""


@contextlib.asynccontextmanager
async def guarded(name: str, body: Body, clock: Clock) -> AsyncIterator[None]:
    """An eternal task that lives while inside; what breaks it is logged, and it is begun again."""
    task = asyncio.create_task(_guard(name, body, clock), name=name)
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def _guard(name: str, body: Body, clock: Clock) -> None:
    while True:
        try:
            await body()
        except Exception:  # the border of a guarded task: Legio without its courier would be silent for ever
            log.exception("task.broke", task=name)
            await clock.sleep(RESTART_SECONDS)
        else:
            log.info("task.ended", task=name)
            return
