from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from legio.zones import home, instant, local, zone_of
from tests.standing.clock import ZURICH, wall

ZONES = ("Europe/Zurich", "America/New_York", "Australia/Lord_Howe", "Pacific/Apia", "Asia/Kathmandu", "UTC")


def machine(root: Path, *, localtime: str = "", timezone: str = "") -> Path:
    (root / "etc").mkdir(exist_ok=True)
    if localtime:
        (root / "etc/localtime").symlink_to(localtime)
    if timezone:
        (root / "etc/timezone").write_text(timezone)
    return root


def test_the_configured_zone_comes_before_the_machines(tmp_path: Path) -> None:
    root = machine(tmp_path, localtime="/usr/share/zoneinfo/Asia/Tokyo")

    found = home("Europe/Zurich", {"TZ": "America/New_York"}, root)

    assert found.zone.key == "Europe/Zurich"
    assert found.found == "Europe/Zurich, as configured."


def test_the_machines_zone_is_read_from_where_machines_keep_it(tmp_path: Path) -> None:
    root = machine(tmp_path, localtime="/usr/share/zoneinfo/Asia/Tokyo", timezone="Asia/Seoul\n")
    (written := tmp_path / "written").mkdir()

    assert home(None, {"TZ": ":America/New_York"}, root).zone.key == "America/New_York"
    assert home(None, {"TZ": "/usr/share/zoneinfo/America/Lima"}, root).zone.key == "America/Lima"
    assert home(None, {}, root).zone.key == "Asia/Tokyo"
    assert home(None, {}, machine(written, timezone="Asia/Seoul\n")).zone.key == "Asia/Seoul"


@pytest.mark.parametrize(
    "name", ["", "CET-1CEST,M3.5.0", "Europe", "../../etc/passwd", "/etc/passwd", "Nowhere/City"]
)
def test_a_name_that_is_no_zone_is_passed_over(tmp_path: Path, name: str) -> None:
    assert zone_of(name) is None
    assert home(None, {"TZ": name}, machine(tmp_path, timezone="Asia/Seoul")).zone.key == "Asia/Seoul"


def test_a_container_without_any_zone_lives_in_utc_and_says_so(tmp_path: Path) -> None:
    (tmp_path / "etc").mkdir()
    (tmp_path / "etc/localtime").write_bytes(b"TZif2")
    (tmp_path / "etc/timezone").write_bytes(b"\xff\xfe")

    found = home(None, {}, tmp_path)

    assert found.zone.key == "UTC"
    assert "this machine names none" in found.found
    assert "`timezone`" in found.found


def test_a_wall_clock_time_that_never_is_is_the_first_instant_after() -> None:
    # On 29 March 2026 at 02:00 the clocks in Zurich are set to 03:00, at 01:00 UTC.
    assert instant(wall("2026-03-29 02:30"), ZURICH) == datetime(2026, 3, 29, 1, tzinfo=UTC)
    assert instant(wall("2026-03-29 03:00"), ZURICH) == datetime(2026, 3, 29, 1, tzinfo=UTC)
    assert instant(wall("2026-03-29 01:59"), ZURICH) == datetime(2026, 3, 29, 0, 59, tzinfo=UTC)


def test_a_wall_clock_time_that_comes_twice_is_the_first_of_them() -> None:
    # On 25 October 2026 at 03:00 the clocks in Zurich are set back to 02:00.
    assert instant(wall("2026-10-25 02:30"), ZURICH) == datetime(2026, 10, 25, 0, 30, tzinfo=UTC)


def test_a_day_that_was_left_out_is_the_beginning_of_the_next() -> None:
    # Samoa went over the date line: there was no 30 December 2011.
    apia = ZoneInfo("Pacific/Apia")

    assert local(instant(wall("2011-12-30 12:00"), apia), apia) == wall("2011-12-31 00:00")


@settings(deadline=None)
@given(
    zone=st.sampled_from(ZONES).map(ZoneInfo),
    walls=st.lists(st.datetimes(wall("2000-01-01 00:00"), wall("2035-01-01 00:00")), min_size=2, max_size=2),
)
def test_later_on_the_wall_is_never_earlier_in_truth(zone: ZoneInfo, walls: list[datetime]) -> None:
    earlier, later = sorted(walls)

    assert instant(earlier, zone) <= instant(later, zone)


@settings(deadline=None)
@given(
    zone=st.sampled_from(ZONES).map(ZoneInfo),
    shown=st.datetimes(wall("2000-01-01 00:00"), wall("2035-01-01 00:00")),
)
def test_an_instant_shows_the_wall_clock_asked_for_or_comes_right_after_a_leap(
    zone: ZoneInfo, shown: datetime
) -> None:
    at = instant(shown, zone)

    if local(at, zone) != shown:
        before = at - timedelta(seconds=1)
        assert local(before, zone) < shown < local(at, zone)
