"""What comes again and again, as people write it: "every Monday", "every 2 hours", "every month on the 1st".

The time of day is read elsewhere. Pure.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta

from legio.standing.dates import ORDINAL
from legio.standing.reader import (
    MONTH,
    MONTHS,
    NUMBER,
    WEEKDAY,
    WEEKDAYS,
    NotUnderstood,
    Reader,
    month,
    number,
    weekday,
)
from legio.standing.times import PART

_UNIT = r"(?P<unit>minute|min|hour|hr|h|day|week|month|year)s?\b"
_ONE_WORD = {"hourly": "hour", "daily": "day", "weekly": "week", "monthly": "month", "yearly": "year"}
_FREQUENCIES = {"day": "DAILY", "week": "WEEKLY", "month": "MONTHLY", "year": "YEARLY"}
_MINUTES = {"min": 1, "minute": 1, "h": 60, "hr": 60, "hour": 60}
_NTH = ("first", "second", "third", "fourth", "last")
_WORKING = (0, 1, 2, 3, 4)
_ALWAYS = 28
"""The last day that every month has."""


@dataclass(frozen=True, slots=True)
class Recurrence:
    """How often. `by` is the part of an RRULE that says on which days, `words` all of it in words.

    What recurs after a span of `elapsed` time has no day and no time of day.
    """

    frequency: str
    words: str
    by: str = ""
    interval: int = 1
    part: str = ""
    elapsed: timedelta | None = None


def recurrence(reader: Reader, today: date) -> Recurrence | None:
    """The recurrence that stands here."""
    return reader.attempt(_recurrence, today)


def _recurrence(reader: Reader, today: date) -> Recurrence | None:
    if match := reader.take(rf"(?P<word>{'|'.join(_ONE_WORD)})\b"):
        return _of_units(reader, 1, _ONE_WORD[match["word"].lower()], today)
    if not reader.take(r"(?:every|each)\b"):
        return None
    readers: tuple[Callable[[Reader, date], Recurrence | None], ...] = (
        _of_the_month,
        _units,
        _weekly,
        _parts,
        _yearly,
    )
    for read in readers:
        found = reader.attempt(read, today)
        if found is not None:
            return found
    raise NotUnderstood("it is not clear how often.")


# --- units --------------------------------------------------------------------------------------------


def _units(reader: Reader, today: date) -> Recurrence | None:
    match = reader.take(rf"(?:(?P<count>other|second|{NUMBER})(?:st|nd|rd|th)?\s*)?{_UNIT}")
    if match is None:
        return None
    return _of_units(reader, _count(match["count"]), match["unit"].lower(), today)


def _count(word: str | None) -> int:
    if word is None:
        return 1
    count = 2 if word.lower() in ("other", "second") else number(word)
    if count < 1:
        raise NotUnderstood("it cannot come that often.")
    return count


def _of_units(reader: Reader, count: int, unit: str, today: date) -> Recurrence:
    if unit in _MINUTES:
        name = "minute" if _MINUTES[unit] == 1 else "hour"
        words = f"every {name}" if count == 1 else f"every {count} {name}s"
        elapsed = timedelta(minutes=count * _MINUTES[unit])
        return Recurrence("MINUTELY" if name == "minute" else "HOURLY", words, "", count, elapsed=elapsed)
    words = f"every {unit}" if count == 1 else f"every {count} {unit}s"
    by, on = _days_of(reader, unit, today)
    return Recurrence(_FREQUENCIES[unit], f"{words}{on}", by, count)


def _days_of(reader: Reader, unit: str, today: date) -> tuple[str, str]:
    """On which days of its week, month or year: those that are named, else today's."""
    match unit:
        case "week":
            days = _days(reader) or (today.weekday(),)
            return _by_day(days), f" on {_listed([WEEKDAYS[day] for day in days])}"
        case "month":
            return reader.attempt(_month_days) or _by_month_days([today.day])
        case "year":
            return reader.attempt(_year_day) or _by_year_day(today.day, today.month)
        case _:
            return "", ""


# --- weeks --------------------------------------------------------------------------------------------


def _weekly(reader: Reader, _: date) -> Recurrence | None:
    if reader.take(r"(?:week|work(?:ing)?[\s-]?)days?\b"):
        return Recurrence("WEEKLY", "every weekday", _by_day(_WORKING))
    if reader.take(r"week-?ends?\b"):
        return Recurrence("WEEKLY", "every Saturday and Sunday", _by_day((5, 6)))
    other = reader.take(r"(?:other|second|2nd)\b") is not None
    days = _days(reader)
    if not days:
        return None
    part = reader.take(PART)
    words = _listed([WEEKDAYS[day] for day in days])
    return Recurrence(
        "WEEKLY",
        f"every other {words}" if other else f"every {words}",
        _by_day(days),
        2 if other else 1,
        part["part"].lower() if part else "",
    )


