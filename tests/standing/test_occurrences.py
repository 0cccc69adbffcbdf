from datetime import UTC, datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from legio.ports import Rule
from legio.standing.occurrences import MOST_COUNTED, after, count
from legio.zones import instant, local
from tests.standing.clock import ZURICH, wall

CHANGING = (
    "Europe/Zurich",
    "America/New_York",
    "Australia/Lord_Howe",
    "America/St_Johns",
    "Africa/Casablanca",
)
START = datetime(2026, 1, 1, tzinfo=UTC)


def daily(hour: int, minute: int, *, interval: int = 1) -> Rule:
    every = f"FREQ=DAILY;INTERVAL={interval}" if interval > 1 else "FREQ=DAILY"
    return Rule(f"{every};BYHOUR={hour};BYMINUTE={minute};BYSECOND=0", "every day")


def walk(rule: Rule, zone: ZoneInfo, begin: datetime, times: int) -> list[datetime]:
    """The first so many instants, each found from the one before, as the scheduler does."""
    found: list[datetime] = []
    at = begin
    for _ in range(times):
        following = after(rule, begin, zone, at)
        assert following is not None
        found.append(following)
        at = following
    return found


@settings(deadline=None, max_examples=50)
@given(
    zone=st.sampled_from(CHANGING).map(ZoneInfo),
    clock=st.tuples(st.integers(0, 23), st.integers(0, 59)),
    begin=st.datetimes(wall("2025-01-01 00:00"), wall("2027-01-01 00:00")).map(
        lambda it: it.replace(tzinfo=UTC)
    ),
)
def test_what_comes_daily_comes_once_on_each_day_whatever_is_done_to_the_clocks(
    zone: ZoneInfo, clock: tuple[int, int], begin: datetime
) -> None:
    found = walk(daily(*clock), zone, begin, 200)
    days = [local(at, zone).date() for at in found]

    assert found[0] > begin
    assert all(later - earlier == timedelta(days=1) for earlier, later in pairwise(days))
    for at in found:
        shown = local(at, zone)
        meant = shown.replace(hour=clock[0], minute=clock[1], second=0)
        assert at == instant(meant, zone)
        assert (shown.hour, shown.minute) == clock or local(at - timedelta(seconds=1), zone) < meant


@settings(deadline=None)
@given(
    begin=st.datetimes(wall("2025-01-01 00:00"), wall("2027-01-01 00:00")).map(
        lambda it: it.replace(tzinfo=UTC)
    ),
    hours=st.integers(1, 50),
    ahead=st.integers(0, 10_000_000),
)
def test_what_comes_every_few_hours_comes_by_the_time_that_has_passed(
    begin: datetime, hours: int, ahead: int
) -> None:
    rule = Rule(f"FREQ=HOURLY;INTERVAL={hours}", "every few hours")
    moment = begin + timedelta(seconds=ahead)

    following = after(rule, begin, ZURICH, moment)

    assert following is not None
    assert (following - begin) % timedelta(hours=hours) == timedelta()
    assert timedelta() < following - moment <= timedelta(hours=hours)


def test_the_night_the_clocks_are_set_forward_it_comes_at_the_first_instant_after() -> None:
    found = walk(daily(2, 30), ZURICH, datetime(2026, 3, 28, tzinfo=UTC), 3)

    assert [local(at, ZURICH) for at in found] == [
        wall("2026-03-28 02:30"),
        wall("2026-03-29 03:00"),
        wall("2026-03-30 02:30"),
    ]


def test_the_night_the_clocks_are_set_back_it_comes_once() -> None:
    found = walk(daily(2, 30), ZURICH, datetime(2026, 10, 24, tzinfo=UTC), 3)

    assert found == [
        datetime(2026, 10, 24, 0, 30, tzinfo=UTC),
        datetime(2026, 10, 25, 0, 30, tzinfo=UTC),
        datetime(2026, 10, 26, 1, 30, tzinfo=UTC),
    ]


def test_two_days_that_fall_on_one_instant_come_once() -> None:
    # There was no 30 December 2011 in Samoa.
    apia = ZoneInfo("Pacific/Apia")

    found = walk(daily(0, 0), apia, datetime(2011, 12, 28, tzinfo=UTC), 4)

    assert [local(at, apia).day for at in found] == [28, 29, 31, 1]


def test_every_other_day_keeps_its_step() -> None:
    found = walk(daily(9, 0, interval=2), ZURICH, datetime(2026, 3, 27, 8, tzinfo=UTC), 3)

    days = [f"{local(at, ZURICH):%m-%d %H:%M}" for at in found]
    assert days == ["03-29 09:00", "03-31 09:00", "04-02 09:00"]


@pytest.mark.parametrize(
    ("rrule", "days"),
    [
        ("FREQ=MONTHLY;BYMONTHDAY=28,29,30,31;BYSETPOS=-1", ["01-31", "02-28", "03-31", "04-30"]),
        ("FREQ=MONTHLY;BYDAY=-1FR", ["01-30", "02-27", "03-27", "04-24"]),
        ("FREQ=WEEKLY;INTERVAL=2;BYDAY=MO", ["01-12", "01-26", "02-09", "02-23"]),
    ],
)
def test_days_of_the_week_and_the_month_are_those_meant(rrule: str, days: list[str]) -> None:
    rule = Rule(f"{rrule};BYHOUR=9;BYMINUTE=0;BYSECOND=0", "…")

    found = walk(rule, ZURICH, START, 4)

    assert [f"{local(at, ZURICH):%m-%d}" for at in found] == days


def test_what_was_due_in_a_span_is_counted_to_a_bound() -> None:
    rule = daily(9, 0)
    first = datetime(2026, 1, 1, 8, tzinfo=UTC)

    assert count(rule, first, ZURICH, (first, first + timedelta(days=3))) == 3
    assert count(rule, first, ZURICH, (first, first + timedelta(hours=1))) == 0
    assert count(
        Rule("FREQ=MINUTELY;INTERVAL=5", "…"), first, ZURICH, (first, first + timedelta(days=30))
    ) == (MOST_COUNTED)


def test_a_rule_that_ends_has_nothing_after_its_end() -> None:
    rule = Rule("FREQ=DAILY;UNTIL=20260102T000000", "…")

    assert after(rule, START, ZURICH, datetime(2026, 2, 1, tzinfo=UTC)) is None
