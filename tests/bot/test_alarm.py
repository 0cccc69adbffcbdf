"""Waiting for a ring or for the time, whichever comes first."""

import asyncio

from legio.bot.alarm import Alarm
from tests.clocks import FakeClock, settled
from tests.scenes import scene


@scene
async def test_a_ring_ends_the_wait_before_its_time() -> None:
    clock = FakeClock()
    alarm = Alarm(clock)
    wait = asyncio.create_task(alarm.wait(60), name="wait")
    await settled()
    alarm.ring()
    await wait
    assert clock.sleepers == 0


@scene
async def test_without_a_ring_the_wait_ends_in_time() -> None:
    clock = FakeClock()
    wait = asyncio.create_task(Alarm(clock).wait(60), name="wait")
    await clock.run(59)
    assert not wait.done()
    await clock.run(1)
    assert wait.done()


@scene
async def test_a_ring_before_the_wait_counts_once() -> None:
    clock = FakeClock()
    alarm = Alarm(clock)
    alarm.ring()
    assert alarm.rung
    await alarm.wait(60)
    wait = asyncio.create_task(alarm.wait(), name="wait")
    await clock.run(1000)
    assert not wait.done()
    alarm.ring()
    await wait


@scene
async def test_a_ring_can_be_forgotten() -> None:
    alarm = Alarm(FakeClock())
    alarm.ring()
    alarm.silence()
    assert not alarm.rung


@scene
async def test_a_cancelled_wait_leaves_nothing_behind() -> None:
    clock = FakeClock()
    wait = asyncio.create_task(Alarm(clock).wait(60), name="wait")
    await settled()
    wait.cancel()
    await asyncio.gather(wait, return_exceptions=True)
    assert clock.sleepers == 0
