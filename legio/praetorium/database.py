"""One connection on one thread; each piece of work is one function, one hop and one transaction.

A caller hands in a plain function over `sqlite3.Connection`. It runs whole on aiosqlite's thread, so no
other task can come between its statements, and a caller that is cancelled while it waits leaves either all
of it or nothing: never an open transaction. What is asked and written is the ports' business.
"""

import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

import aiosqlite

from legio.errors import PraetoriumError
from legio.praetorium.patience import Patience

T = TypeVar("T")
Work = Callable[[sqlite3.Connection], T]
Parameters = Sequence[object] | Mapping[str, object]

_DAMAGED = "Restore a backup or move the file away; it was not changed."
_READ_ONLY = "Make the file and its folder writable for the user who runs Legio."
_TROUBLES = {
    sqlite3.SQLITE_NOTADB: ("this is not a praetorium, or it is damaged", _DAMAGED),
    sqlite3.SQLITE_CORRUPT: ("the praetorium is damaged", _DAMAGED),
    sqlite3.SQLITE_FULL: ("the disk is full", "Free some space; what is recorded so far is whole."),
    sqlite3.SQLITE_BUSY: ("another program holds the praetorium", "Close that program and try again."),
    sqlite3.SQLITE_READONLY: ("the praetorium cannot be written", _READ_ONLY),
    sqlite3.SQLITE_CANTOPEN: ("the praetorium cannot be opened", _READ_ONLY),
    sqlite3.SQLITE_PERM: ("the praetorium may not be opened", _READ_ONLY),
    sqlite3.SQLITE_IOERR: ("the disk failed while the praetorium was used", "Check the disk and its space."),
}
_PRIMARY = 0xFF  # the low byte of an extended result code is its kind: https://sqlite.org/rescode.html


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Turn what SQLite says of the file and the disk into `PraetoriumError`; our own mistakes stay as is."""
    try:
        yield
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & _PRIMARY
        if code not in _TROUBLES:
            raise
        what, remedy = _TROUBLES[code]
        raise PraetoriumError(f"{what} ({error}).", where=str(path), remedy=remedy) from error


def transaction(connection: sqlite3.Connection, work: Work[T], *, begin: str = "BEGIN IMMEDIATE") -> T:
    """Run `work` in one transaction: committed when it returns, rolled back when anything raises."""
    connection.execute(begin)
    try:
        result = work(connection)
        connection.execute("COMMIT")
    except BaseException:
        # COMMIT itself can fail (a full disk), and some failures have rolled back already.
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
    return result


class Database:
    """An open praetorium. `connection` is connected, and closed by whoever opened it.

    With `patience` a write waits while the file or its disk cannot take it; without, it raises at once.
    """

    def __init__(
        self, connection: aiosqlite.Connection, path: Path, patience: Patience | None = None
    ) -> None:
        self._connection = connection
        self._path = path
        self._patience = patience

    async def read(self, work: Work[T]) -> T:
        """What `work` finds in one snapshot."""
        return await self.run(lambda connection: transaction(connection, work, begin="BEGIN"))

    async def write(self, work: Work[T], *, patient: bool = True) -> T:
        """What `work` returns, once it is on the disk; unless `patient`, the disk is not waited for."""

        async def attempt() -> T:
            return await self.run(lambda connection: transaction(connection, work))

        if self._patience is None:
            return await attempt()
        return await self._patience.write(attempt, waits=patient)

    async def rows(self, query: str, parameters: Parameters = ()) -> list[sqlite3.Row]:
        """All rows of one query."""
        return await self.read(lambda connection: connection.execute(query, parameters).fetchall())

    async def change(self, statement: str, parameters: Parameters = (), *, patient: bool = True) -> int:
        """Write by one statement; returns how many rows it touched."""
        return await self.write(
            lambda connection: connection.execute(statement, parameters).rowcount, patient=patient
        )

    async def run(self, work: Work[T]) -> T:
        """`work` in one hop and without a transaction: for pragmas, which are refused inside of one.

        Raises `PraetoriumError` when the file or its disk fails.
        """
        with explained(self._path):
            # aiosqlite offers one hop a statement, at half the speed and with every cancellation between
            # two statements to be mended. `_execute` is its one way to run a function; it is not public, so
            # the version is bounded in pyproject.toml and this is the only place that calls it.
            raw = self._connection._conn
            result: T = await self._connection._execute(work, raw)  # type: ignore[no-untyped-call]
        return result
