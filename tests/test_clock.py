"""The promises of the `Clock` port, asked of the machine's clock and of the fake alike."""

import asyncio
from collections.abc import Callable
from datetime import timedelta

import pytest

from legio.clock import SystemClock
from legio.ports import Clock
from tests.clocks import FakeClock, settled, timed
from tests.scenes import scene, until

CLOCKS: list[Callable[[], Clock]] = [SystemClock, FakeClock]
SHORT_SECONDS = 0.02


async def slept(clock: Clock, seconds: float) -> None:
    """Sleep on the clock; the fake one is advanced by just that much."""
    task = asyncio.create_task(clock.sleep(seconds), name="sleeper")
    await settled()
    if isinstance(clock, FakeClock):
        clock.advance(seconds)
    await task


@pytest.mark.parametrize("make", CLOCKS)
def test_the_wall_clock_is_aware_and_in_utc(make: Callable[[], Clock]) -> None:
    assert make().now().utcoffset() == timedelta(0)


@pytest.mark.parametrize("make", CLOCKS)
@scene
async def test_sleeping_takes_its_time_and_time_never_goes_back(make: Callable[[], Clock]) -> None:
    clock = make()
    before = clock.monotonic()
    await slept(clock, SHORT_SECONDS)
    assert clock.monotonic() - before >= SHORT_SECONDS * 0.99


@pytest.mark.parametrize("make", CLOCKS)
@scene
async def test_no_time_or_less_is_slept_at_once(make: Callable[[], Clock]) -> None:
    clock = make()
    await clock.sleep(0)
    await clock.sleep(-1)


@pytest.mark.parametrize("make", CLOCKS)
@scene
async def test_a_sleeper_can_be_cancelled(make: Callable[[], Clock]) -> None:
    task = asyncio.create_task(make().sleep(60), name="sleeper")
    await settled()
    task.cancel()
    await until(task.done)
    assert task.cancelled()


@scene
async def test_the_fake_wakes_sleepers_in_order_each_at_his_own_time() -> None:
    clock, woken = FakeClock(), list[tuple[str, float]]()

    async def sleeper(name: str, seconds: float) -> None:
        await clock.sleep(seconds)
        woken.append((name, clock.monotonic()))

    async with asyncio.TaskGroup() as group:
        group.create_task(sleeper("late", 3.0))
        group.create_task(sleeper("early", 1.0))
        await settled()
        assert clock.sleepers == 2
        await clock.run(5.0)
    assert woken == [("early", 1.0), ("late", 3.0)]
    assert clock.monotonic() == 5.0
    assert clock.sleepers == 0


@scene
async def test_the_fake_stands_still_until_it_is_advanced() -> None:
    clock = FakeClock()
    task = asyncio.create_task(clock.sleep(1), name="sleeper")
    await settled()
    clock.advance(0.9)
    await settled()
    assert not task.done()
    clock.advance(0.1)
    await task


@scene
async def test_the_fake_tells_how_long_something_took_and_passes_over_who_gave_up() -> None:
    clock = FakeClock()
    loser = asyncio.create_task(clock.sleep(1), name="loser")
    await settled()
    loser.cancel()
    await settled()
    assert await timed(clock, clock.sleep(7)) == 7


@scene
async def test_waiting_in_vain_fails() -> None:
    with pytest.raises(pytest.fail.Exception, match=r"5 s passed in vain for: a sign"):
        await FakeClock().run_until(lambda: False, within=5, what="a sign")
