"""How long a text is for a model."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Tokens:
    """How many tokens a text has, or `about` has; `rule` says who counted them, or how they were guessed."""

    number: int
    about: bool
    rule: str


class TokenCounter(Protocol):
    """Counts tokens without having a model answer."""

    async def count(self, texts: Sequence[str], *, model: str | None = None) -> tuple[Tokens, ...]:
        """1. Each text as a system prompt of `model`'s; never raises, and guesses where nobody counts."""
