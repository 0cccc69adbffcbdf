import asyncio

import pytest

from legio.local.botapi.waiting import Signal, first
from tests.scenes import scene


async def _after(turns: int, word: str) -> str:
    for _ in range(turns):
        await asyncio.sleep(0)
    return word


@scene
async def test_the_first_to_end_wins_and_the_others_are_gone() -> None:
    assert await first(_after(50, "slow"), _after(2, "quick")) == "quick"
    assert asyncio.all_tasks() == {asyncio.current_task()}


@scene
async def test_of_two_that_end_together_the_one_named_first_wins() -> None:
    assert await first(_after(1, "one"), _after(1, "other")) == "one"


@scene
async def test_what_the_first_raises_is_raised() -> None:
    async def fails() -> str:
        raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"):
        await first(fails(), _after(50, "slow"))


@scene
async def test_a_signal_wakes_those_who_wait_and_not_those_who_come_later() -> None:
    signal = Signal()
    early = signal.wait()
    signal.fire()
    assert await early
    assert await first(signal.wait(), _later()) is False


async def _later() -> bool:
    await asyncio.sleep(0)
    return False
