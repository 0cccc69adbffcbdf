"""What waits for Caesar's thumb: choices that are his alone, used once, and gone when they expire.

A button carries a token and the number of a choice. After a restart, a press or its time the token is
unknown, and the button says so instead of doing anything. A question that ends without a press is told to
whoever listens, so that its card can say so.
"""

import secrets
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from legio.errors import Refused
from legio.ports import Button, Clock

PREFIX = "choice"
MOST_OPEN = 200
DEFAULT_SECONDS = 600.0
LOOK_SECONDS = 5.0
"""How often it is looked for questions that have expired."""

EXPIRED = "This has expired: nothing was done."
FORGOTTEN = "Too much waits for you at once, so this is not asked any more: nothing was done."
DEAD = "this button is dead: it was used, or Legio was restarted."


@dataclass(frozen=True, slots=True)
class Choice:
    """A label, and what happens when it is pressed; the sentence returned is written on the card.

    What is `grave` cannot be taken back: where there is a seal, the thumb alone does not do it.
    """

    label: str
    act: Callable[[], Awaitable[str]]
    grave: bool = False


class Seal(Protocol):
    """What a grave choice needs beside the thumb."""

    def ask(self, choice: Choice) -> str:
        """1. Keeps the choice, to act once it is confirmed; returns what Caesar has to do for that."""


@dataclass(frozen=True, slots=True)
class _Open:
    choices: tuple[Choice, ...]
    expires: float
    expired: str = EXPIRED


class Decisions:
    """The open questions to Caesar, in memory: at most 200, the oldest forgotten first.

    `seal` is set by whoever builds both, where there is one.
    """

    seal: Seal | None = None

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._open: dict[str, _Open] = {}
        self._listener: Callable[[str, str], None] = lambda _token, _said: None

    def listen(self, listener: Callable[[str, str], None]) -> None:
        """Tell `listener` the token of every question that ends without a press, and why it does."""
        self._listener = listener

    def offer(
        self, choices: Sequence[Choice], *, seconds: float = DEFAULT_SECONDS, expired: str = EXPIRED
    ) -> tuple[Button, ...]:
        """Buttons for `choices`, good for one press within `seconds`; then their card says `expired`."""
        while len(self._open) >= MOST_OPEN:
            self._end(next(iter(self._open)), FORGOTTEN)
        token = secrets.token_urlsafe(9)
        self._open[token] = _Open(tuple(choices), self._clock.monotonic() + seconds, expired)
        return tuple(
            Button(choice.label, f"{PREFIX}:{token}:{number}") for number, choice in enumerate(choices)
        )

    def is_open(self, token: str) -> bool:
        """Whether a press would still do something."""
        return token in self._open

    def withdraw(self, buttons: Sequence[Button], said: str) -> None:
        """End a question that nobody waits for any more; nothing, if it has ended."""
        token = token_of(buttons[0].data) if buttons else None
        if token is not None and token in self._open:
            self._end(token, said)

    async def press(self, data: str) -> str:
        """Do what the button says and return the card's last words; raises `Refused` for a dead button."""
        match data.split(":"):
            case [prefix, token, number] if prefix == PREFIX and number.isdecimal():
                question = self._open.pop(token, None)
            case _:
                raise Refused("this button is not one of Legio's.")
        if question is None or int(number) >= len(question.choices):
            raise Refused(DEAD, remedy="Ask again.")
        if self._clock.monotonic() > question.expires:
            raise Refused("this button has expired: nothing was done.", remedy="Ask again.")
        choice = question.choices[int(number)]
        if choice.grave and self.seal is not None:
            return self.seal.ask(choice)
        return await choice.act()

    async def expire(self) -> None:
        """End what has expired, for ever: the body of a guarded task."""
        while True:
            await self._clock.sleep(LOOK_SECONDS)
            now = self._clock.monotonic()
            for token, question in list(self._open.items()):
                if now > question.expires:
                    self._end(token, question.expired)

    def _end(self, token: str, said: str) -> None:
        del self._open[token]
        self._listener(token, said)


def token_of(data: str) -> str | None:
    """The token that a button's data carries; None where it is no button of a decision."""
    prefix, _, rest = data.partition(":")
    return rest.rpartition(":")[0] or None if prefix == PREFIX else None
