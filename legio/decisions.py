"""What waits for Caesar's thumb: choices that are his alone, used once, and gone when they expire.

A button carries a token and the number of a choice. After a restart, a press or its time the token is
unknown, and the button says so instead of doing anything.
"""

import secrets
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from legio.errors import Refused
from legio.ports import Button, Clock

PREFIX = "choice"
MOST_OPEN = 200
DEFAULT_SECONDS = 600.0


@dataclass(frozen=True, slots=True)
class Choice:
    """A label, and what happens when it is pressed; the sentence returned is written on the card."""

    label: str
    act: Callable[[], Awaitable[str]]


@dataclass(frozen=True, slots=True)
class _Open:
    choices: tuple[Choice, ...]
    expires: float


class Decisions:
    """The open questions to Caesar, in memory: at most 200, the oldest forgotten first."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._open: dict[str, _Open] = {}

    def offer(self, choices: Sequence[Choice], *, seconds: float = DEFAULT_SECONDS) -> tuple[Button, ...]:
        """Buttons for `choices`, good for one press within `seconds`."""
        while len(self._open) >= MOST_OPEN:
            del self._open[next(iter(self._open))]
        token = secrets.token_urlsafe(9)
        self._open[token] = _Open(tuple(choices), self._clock.monotonic() + seconds)
        return tuple(
            Button(choice.label, f"{PREFIX}:{token}:{number}") for number, choice in enumerate(choices)
        )

    async def press(self, data: str) -> str:
        """Do what the button says and return the card's last words; raises `Refused` for a dead button."""
        match data.split(":"):
            case [prefix, token, number] if prefix == PREFIX and number.isdecimal():
                question = self._open.pop(token, None)
            case _:
                raise Refused("this button is not one of Legio's.")
        if question is None or int(number) >= len(question.choices):
            raise Refused("this button is dead: it was used, or Legio was restarted.", remedy="Ask again.")
        if self._clock.monotonic() > question.expires:
            raise Refused("this button has expired: nothing was done.", remedy="Ask again.")
        return await question.choices[int(number)].act()
