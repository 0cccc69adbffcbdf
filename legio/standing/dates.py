"""The day, as people write it: "tomorrow", "next Monday", "24 December", "2026-12-24". Pure.

A day without its year, or a weekday, is the next one that fits; whether its time has passed is asked where
day and time are known.
"""

import calendar
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, time, timedelta

from legio.standing.reader import MONTH, MONTHS, WEEKDAY, WEEKDAYS, NotUnderstood, Reader, month, weekday
from legio.standing.times import PART, PARTS

TONIGHT = time(20)
ORDINAL = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?(?!\w)"
_WEEK = timedelta(days=7)
_YEARS = (1900, 2999)
"""Calendars and zones are sure of these."""


@dataclass(frozen=True, slots=True)
class Day:
    """A day that was named, and the part of it; `usual` is the time that it stands for alone.

    `later` is the day meant where the time on this one has passed; None where no other can be.
    """

    day: date
    part: str = ""
    usual: time | None = None
    later: date | None = None


def named_day(reader: Reader, today: date) -> Day | None:
    """The day that stands here."""
    return reader.attempt(_day, today)


def _day(reader: Reader, today: date) -> Day | None:
    reader.take(r"on\b")
    readers: tuple[Callable[[Reader, date], Day | None], ...] = (_near, _weekday, _dated)
    for read in readers:
        found = read(reader, today)
        if found is not None:
            return found
    return None


def _near(reader: Reader, today: date) -> Day | None:
    if reader.take(r"tonight\b"):
        return Day(today, "night", TONIGHT)
    if match := reader.take(rf"this\s+{PART}"):
        return _with_part(today, match["part"])
    if reader.take(r"(?:the\s+)?day\s+after\s+tomorrow\b"):
        return _perhaps_part(reader, today + timedelta(days=2))
    if match := reader.take(r"(?P<word>today|tomorrow)\b"):
        return _perhaps_part(reader, today + timedelta(days=match["word"].lower() == "tomorrow"))
    if match := reader.take(r"next\s+(?P<unit>week|month|year)\b"):
        return Day(_next(match["unit"].lower(), today))
    return None


def _weekday(reader: Reader, today: date) -> Day | None:
    match = reader.take(rf"(?P<next>next\s+|this\s+|coming\s+)?{WEEKDAY}")
    if match is None:
        return None
    named = weekday(match["weekday"])
    reader.take(r",")
    if (dated := reader.attempt(_dated, today)) is not None:
        if dated.day.weekday() != named:
            raise NotUnderstood(f"{_written(dated.day)} is a {WEEKDAYS[dated.day.weekday()]}.")
        return dated
    day = today + timedelta(days=(named - today.weekday()) % 7)
    if day == today and (match["next"] or "").lower().startswith("next"):
        day += _WEEK
    found = _perhaps_part(reader, day)
    return Day(day, found.part, found.usual, day + _WEEK)


def _dated(reader: Reader, today: date) -> Day | None:
    if match := reader.take(r"(?P<year>\d{4})-(?P<month>\d\d)-(?P<day>\d\d)(?!\d)"):
        return _perhaps_part(reader, _date(int(match["year"]), int(match["month"]), int(match["day"])))
    year = r"(?:,?\s*(?P<year>2\d{3})(?![\w:]))?"
    for pattern in (
        rf"(?:the\s+)?{ORDINAL}\.?\s+(?:of\s+)?{MONTH}{year}",
        rf"{MONTH}\s+(?:the\s+)?{ORDINAL}{year}",
    ):
        if match := reader.take(pattern):
            return _of_the_year(reader, int(match["day"]), month(match["month"]), match["year"], today)
    if match := reader.take(r"(?P<day>\d{1,2})\.(?P<month>\d{1,2})\.(?P<year>\d{4})?(?!\d)"):
        return _of_the_year(reader, int(match["day"]), int(match["month"]), match["year"], today)
    if match := reader.take(r"(?P<one>\d{1,2})/(?P<other>\d{1,2})(?:/(?P<year>\d{4}))?(?![\d/])"):
        day, its_month = _unmistakable(int(match["one"]), int(match["other"]))
        return _of_the_year(reader, day, its_month, match["year"], today)
    if match := reader.take(r"(?:the\s+)?(?P<day>\d{1,2})(?:st|nd|rd|th)\b"):
        return _perhaps_part(reader, _next_of_months(int(match["day"]), today))
    return None


def _of_the_year(reader: Reader, day: int, its_month: int, year: str | None, today: date) -> Day:
    if year:
        return _perhaps_part(reader, _date(int(year), its_month, day))
    first, second = [_date(each, its_month, day) for each in _years_with(day, its_month, today.year)]
    if first < today:
        return _perhaps_part(reader, second)
    found = _perhaps_part(reader, first)
    return Day(first, found.part, found.usual, second)


def _years_with(day: int, its_month: int, year: int) -> tuple[int, int]:
    """The first two years from `year` on that have that day."""
    if (day, its_month) != (29, 2):
        return year, year + 1
    leap = [each for each in range(year, year + 17) if calendar.isleap(each)]
    return leap[0], leap[1]


def _next_of_months(day: int, today: date) -> date:
    for months in range(24):
        year, its_month = divmod(today.year * 12 + today.month - 1 + months, 12)
        if day <= calendar.monthrange(year, its_month + 1)[1]:
            found = _date(year, its_month + 1, day)
            if found > today:
                return found
    raise NotUnderstood(f"no month has a day {day}.")


def _unmistakable(one: int, other: int) -> tuple[int, int]:
    if one <= 12 and other <= 12 and one != other:
        raise NotUnderstood(f"{one}/{other} may be two days, as people write it.")
    return (one, other) if other <= 12 else (other, one)


def _perhaps_part(reader: Reader, day: date) -> Day:
    match = reader.take(rf"(?:in\s+the\s+)?{PART}")
    return _with_part(day, match["part"]) if match else Day(day)


def _with_part(day: date, part: str) -> Day:
    return Day(day, part.lower(), PARTS[part.lower()])


def _next(unit: str, today: date) -> date:
    if unit == "week":
        return today + _WEEK
    return months_later(today, 1 if unit == "month" else 12)


def months_later(day: date, months: int) -> date:
    """The same day so many months later, or the last of that month."""
    year, index = divmod(day.year * 12 + day.month - 1 + months, 12)
    return _date(year, index + 1, min(day.day, calendar.monthrange(year, index + 1)[1]))


def _date(year: int, its_month: int, day: int) -> date:
    if not _YEARS[0] <= year <= _YEARS[1]:
        raise NotUnderstood(f"the year {year} is too far away.")
    try:
        return date(year, its_month, day)
    except ValueError as error:
        raise NotUnderstood(f"there is no day {year}-{its_month:02}-{day:02}.") from error


def _written(day: date) -> str:
    return f"{day.day} {MONTHS[day.month - 1]} {day.year}"
