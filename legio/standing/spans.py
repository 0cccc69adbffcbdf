"""An instant that is so far from now, as people write it: "in 20 minutes", "in 3 days at nine". Pure."""

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

from legio.standing.dates import months_later
from legio.standing.reader import NUMBER, NotUnderstood, Reader, number
from legio.standing.times import time_of_day
from legio.zones import instant, local

FARTHEST = timedelta(days=3653)
"""Nothing is set up for later than that."""

_MOST_SPANS = 5
_SECONDS = {"s": 1, "m": 60, "h": 3600}
_SPAN = (
    rf"(?P<count>\d{{1,4}}(?:\.\d)?|half|an?|{NUMBER})\s*(?:an?\s+)?"
    r"(?P<unit>seconds?|secs?|s|minutes?|mins?|m|hours?|hrs?|h|days?|d|weeks?|w|months?|years?|y)(?![a-z])"
)


@dataclass(frozen=True, slots=True)
class Moment:
    """Now, aware and in UTC, and the zone of whoever writes."""

    now: datetime
    zone: ZoneInfo

    @property
    def wall(self) -> datetime:
        """What the clock on the wall shows."""
        return local(self.now, self.zone)

    @property
    def today(self) -> date:
        """The day there."""
        return self.wall.date()


def span(reader: Reader, moment: Moment) -> datetime | None:
    """The instant that far from now."""
    if not reader.take(r"in\b"):
        return None
    elapsed, day, spans = timedelta(), moment.today, 0
    while spans < _MOST_SPANS and (match := reader.take(_SPAN)):
        spans += 1
        many = _amount(match["count"]) + (0.5 if reader.take(r"and\s+a\s+half\b") else 0)
        unit = match["unit"].lower()
        elapsed, day = _later(elapsed, day, many, unit)
        if unit[0] == "h" and (minutes := reader.take(r"(?P<minutes>\d\d)(?![\w:])")):
            elapsed += timedelta(minutes=int(minutes["minutes"]))
        reader.take(r"(?:,|and)\s*(?=\d|an?\b|half\b)")
    if not spans:
        return None
    named = time_of_day(reader) if not elapsed else None
    wall = datetime.combine(day, named or moment.wall.time())
    begin = moment.now if wall == moment.wall else instant(wall, moment.zone)
    return begin + elapsed


def _later(elapsed: timedelta, day: date, many: float, unit: str) -> tuple[timedelta, date]:
    """Hours and less are passed, days and more are counted in the calendar."""
    if not unit.startswith("mo") and unit[0] in _SECONDS:
        return elapsed + timedelta(seconds=many * _SECONDS[unit[0]]), day
    if many != int(many):
        raise NotUnderstood("half of that is no whole number of days.")
    if many * {"d": 1, "w": 7, "m": 28, "y": 365}[unit[0]] > FARTHEST.days:
        raise NotUnderstood("that is more than ten years away.")
    if unit[0] in "dw":
        return elapsed, day + timedelta(days=int(many) * (7 if unit[0] == "w" else 1))
    return elapsed, months_later(day, int(many) * (12 if unit[0] == "y" else 1))


def _amount(word: str) -> float:
    match word.lower():
        case "half":
            return 0.5
        case "a" | "an":
            return 1
        case digits if digits[0].isdecimal():
            return float(digits)
        case name:
            return number(name)
