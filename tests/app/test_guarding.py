import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from structlog.testing import capture_logs

from legio.app import guarded
from tests.clocks import FakeClock, settled
from tests.scenes import scene


@asynccontextmanager
async def two_bodies(clock: FakeClock, *ends: BaseException | None) -> AsyncIterator[list[int]]:
    """A guarded task that ends in these ways, one after the other, and then lives on."""
    begun: list[int] = []
    left = list(ends)

    async def live() -> None:
        begun.append(len(begun))
        if not left:
            await asyncio.Event().wait()
        end = left.pop(0)
        if end is not None:
            raise end

    async with guarded("courier", live, clock):
        yield begun


@scene
async def test_an_eternal_task_that_breaks_is_logged_and_begun_again() -> None:
    clock = FakeClock()
    with capture_logs() as logs:
        async with two_bodies(clock, RuntimeError("torn"), ValueError("worn")) as begun:
            await clock.run(10)
            assert begun == [0, 1, 2]
    assert [(entry["event"], entry["log_level"], entry["task"]) for entry in logs] == [
        ("task.broke", "error", "courier")
    ] * 2


@scene
async def test_an_eternal_task_that_ends_by_itself_is_logged_and_not_begun_again() -> None:
    clock = FakeClock()
    with capture_logs() as logs:
        async with two_bodies(clock, None) as begun:
            await clock.run(10)
            assert begun == [0]
    assert [entry["event"] for entry in logs] == ["task.ended"]


@scene
async def test_an_eternal_task_ends_with_its_block() -> None:
    async with two_bodies(FakeClock()) as begun:
        await settled()
        assert begun == [0]
        (task,) = [task for task in asyncio.all_tasks() if task.get_name() == "courier"]
    assert task.cancelled()
