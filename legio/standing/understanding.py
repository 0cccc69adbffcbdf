"""What people write, as an instant and a rule: "tomorrow at nine call Livia", "every Monday 8:00 …". Pure.

It is a grammar of its own: where the time ends and the text begins has to be known exactly, and whatever was
understood is said back in full.
"""

import re
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

from legio.ports import Rule
from legio.standing.dates import Day, named_day
from legio.standing.occurrences import after
from legio.standing.reader import MONTHS, WEEKDAYS, NotUnderstood, Reader
from legio.standing.recurrences import Recurrence, recurrence
from legio.standing.spans import FARTHEST, Moment, span
from legio.standing.times import PARTS, USUAL, time_of_day
from legio.zones import instant, local

SHORTEST = timedelta(minutes=5)
"""Nothing comes more often."""
WORDS_BEHIND = 12
"""The time may stand behind the text, in at most so many words."""


@dataclass(frozen=True, slots=True)
class When:
    """The next instant, aware and in UTC, and the rule by which it comes again."""

    due: datetime
    rule: Rule | None = None


def when(text: str, moment: Moment) -> When:
    """The instant that is the whole of `text`. Raises `NotUnderstood`."""
    reader = Reader(text)
    found = _when(reader, moment)
    if found is None or reader.rest.strip(" .!"):
        raise NotUnderstood(f"“{text.strip()}” is no time that is understood.")
    return found


def when_and_text(text: str, moment: Moment) -> tuple[When, str]:
    """The instant that stands before the rest of `text`, or behind it; and the rest, which may be empty.

    Raises `NotUnderstood`.
    """
    reader = Reader(text)
    found = _when(reader, moment)
    if found is not None:
        return _with_time_behind(text, reader.position, moment) or (found, _trimmed(reader.rest))
    starts = [match.start() for match in re.finditer(r"(?<=\s)\S", text)]
    for start in starts[-WORDS_BEHIND:]:
        if (last := _whole(text, start, moment)) is not None:
            return last, _trimmed(text[:start])
    raise NotUnderstood("the time is not understood.")


def said(found: When, zone: ZoneInfo) -> str:
    """What was understood, in full: "Monday 23 November 2026 08:00 Europe/Zurich, then every Monday"."""
    once = written(found.due, zone)
    return f"{once}, then {found.rule.words}" if found.rule else once


def written(at: datetime, zone: ZoneInfo) -> str:
    """An instant as the wall clock and the calendar show it, with the zone."""
    wall = local(at, zone)
    day = f"{WEEKDAYS[wall.weekday()]} {wall.day} {MONTHS[wall.month - 1]} {wall.year}"
    return f"{day} {wall:%H:%M} {zone.key}"


def _whole(text: str, start: int, moment: Moment) -> When | None:
    """The instant that all of `text` from `start` on names; raises `NotUnderstood` when that cannot be."""
    reader = Reader(text, start)
    try:
        found = _read(reader, moment)
    except NotUnderstood:
        return None  # it may still begin further behind
    return None if found is None or reader.rest.strip(" .!") else _possible(found, moment)


def _with_time_behind(text: str, end: int, moment: Moment) -> tuple[When, str] | None:
    """The day before the text, which ends at `end`, and its time behind it: "tomorrow call Livia at nine"."""
    behind = [end + match.start() for match in re.finditer(r"(?<=\s)at\s", text[end:], re.IGNORECASE)]
    if not behind:
        return None
    found = _whole(f"{text[:end]} {text[behind[-1] :]}", 0, moment)
    return None if found is None else (found, _trimmed(text[end : behind[-1]]))


def _trimmed(text: str) -> str:
    return text.strip(" \t\n,:;–—-")


def _when(reader: Reader, moment: Moment) -> When | None:
    found = _read(reader, moment)
    return None if found is None else _possible(found, moment)


def _read(reader: Reader, moment: Moment) -> When | None:
    for read in (_recurring, _absolute, _after, _named):
        found = reader.attempt(read, moment)
        if found is not None:
            reader.take(re.escape(moment.zone.key))
            return found
    return None


def _possible(found: When, moment: Moment) -> When:
    if found.due <= moment.now:
        raise NotUnderstood(
            f"{written(found.due, moment.zone)} has passed: it is {written(moment.now, moment.zone)}."
        )
    if found.due - moment.now > FARTHEST:
        raise NotUnderstood("that is more than ten years away.")
    return found


# --- again and again ----------------------------------------------------------------------------------


def _recurring(reader: Reader, moment: Moment) -> When | None:
    before = time_of_day(reader)
    found = recurrence(reader, moment.today)
    if found is None:
        return None
    if found.elapsed is not None:
        return _elapsing(found, found.elapsed, moment)
    named = time_of_day(reader, part=found.part) or before
    if named and reader.attempt(lambda reader: reader.take(r"and\b") and time_of_day(reader)):
        raise NotUnderstood("each schedule has one time of the day.")
    return _daily(found, named or PARTS.get(found.part, USUAL), moment)


def _elapsing(found: Recurrence, elapsed: timedelta, moment: Moment) -> When:
    if elapsed < SHORTEST:
        raise NotUnderstood("nothing comes more often than every 5 minutes.")
    due = (moment.now + elapsed).replace(second=0, microsecond=0)
    return When(due, Rule(f"FREQ={found.frequency};INTERVAL={found.interval}", found.words))


def _daily(found: Recurrence, at: time, moment: Moment) -> When:
    by = [found.by] if found.by else []
    clock = [f"BYHOUR={at.hour}", f"BYMINUTE={at.minute}", "BYSECOND=0"]
    each = Rule(";".join([f"FREQ={found.frequency}", *by, *clock]), f"{found.words} at {at:%H:%M}")
    due = after(each, moment.now, moment.zone, moment.now)
    if due is None:
        raise NotUnderstood("that day never comes.")
    if found.interval == 1:
        return When(due, each)
    rrule = ";".join([f"FREQ={found.frequency}", f"INTERVAL={found.interval}", *by, *clock])
    return When(due, Rule(rrule, each.words))


# --- once ---------------------------------------------------------------------------------------------


def _absolute(reader: Reader, _: Moment) -> When | None:
    """An instant with its offset, as programs write it."""
    match = reader.take(
        r"(?P<at>\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?(?:Z|[+-]\d\d:?\d\d))(?!\w)"
    )
    if match is None:
        return None
    try:
        return When(datetime.fromisoformat(match["at"].upper()).astimezone(UTC))
    except (ValueError, OverflowError) as error:
        raise NotUnderstood(f"there is no {match['at']}.") from error


def _after(reader: Reader, moment: Moment) -> When | None:
    due = span(reader, moment)
    return None if due is None else When(due)


def _named(reader: Reader, moment: Moment) -> When | None:
    at = time_of_day(reader)
    if at is not None:
        reader.take(r",")
    day = named_day(reader, moment.today)
    if day is not None and at is None:
        reader.take(r",")
        reader.take(r"T(?=\d)")
        at = time_of_day(reader, part=day.part)
    if day is None:
        if at is None:
            return None
        day = Day(moment.today, later=moment.today + timedelta(days=1))
    return _resolved(day, at or day.usual or USUAL, moment)


def _resolved(day: Day, at: time, moment: Moment) -> When:
    due = instant(datetime.combine(day.day, at), moment.zone)
    if due <= moment.now and day.later is not None:
        due = instant(datetime.combine(day.later, at), moment.zone)
    return When(due)
