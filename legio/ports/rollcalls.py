"""The status messages that stand in Caesar's chat, as far as a restart has to know of them."""

from dataclasses import dataclass
from typing import Protocol

from legio.nuntius import TurnState


@dataclass(frozen=True, slots=True)
class Called:
    """One turn under a nuntius of Caesar's, as it stands in the record.

    `asked` says that Caesar himself asked this agent; else the Legatus did, for his sake. `seconds` is how
    long it took, 0.0 until it has ended.
    """

    turn: int
    agent: str
    state: TurnState
    asked: bool
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Standing:
    """A status message: Telegram's id of it, the nuntius of Caesar's that it is about, and its turns."""

    message: int
    root: int
    turns: tuple[Called, ...]


class RollCalls(Protocol):
    """Which status messages stand. Everything is committed when a method returns."""

    async def stands(self, message: int, root: int) -> None:
        """1. Telegram's `message` shows the turns under the nuntius of seq `root`."""

    async def folded(self, message: int) -> None:
        """2. It will not be changed any more, or is gone. Does nothing for one that does not stand."""

    async def standing(self) -> tuple[Standing, ...]:
        """3. All that stand, oldest first, with their turns in the order in which they were given."""
