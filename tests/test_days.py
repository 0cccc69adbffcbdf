"""The owner's days, also where one is not 24 hours long."""

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

from legio.days import beginning, day_of, last_days, month_of, week_of

ROME = ZoneInfo("Europe/Rome")


def test_the_owners_day_begins_at_his_midnight() -> None:
    late = datetime(2026, 11, 21, 23, 30, tzinfo=UTC)
    assert day_of(late, ROME) == date(2026, 11, 22)
    assert beginning(date(2026, 11, 22), ROME) == datetime(2026, 11, 21, 23, tzinfo=UTC)


def test_a_day_on_which_the_clock_is_turned_has_23_or_25_hours() -> None:
    days = [date(2026, 3, 29), date(2026, 3, 30), date(2026, 10, 25), date(2026, 10, 26)]
    spring, after, autumn, later = (beginning(day, ROME).astimezone(UTC) for day in days)
    assert (after - spring, later - autumn) == (timedelta(hours=23), timedelta(hours=25))


def test_a_week_begins_on_monday_and_a_month_on_the_first() -> None:
    assert week_of(date(2026, 11, 22)) == date(2026, 11, 16)
    assert week_of(date(2026, 11, 16)) == date(2026, 11, 16)
    assert month_of(date(2026, 11, 22)) == date(2026, 11, 1)


def test_the_last_days_end_today() -> None:
    assert last_days(date(2026, 3, 1), 3) == (date(2026, 2, 27), date(2026, 2, 28), date(2026, 3, 1))
