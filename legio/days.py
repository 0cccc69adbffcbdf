"""The owner's days: when today began, and yesterday, where he lives. Pure; which zone that is `zones` knows.

A day is 23 to 25 hours long, so none is found by counting hours.
"""

from datetime import date, datetime, time, timedelta
from zoneinfo import ZoneInfo


def day_of(now: datetime, zone: ZoneInfo) -> date:
    """Which day `now` lies in."""
    return now.astimezone(zone).date()


def beginning(day: date, zone: ZoneInfo) -> datetime:
    """The moment at which `day` begins."""
    return datetime.combine(day, time.min, zone)


def week_of(day: date) -> date:
    """The Monday of its week."""
    return day - timedelta(days=day.weekday())


def month_of(day: date) -> date:
    """The first of its month."""
    return day.replace(day=1)


def last_days(day: date, count: int) -> tuple[date, ...]:
    """So many days up to `day`, oldest first."""
    return tuple(day - timedelta(days=back) for back in reversed(range(count)))