def _days(reader: Reader) -> tuple[int, ...]:
    """The weekdays named here, in the order of the week."""
    days: set[int] = set()
    joint = r"(?:on\b\s*)?"
    while match := reader.take(rf"{joint}{WEEKDAY}"):
        first = weekday(match["weekday"])
        last = reader.take(rf"(?:-|–|to\b|through\b)\s*{WEEKDAY}")
        span = (weekday(last["weekday"]) - first) % 7 if last else 0
        days |= {(first + index) % 7 for index in range(span + 1)}
        joint = r"(?:(?:,\s*and|,|and|&)\s*)"
    return tuple(sorted(days))


def _parts(reader: Reader, _: date) -> Recurrence | None:
    match = reader.take(PART)
    return Recurrence("DAILY", "every day", part=match["part"].lower()) if match else None


def _by_day(days: tuple[int, ...]) -> str:
    return "BYDAY=" + ",".join(_two_letters(day) for day in days)


def _two_letters(day: int) -> str:
    return WEEKDAYS[day][:2].upper()


# --- months and years ---------------------------------------------------------------------------------


def _of_the_month(reader: Reader, _: date) -> Recurrence | None:
    """Days of each month: "every 1st and 15th of the month", "every last Friday of the month"."""
    found = _month_days(reader)
    if found is None:
        return None
    said = reader.take(r"(?:day\s+)?(?:of|in)\s+(?:the|a|each|every)\s+month\b|of\s+months?\b")
    if said is None and (
        not reader.text[: reader.position].rstrip().lower().endswith(("st", "nd", "rd", "th"))
    ):
        return None
    if said is None and (reader.take(_UNIT) or reader.take(rf"(?:of\s+)?{MONTH}") or reader.take(WEEKDAY)):
        return None
    return Recurrence("MONTHLY", f"every month{found[1]}", found[0])


def _month_days(reader: Reader) -> tuple[str, str] | None:
    reader.take(r"on\b")
    reader.take(r"the\b")
    if match := reader.take(rf"(?P<nth>{'|'.join(_NTH)}|[1-4](?:st|nd|rd|th))\s+{WEEKDAY}"):
        nth, day = _nth(match["nth"].lower()), weekday(match["weekday"])
        place = -1 if nth == "last" else _NTH.index(nth) + 1
        return f"BYDAY={place:+}{_two_letters(day)}", f" on the {nth} {WEEKDAYS[day]}"
    if reader.take(r"last\s+day\b"):
        return "BYMONTHDAY=-1", " on the last day"
    days = []
    pattern = r"(?:day\s+(?P<plain>\d{1,2})\b|(?P<day>\d{1,2})(?:st|nd|rd|th)\b|(?P<first>first)\b)(?!:)"
    while match := reader.take(pattern):
        days.append(1 if match["first"] else int(match["day"] or match["plain"]))
        pattern = r"(?:,|and\b|&)\s*(?:the\s+)?(?P<day>\d{1,2})(?:st|nd|rd|th)\b(?P<plain>)(?P<first>)"
    return _by_month_days(sorted(set(days))) if days else None


def _nth(word: str) -> str:
    return _NTH[int(word[0]) - 1] if word[0].isdecimal() else word


def _by_month_days(days: list[int]) -> tuple[str, str]:
    if not all(1 <= day <= 31 for day in days):
        raise NotUnderstood(f"no month has a day {max(days)}.")
    if days[-1] <= _ALWAYS:
        return f"BYMONTHDAY={_joined(days)}", f" on the {_listed([_ordinal(day) for day in days])}"
    if len(days) > 1:
        raise NotUnderstood("a day that not every month has needs a schedule of its own.")
    return _up_to(days[0]), f" on the {_ordinal(days[0])}, or the last day before it"


def _yearly(reader: Reader, _: date) -> Recurrence | None:
    found = _year_day(reader)
    return Recurrence("YEARLY", f"every year{found[1]}", found[0]) if found else None


def _year_day(reader: Reader) -> tuple[str, str] | None:
    reader.take(r"on\b")
    match = reader.take(rf"(?:the\s+)?{ORDINAL}\.?\s+(?:of\s+)?{MONTH}") or reader.take(
        rf"{MONTH}\s+(?:the\s+)?{ORDINAL}"
    )
    return _by_year_day(int(match["day"]), month(match["month"])) if match else None


def _by_year_day(day: int, its_month: int) -> tuple[str, str]:
    try:
        date(2024, its_month, day)  # a year with all days
    except ValueError as error:
        raise NotUnderstood(f"{MONTHS[its_month - 1]} has no day {day}.") from error
    days = _up_to(day) if (day, its_month) == (29, 2) else f"BYMONTHDAY={day}"
    return f"BYMONTH={its_month};{days}", f" on {day} {MONTHS[its_month - 1]}"


def _up_to(day: int) -> str:
    """The last of the days that a month has up to `day`, from the one on that every month has."""
    return f"BYMONTHDAY={_joined(range(_ALWAYS, day + 1))};BYSETPOS=-1"


def _joined(days: list[int] | range) -> str:
    return ",".join(str(day) for day in days)


def _ordinal(day: int) -> str:
    ending = "th" if 11 <= day <= 13 else {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")
    return f"{day}{ending}"


def _listed(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
