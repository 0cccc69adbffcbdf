"""What happens in the legion, as it happens, so that whoever looks away finds out what he has missed."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Protocol


class EntryKind(StrEnum):
    """What can happen.

    A turn begins as `user` (Caesar asks) or `handoff` (another agent asks), and ends as `assistant`, as
    `error`, or, stopped or expired, as `event`. An agent's thread begins as `activation`; `repair` is another
    thread in the place of one, `resume` the same thread in another process.
    """

    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"
    TOOL_SUCCESS = "tool-success"
    TOOL_ERROR = "tool-error"
    EVENT = "event"
    ERROR = "error"
    HANDOFF = "handoff"
    RESUME = "resume"
    REPAIR = "repair"
    ACTIVATION = "activation"


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing that happened to `agent`, or that he did.

    `id` counts up without reuse, and is 0 before it is written; `at` is aware and in UTC. `text` has at most
    2,000 characters and ends in "…" where it was cut. With a `nuntius` (its seq) it is what `sender` said in
    it, as it stands now; of a tool it is the name and, below that, what it was given or has returned; of a
    thread, why. `turn` is the id of the turn in which it happened.
    """

    kind: EntryKind
    agent: str
    text: str
    at: datetime
    turn: int | None = None
    nuntius: int | None = None
    sender: str = ""
    id: int = 0


class Feed(Protocol):
    """What happened, oldest first; at least the newest 99,000 entries are kept, at most 100,000.

    What the record itself says of turns and threads makes its entry in the transaction that says it.
    """

    async def add(self, entries: Sequence[Entry]) -> None:
        """1. Writes what the record does not say by itself, in that order; never waits for a full disk."""

    async def since(self, after: int, limit: int, *, agent: str | None = None) -> tuple[Entry, ...]:
        """2. The oldest `limit` entries with a higher id than `after`, of one agent or of all."""

    async def before(self, before: int | None, limit: int, *, agent: str | None = None) -> tuple[Entry, ...]:
        """3. The newest `limit` entries with a lower id than `before`, or of all; oldest first."""

    async def last(self) -> int:
        """4. The highest id that was ever given, 0 for none."""
