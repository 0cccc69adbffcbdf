from datetime import UTC, datetime, time
from pathlib import Path

import pytest

from legio.errors import Refused
from legio.standing.quiet import SETTING, Hours, QuietHours, hours
from tests.clocks import FakeClock
from tests.praetorium.record import praetorium_in
from tests.scenes import scene
from tests.standing.clock import ZURICH

NIGHT = Hours(time(22), time(7))


@pytest.mark.parametrize("text", ["22:00-07:00", "22-7", "22:00 – 7:00", "10pm to 7am", "22:00 until 7:00"])
def test_hours_are_read_as_people_write_them(text: str) -> None:
    assert hours(text) == NIGHT


@pytest.mark.parametrize("text", ["", "22:00", "soon", "22:00-22:00", "22-7-9", "at-home"])
def test_what_is_no_hours_is_refused(text: str) -> None:
    with pytest.raises(Refused, match="22:00-07:00"):
        hours(text)


def test_hours_may_go_over_midnight() -> None:
    assert [NIGHT.hold(time(hour)) for hour in (21, 22, 0, 6, 7)] == [False, True, True, True, False]
    assert [Hours(time(13), time(15)).hold(time(hour)) for hour in (12, 13, 14, 15)] == [
        False,
        True,
        True,
        False,
    ]


@scene
async def test_quiet_goes_by_the_owners_clock_and_is_remembered(tmp_path: Path) -> None:
    clock = FakeClock(datetime(2026, 7, 1, 19, 30, tzinfo=UTC))  # 21:30 in Zurich
    async with praetorium_in(tmp_path) as praetorium:
        quiet = QuietHours(praetorium.settings, clock, ZURICH)
        await quiet.load()
        assert not quiet.now()

        await quiet.set(NIGHT)
        again = QuietHours(praetorium.settings, clock, ZURICH)
        await again.load()
        before = again.now()
        clock.advance(3600)
        assert (before, again.now(), again.hours) == (False, True, NIGHT)

        await again.set(None)
        await quiet.load()
        assert quiet.hours is None


@scene
async def test_a_setting_that_cannot_be_read_is_no_hours(tmp_path: Path) -> None:
    async with praetorium_in(tmp_path) as praetorium:
        await praetorium.settings.put(SETTING, "never")
        quiet = QuietHours(praetorium.settings, FakeClock(), ZURICH)

        await quiet.load()

    assert quiet.hours is None
