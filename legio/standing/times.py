"""The time of day, as people write it: "8:00", "9 am", "half past nine", "at nine in the evening". Pure."""

import re
from datetime import time

from legio.standing.reader import NUMBER, WORD, NotUnderstood, Reader, number

USUAL = time(9)
"""The time of a day that is named without one."""
PARTS = {"morning": time(9), "afternoon": time(15), "evening": time(19), "night": time(21)}
"""The time that a part of a day stands for when no other is named."""
PART = r"(?P<part>morning|afternoon|evening|night)\b"

_HALF_DAY = r"(?P<half>[ap])\.?\s?m\b\.?"
_PART_BEHIND = r"(?:in\s+the\s+(?P<in>morning|afternoon|evening)|at\s+(?P<at>night))\b"
_BESIDE = {"fifteen": 15, "thirty": 30, "forty-five": 45}
"""Minutes as they are said behind an hour in words."""
_NOON = 12
_LAST_HOUR = 23
_LAST_MINUTE = 59
_SMALL_HOURS = 5
"""At night, an hour up to this one is after midnight."""


def time_of_day(reader: Reader, *, part: str = "") -> time | None:
    """The time that stands here; a bare number is one behind "at" and at the end alone.

    `part` is the part of the day that was named before, so that "tomorrow evening at 8" is at 20:00.
    """
    return reader.attempt(_time, part)


def _time(reader: Reader, part: str) -> time | None:
    at = reader.take(r",?\s*at\b") is not None
    if match := reader.take(r"(?P<name>noon|midday|midnight)\b"):
        return time(0 if match["name"].lower() == "midnight" else _NOON)
    found = _past_or_to(reader) or _with_minutes(reader, dotted=at) or _whole_hour(reader, bare=at)
    if found is None:
        return None
    hour, minute = found
    if half := reader.take(_HALF_DAY):
        return _time_of(_half_day(hour, half["half"].lower()), minute)
    if behind := reader.take(_PART_BEHIND):
        part = (behind["in"] or behind["at"]).lower()
    return _time_of(_in_part(hour, part), minute)


def _past_or_to(reader: Reader) -> tuple[int, int] | None:
    """Minutes after an hour, in words, or before it: then below zero."""

    def read(reader: Reader) -> tuple[int, int] | None:
        pattern = (
            rf"(?P<minutes>half|(?:a\s+)?quarter|(?:{NUMBER}|twenty)(?:\s+minutes?)?)\s+(?P<way>past|to)\b"
        )
        way = reader.take(pattern)
        hour = way and reader.take(rf"(?P<hour>{NUMBER})(?!\w)")
        if not way or not hour:
            return None
        minutes = _minutes(way["minutes"].lower())
        if way["way"].lower() == "past":
            return number(hour["hour"]), minutes
        return number(hour["hour"]), -minutes

    return reader.attempt(read)


def _minutes(words: str) -> int:
    if words == "half":
        return 30
    if words.endswith("quarter"):
        return 15
    first = words.split()[0]
    return 20 if first == "twenty" else number(first)


def _with_minutes(reader: Reader, *, dotted: bool) -> tuple[int, int] | None:
    separator = "[:.h]" if dotted else "[:h]"
    match = reader.take(rf"(?P<hour>\d{{1,2}}){separator}(?P<minute>\d\d)(?::\d\d)?(?![\w:])(?:\s*h(?!\w))?")
    return (int(match["hour"]), int(match["minute"])) if match else None


def _whole_hour(reader: Reader, *, bare: bool) -> tuple[int, int] | None:
    """An hour that its sign, "at" before it or the end behind it tells from any other number."""
    signs = [rf"(?=\s*{_HALF_DAY})", r"\s*(?:h|o['’]?clock)(?!\w)", r"(?=\s*$)"]
    behind = "|".join([*signs, r"(?![\w:.])"] if bare else signs)
    match = reader.take(rf"(?P<hour>\d{{1,2}}|(?:{WORD})\b)(?:{behind})")
    if match is None:
        return None
    minutes = reader.take(rf"(?P<minutes>{'|'.join(_BESIDE)})\b") if match["hour"].isalpha() else None
    return number(match["hour"]), _BESIDE[minutes["minutes"].lower()] if minutes else 0


def _half_day(hour: int, half: str) -> int:
    if not 1 <= hour <= _NOON:
        raise NotUnderstood(f"{hour} {half}m is no time.")
    return hour % _NOON + (_NOON if half == "p" else 0)


def _in_part(hour: int, part: str) -> int:
    """An hour as it is meant in a part of the day: eight in the evening is 20."""
    late = part in ("afternoon", "evening") or (part == "night" and hour > _SMALL_HOURS)
    return hour + _NOON if late and hour < _NOON else hour


def _time_of(hour: int, minute: int) -> time:
    if hour > _LAST_HOUR or minute > _LAST_MINUTE:
        raise NotUnderstood(f"{hour}:{minute:02} is no time.")
    hours, minutes = divmod(hour * 60 + minute, 60)
    return time(hours % 24, minutes)


def clock_time(text: str) -> time | None:
    """The time that is the whole of `text`."""
    reader = Reader(text)
    found = time_of_day(reader)
    return found if found is not None and re.fullmatch(r"\s*", reader.rest) else None
