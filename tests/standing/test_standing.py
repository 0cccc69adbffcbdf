from dataclasses import replace
from datetime import timedelta

import pytest

from legio.errors import Refused
from legio.ports import Firing, Work
from legio.standing.standing import LONGEST_TEXT, Order, Standing
from legio.standing.understanding import When
from tests.clocks import FakeClock
from tests.scenes import scene
from tests.standing.clock import SATURDAY, ZURICH
from tests.standing.memory import MemorySchedules

ORDER = Order(Work.REMINDER, "tea", When(SATURDAY + timedelta(hours=1)), "caesar")


def standing(rung: list[str] | None = None) -> tuple[Standing, MemorySchedules]:
    schedules = MemorySchedules()
    bell = [] if rung is None else rung
    return Standing(schedules, FakeClock(SATURDAY), ZURICH, lambda: bell.append("rung")), schedules


@scene
async def test_what_is_set_up_stands_and_wakes_the_scheduler() -> None:
    rung: list[str] = []
    work, schedules = standing(rung)

    made = await work.set_up(ORDER)

    assert await work.all() == (made,) == await schedules.standing()
    assert work.said(made) == "⏰ Saturday 21 November 2026 19:00 Europe/Zurich"
    assert rung == ["rung"]


@scene
async def test_it_is_said_in_the_zone_in_which_it_was_set_up() -> None:
    work, _ = standing()
    made = await work.set_up(ORDER)

    assert work.said(replace(made, zone="Asia/Tokyo")) == "⏰ Sunday 22 November 2026 03:00 Asia/Tokyo"
    assert work.said(replace(made, zone="Nowhere/City")).endswith("Europe/Zurich")


@scene
async def test_an_empty_text_and_an_endless_one_are_refused() -> None:
    work, _ = standing()

    with pytest.raises(Refused, match="nothing to be said"):
        await work.set_up(replace(ORDER, text="  "))
    with pytest.raises(Refused, match=str(LONGEST_TEXT)):
        await work.set_up(replace(ORDER, text="x" * (LONGEST_TEXT + 1)))


@scene
async def test_what_is_taken_away_can_stand_again_until_it_was_done() -> None:
    work, schedules = standing()
    made = await work.set_up(ORDER)

    assert await work.end(made.number) == made
    with pytest.raises(Refused, match="no schedule 1 stands"):
        await work.end(made.number)
    assert await work.resume(made.number) == made
    await schedules.fire(made, Firing(None))
    with pytest.raises(Refused, match="cannot stand again"):
        await work.resume(made.number)


def test_words_are_read_by_the_owners_clock() -> None:
    work, _ = standing()

    when, text = work.read("at 19:00 tea")

    assert work.now == "Saturday 21 November 2026 18:00 Europe/Zurich"
    assert (when, text) == (work.read_when("19:00"), "tea")
    assert when.due == SATURDAY.replace(hour=18, minute=0, second=0)


def test_words_that_waited_mean_what_they_meant_when_they_were_sent() -> None:
    work, _ = standing()
    two_hours, a_moment = SATURDAY - timedelta(hours=2), SATURDAY - timedelta(minutes=1)

    waited, _ = work.read("in 20 minutes tea", two_hours)
    fresh, _ = work.read("in 20 minutes tea", a_moment)

    assert waited.due == two_hours + timedelta(minutes=20)
    assert fresh.due == SATURDAY + timedelta(minutes=20)


@scene
async def test_a_command_is_no_task() -> None:
    work, _ = standing()

    with pytest.raises(Refused, match="a command cannot be scheduled"):
        await work.set_up(replace(ORDER, work=Work.TASK, text="/status"))
