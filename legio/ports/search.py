"""Looking for what was said by its words."""

from dataclasses import dataclass
from typing import Protocol

from legio.nuntius import Nuntius
from legio.ports.chronicle import EVERYTHING, Selection


@dataclass(frozen=True, slots=True)
class Found:
    """One nuntius that was found, and the part of it that says why.

    `marks` are the words that fit, as first and behind-last positions in `snippet`, counted in characters.
    `message` is Telegram's id of the first message that showed it, or None.
    """

    nuntius: Nuntius
    snippet: str
    marks: tuple[tuple[int, int], ...] = ()
    message: int | None = None


@dataclass(frozen=True, slots=True)
class Hits:
    """Some of what was found, the best first, and how many there are in all."""

    found: tuple[Found, ...]
    total: int


@dataclass(frozen=True, slots=True)
class Sought:
    """What Caesar looked for, to be paged through: `last` is the newest nuntius that counts."""

    id: int
    words: str
    last: int


class Search(Protocol):
    """The words of all nuntii. Who may see what is asked in SQL, never filtered after a limit."""

    async def find(
        self,
        viewer: str,
        words: str,
        *,
        limit: int,
        offset: int = 0,
        last: int | None = None,
        within: Selection = EVERYTHING,
    ) -> Hits:
        """1. What `viewer` may see of the nuntii that hold any of the words, the best first.

        Only those `within` the selection and up to the seq `last` count. `@name` among the words keeps to
        one sender, and `since:2026-11-01` to what was said from that day on (UTC). Any text is safe. Raises
        `Refused` where there is nothing to look for.
        """

    async def keep(self, words: str) -> Sought:
        """2. Remembers what is looked for now; only the latest 500 are remembered."""

    async def kept(self, number: int) -> Sought | None:
        """3. What was remembered under that number."""

    async def shown(self, seq: int) -> Found | None:
        """4. The nuntius of that seq, its whole text as the snippet."""
