"""A text read from its beginning, word by word, as far as it is understood. Pure."""

import re
from collections.abc import Callable
from functools import cache
from typing import Concatenate, ParamSpec, TypeVar

from legio.errors import Refused

T = TypeVar("T")
P = ParamSpec("P")

EXAMPLES = (
    'Write it like "in 20 minutes", "tomorrow at nine", "Monday 8:00", "2026-12-24 18:00",'
    ' "every weekday 7:30", "every Monday 8:00", "every 2 hours" or "every month on the 1st 9:00".'
)

_NAMES = (
    *("zero", "one", "two", "three", "four", "five", "six"),
    *("seven", "eight", "nine", "ten", "eleven", "twelve"),
)
NUMBERS = {name: number for number, name in enumerate(_NAMES)}
WORD = "|".join(NUMBERS)
NUMBER = rf"(?:\d{{1,4}}|{WORD})"
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
WEEKDAY = r"(?P<weekday>mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?|sun)(?:days?\b|\b\.?)"
MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
MONTH = (
    r"(?P<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?"
    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b\.?"
)


class NotUnderstood(Refused):
    """What somebody wrote names no instant, or one that cannot be."""

    def __init__(self, what: str) -> None:
        super().__init__(what, remedy=EXAMPLES)


class Reader:
    """Reads `text`; what has been read stands before `position`."""

    def __init__(self, text: str, position: int = 0) -> None:
        self.text = text
        self.position = position
        self.take(r"\s*")

    @property
    def rest(self) -> str:
        """What has not been read."""
        return self.text[self.position :]

    def take(self, pattern: str) -> re.Match[str] | None:
        """Read what `pattern` matches here, with the blanks behind it; None, and nothing is read, if not."""
        match = _compiled(pattern).match(self.text, self.position)
        if match:
            self.position = match.end()
        return match

    def attempt(
        self, read: Callable[Concatenate["Reader", P], T | None], *args: P.args, **kwargs: P.kwargs
    ) -> T | None:
        """What `read` reads; where that is None nothing has been read."""
        before = self.position
        found = read(self, *args, **kwargs)
        if found is None:
            self.position = before
        return found


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"(?:{pattern})\s*", re.IGNORECASE | re.ASCII)


def number(word: str) -> int:
    """The number that a match of `NUMBER` means."""
    return NUMBERS[word.lower()] if word.lower() in NUMBERS else int(word)


def weekday(word: str) -> int:
    """The day of a match of `WEEKDAY`, 0 for Monday."""
    return _beginning(WEEKDAYS, word)


def month(word: str) -> int:
    """The month of a match of `MONTH`, from 1 on."""
    return _beginning(MONTHS, word) + 1


def _beginning(names: tuple[str, ...], word: str) -> int:
    return next(index for index, name in enumerate(names) if name[:3].lower() == word[:3].lower())
