"""When a rule comes again.

What recurs on days goes by the wall clock of its zone, what recurs after a span of minutes or hours by the
time that has passed. Pure.
"""

from collections.abc import Iterator
from datetime import datetime, timedelta
from itertools import islice, takewhile
from zoneinfo import ZoneInfo

from legio.ports import Rule
from legio.zones import instant, local

MOST_COUNTED = 1000
_SPANS = {"MINUTELY": timedelta(minutes=1), "HOURLY": timedelta(hours=1)}
_WINDOW = timedelta(days=3)
"""So far before an instant the days are gone through, as no clock is ever set by more."""


def after(rule: Rule, first: datetime, zone: ZoneInfo, moment: datetime) -> datetime | None:
    """The first instant after `moment`; None when there is none. `first` is where the rule began to count."""
    return next(_instants(rule, first, zone, moment), None)


def count(rule: Rule, first: datetime, zone: ZoneInfo, span: tuple[datetime, datetime]) -> int:
    """How many instants lie after the span's begin and not after its end; at most 1,000 are counted."""
    begin, end = span
    found = takewhile(lambda at: at <= end, _instants(rule, first, zone, begin))
    return sum(1 for _ in islice(found, MOST_COUNTED))


def _instants(rule: Rule, first: datetime, zone: ZoneInfo, moment: datetime) -> Iterator[datetime]:
    parts = dict(part.split("=") for part in rule.rrule.split(";"))
    interval = int(parts.get("INTERVAL", "1"))
    if span := _SPANS.get(parts["FREQ"]):
        yield from _spans(span * interval, first, moment)
    else:
        begin = local(first, zone) if interval > 1 else local(moment, zone) - _WINDOW
        yield from _days(rule.rrule, begin.replace(hour=0, minute=0, second=0, microsecond=0), zone, moment)


def _spans(span: timedelta, first: datetime, moment: datetime) -> Iterator[datetime]:
    at = first if moment < first else first + ((moment - first) // span + 1) * span
    while True:
        yield at
        at += span


def _days(rrule: str, begin: datetime, zone: ZoneInfo, moment: datetime) -> Iterator[datetime]:
    from dateutil.rrule import rrulestr  # late: who has nothing standing needs none of it

    last = moment
    for wall in rrulestr(rrule, dtstart=begin):
        at = instant(wall, zone)
        if at > last:  # two days may fall on one instant, where the clock is set forward over both
            yield at
            last = at
