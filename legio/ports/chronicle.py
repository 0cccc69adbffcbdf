"""The record read as a book: page by page, conversation by conversation."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from legio.nuntius import Nuntius


@dataclass(frozen=True, slots=True)
class Selection:
    """Which nuntii are meant; by default all.

    `agent` keeps to those that he sent or that name him, "all" to those for everyone. Only what was said from
    `since` to before `until` counts; both are aware.
    """

    agent: str | None = None
    since: datetime | None = None
    until: datetime | None = None


EVERYTHING = Selection()


@dataclass(frozen=True, slots=True)
class Conversation:
    """A nuntius among those it belongs with.

    `above` leads to it: what it answers, and what that answered, oldest first. `below` is what answers it,
    and what answers those, oldest first. `more` says that there is more below than is shown.
    """

    nuntius: Nuntius
    above: tuple[Nuntius, ...] = ()
    below: tuple[Nuntius, ...] = ()
    more: bool = False


class Chronicle(Protocol):
    """All nuntii, as Caesar may see them. However many there are, each method asks few of them."""

    async def page(
        self, selection: Selection, limit: int, *, before: int | None = None, after: int | None = None
    ) -> tuple[Nuntius, ...]:
        """1. At most `limit` of the selection with after < seq < before, newest first.

        They are the newest of those, or the oldest where `after` is given.
        """

    async def picked(self, seqs: Sequence[int]) -> tuple[Nuntius, ...]:
        """2. Those of these seqs that there are, oldest first."""

    async def conversation(self, seq: int) -> Conversation | None:
        """3. The nuntius of that seq among its own; None if there is none.

        At most 50 above it and 100 below. What answers it is looked for among the 5,000 nuntii after it; an
        agent's answer to it is found however late it came.
        """

    async def names(self) -> tuple[str, ...]:
        """4. Everybody who ever sent a nuntius or was named in one, sorted; "all" if one was for everyone."""
