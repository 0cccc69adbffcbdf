import asyncio

import pytest

from legio.sessions.ceiling import STARTS_AT_ONCE, Ceiling
from tests.clocks import settled
from tests.scenes import scene


class Sleeper:
    """A session as the ceiling sees it."""

    def __init__(self, ceiling: Ceiling, *, since: float, idle: bool = True) -> None:
        self.ceiling = ceiling
        self.since = since
        self.idle = idle
        self.rested = False

    wanted = True

    async def rest(self) -> None:
        self.rested = True
        self.ceiling.leave(self)


@scene
async def test_who_is_idle_for_longest_sleeps_for_another() -> None:
    ceiling = Ceiling(2)
    old, young, new = (Sleeper(ceiling, since=since) for since in (1.0, 2.0, 3.0))
    for sleeper in (young, old, new):
        async with ceiling.room(sleeper):
            pass
    assert (old.rested, young.rested) == (True, False)
    assert ceiling.live == 2


@scene
async def test_nobody_in_mid_turn_is_put_to_sleep_and_the_newcomer_waits() -> None:
    ceiling = Ceiling(1)
    busy, new = Sleeper(ceiling, since=1, idle=False), Sleeper(ceiling, since=2)
    async with ceiling.room(busy):
        pass

    async def enter() -> None:
        async with ceiling.room(new):
            pass

    waiting = asyncio.create_task(enter(), name="newcomer")
    await settled()
    assert not waiting.done()
    busy.idle = True
    ceiling.look_again()
    await waiting
    assert busy.rested


@scene
async def test_a_start_that_fails_gives_its_place_back() -> None:
    ceiling = Ceiling(1)
    with pytest.raises(RuntimeError):
        async with ceiling.room(Sleeper(ceiling, since=1)):
            raise RuntimeError
    assert ceiling.live == 0


@scene
async def test_only_a_few_start_at_once() -> None:
    ceiling, starting, most = Ceiling(20), 0, 0

    async def start(number: int) -> None:
        nonlocal starting, most
        async with ceiling.room(Sleeper(ceiling, since=number)):
            starting += 1
            most = max(most, starting)
            await asyncio.sleep(0)
            starting -= 1

    await asyncio.gather(*(start(number) for number in range(12)))
    assert most == STARTS_AT_ONCE


@scene
async def test_who_has_a_place_starts_anew_in_it_however_many_do() -> None:
    ceiling = Ceiling(2)
    both = [Sleeper(ceiling, since=since, idle=False) for since in (1.0, 2.0)]
    for _ in range(2):
        for sleeper in both:
            async with asyncio.timeout(1), ceiling.room(sleeper):
                pass
    assert ceiling.live == 2


@scene
async def test_a_change_can_be_waited_for() -> None:
    ceiling = Ceiling(1)
    waiting = asyncio.create_task(ceiling.changed(), name="waiting")
    await settled()
    assert not waiting.done()
    ceiling.look_again()
    await waiting
