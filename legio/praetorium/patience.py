"""What cannot be written now is written as soon as it can be: a full disk or another program's lock may pass.

Whoever writes has done already what he writes down, and nobody would do it a second time for him. So his
write waits, and what it waits for can be asked for, by whoever tells people. Which errors may pass is said
here; what they are called, in `database`.
"""

import sqlite3
from collections.abc import Awaitable, Callable
from typing import TypeVar

import structlog

from legio.errors import PraetoriumError
from legio.ports import Clock

T = TypeVar("T")

log = structlog.get_logger()

RETRY_SECONDS = 1.0
PASSING = frozenset(
    {
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_BUSY,
        sqlite3.SQLITE_READONLY,
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_IOERR,
    }
)


class Patience:
    """Waits for all writers of one database."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._lost = False
        self.trouble = ""
        """Why nothing can be written, as a sentence; "" while all can be."""

    def lose(self) -> None:
        """From now on nobody waits: Legio is stopping, and what is not written stays open in the record."""
        self._lost = True

    async def write(self, attempt: Callable[[], Awaitable[T]], *, waits: bool) -> T:
        """What `attempt` returns, as soon as it succeeds; with `waits` false it is made only once."""
        while True:
            try:
                done = await attempt()
            except PraetoriumError as error:
                if not _may_pass(error):
                    raise
                self._note(str(error))
                if self._lost or not waits:
                    raise
            else:
                self._note("")
                return done
            await self._clock.sleep(RETRY_SECONDS)

    def _note(self, trouble: str) -> None:
        if trouble and not self.trouble:
            log.error("praetorium.unwritable", error=trouble, again_in=RETRY_SECONDS)
        elif self.trouble and not trouble:
            log.info("praetorium.writable")
        self.trouble = trouble


def _may_pass(error: PraetoriumError) -> bool:
    code = getattr(error.__cause__, "sqlite_errorcode", None)
    return code is not None and code & 0xFF in PASSING  # the low byte of an extended code is its kind
