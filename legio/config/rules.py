"""What a value may be: each rule turns what the file or a variable holds into the value meant, or says no.

A rule knows nothing of keys, files or the environment: a refusal is a `Wrong` value, and whoever asked knows
where the value stood.
"""

import re
from dataclasses import dataclass
from typing import Protocol

from legio.config.secrets import looks_secret
from legio.zones import zone_of

SHOWN_CHARACTERS = 60
NUMBER = re.compile(r"[+-]?[0-9]{1,18}(\.[0-9]{1,18})?")
_CONTROLS = re.compile("[\\x00-\\x1f\\x7f-\\x9f\\u2028\\u2029\\ud800-\\udfff]")
"""Half of a sign is among them: YAML and JSON can write one, and no file or message can hold it."""
SWITCHED = {"true": True, "false": False}
WHOLE = re.compile(r"[+-]?[0-9]{1,18}")


@dataclass(frozen=True, slots=True)
class Wrong:
    """A refusal: what is wrong, and what to do."""

    what: str
    remedy: str


class Rule(Protocol):
    """One kind of value."""

    @property
    def name(self) -> str:
        """What is expected, in words that follow "expected is"."""

    def read(self, raw: object) -> object:
        """The value meant by `raw`, which is as TOML gave it, or `Wrong`."""


def found(raw: object) -> str:
    """A short description of a value that cannot be used; never a secret's text."""
    match raw:
        case bool():
            return str(raw).lower()
        case str() if looks_secret(raw):
            return "a secret"
        case str():
            return f"the text {shortened(raw)}"
        case int() | float():
            return f"the number {raw}"
        case list():
            return "a list"
        case dict():
            return "a table"
        case _:
            return f"a {type(raw).__name__}"


def shortened(text: str) -> str:
    """`text` in quotes and on one line, cut where it is long."""
    cut = text if len(text) <= SHOWN_CHARACTERS else text[:SHOWN_CHARACTERS] + "…"
    return (
        '"' + cut.encode("unicode_escape", "replace").decode() + '"' if not cut.isprintable() else f'"{cut}"'
    )


def of_text(rule: Rule, text: str) -> object:
    """What the file would hold where a variable says `text`; a text that is no number stays one."""
    match rule:
        case Whole() if WHOLE.fullmatch(text.strip()):
            return int(text)
        case Number() if NUMBER.fullmatch(text.strip()):
            return float(text)
        case Switch() if text.strip().lower() in SWITCHED:
            return SWITCHED[text.strip().lower()]
        case _:
            return text


def one_line(text: str) -> bool:
    """Whether a text has neither a line's end nor any other control character."""
    return _CONTROLS.search(text) is None


def unexpected(rule: Rule, raw: object) -> Wrong:
    """The refusal that says what was found and what is expected."""
    return Wrong(f"found {found(raw)}.", f"Expected is {rule.name}.")


@dataclass(frozen=True, slots=True)
class Whole:
    """A whole number from `low` to `high`, both included."""

    low: int
    high: int

    @property
    def name(self) -> str:
        """Its range."""
        return f"a whole number from {self.low} to {self.high}"

    def read(self, raw: object) -> int | Wrong:
        """The number within its range; true and false are no numbers."""
        if isinstance(raw, int) and not isinstance(raw, bool) and self.low <= raw <= self.high:
            return raw
        if isinstance(raw, str) and WHOLE.fullmatch(raw.strip()):
            return Wrong(f"found {found(raw)}.", f"Write it without quotes: {raw.strip()}.")
        return unexpected(self, raw)


@dataclass(frozen=True, slots=True)
class Number:
    """A number above 0 and at most `high`, whole or not; with `off`, 0 too."""

    high: int
    off: bool = False

    @property
    def name(self) -> str:
        """Its range."""
        return f"a number from 0 to {self.high}" if self.off else f"a number above 0, at most {self.high}"

    def read(self, raw: object) -> float | Wrong:
        """The number within its range; "nan" is in none."""
        if not isinstance(raw, int | float) or isinstance(raw, bool):
            return unexpected(self, raw)
        return float(raw) if 0 < raw <= self.high or (self.off and raw == 0) else unexpected(self, raw)


@dataclass(frozen=True, slots=True)
class Text:
    """A text on one line, of 1 to `longest` characters."""

    longest: int = 200

    @property
    def name(self) -> str:
        """What it is."""
        return f"a text of 1 to {self.longest} characters on one line"

    def read(self, raw: object) -> str | Wrong:
        """The text without space around it."""
        if isinstance(raw, str) and raw.strip() and one_line(raw.strip()):
            length = len(raw.strip())
            long = Wrong(f"found {length} characters.", f"Expected is {self.name}.")
            return raw.strip() if length <= self.longest else long
        return unexpected(self, raw)


@dataclass(frozen=True, slots=True)
class Zone:
    """The name of a time zone."""

    @property
    def name(self) -> str:
        """What it is."""
        return 'a time zone such as "Europe/Zurich"'

    def read(self, raw: object) -> str | Wrong:
        """The zone's name, exactly as it is known."""
        return raw if isinstance(raw, str) and zone_of(raw) is not None else unexpected(self, raw)


@dataclass(frozen=True, slots=True)
class Choice:
    """One of a few words."""

    options: tuple[str, ...]

    @property
    def name(self) -> str:
        """The words."""
        return "one of " + ", ".join(f'"{option}"' for option in self.options)

    def read(self, raw: object) -> str | Wrong:
        """The word, exactly as it is known."""
        return raw if isinstance(raw, str) and raw in self.options else unexpected(self, raw)


@dataclass(frozen=True, slots=True)
class Switch:
    """Yes or no."""

    @property
    def name(self) -> str:
        """The two words, without quotes."""
        return "true or false"

    def read(self, raw: object) -> bool | Wrong:
        """The truth."""
        return raw if isinstance(raw, bool) else unexpected(self, raw)
