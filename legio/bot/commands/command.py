"""One command of Caesar's, as a value."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from legio.bot.desk import Call, Reply


@dataclass(frozen=True, slots=True)
class Command:
    """One command: how it is written, what it is for, and what it does when it is called.

    `hasten` is what it does already when it arrives, before it is its turn; it neither waits nor answers.
    """

    name: str
    arguments: str
    meaning: str
    run: Callable[[Call], Awaitable[Reply]]
    hasten: Callable[[Call], None] | None = None

    @property
    def usage(self) -> str:
        """The command as Caesar writes it."""
        return f"/{self.name} {self.arguments}".strip()
