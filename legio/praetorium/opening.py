"""How the file is opened: made or refused, set up, brought up to the schema, and closed whatever happens.

Nothing is ever overwritten: what cannot be trusted is refused with its remedy and left as it was.
"""

import os
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import aiosqlite

from legio.errors import PraetoriumError
from legio.praetorium.database import Database, explained, transaction
from legio.praetorium.patience import Patience
from legio.praetorium.schema import judge, migrate

BUSY_SECONDS = 5.0
PRIVATE_FILE = 0o600
PRIVATE_FOLDER = 0o700


@asynccontextmanager
async def open_database(
    path: Path, *, busy_seconds: float = BUSY_SECONDS, patience: Patience | None = None
) -> AsyncIterator[Database]:
    """The database at `path`, made if it is not there. Raises `PraetoriumError` if it cannot be trusted.

    `busy_seconds` is how long one try waits for another program's lock; `patience` waits from try to try.
    """
    claim(path)
    connection = aiosqlite.connect(path, timeout=busy_seconds, isolation_level=None)
    with explained(path):
        await _connected(connection)
    try:
        database = Database(connection, path, patience)
        await database.run(lambda raw: prepare(raw, path))
        yield database
    finally:
        await connection.close()


def claim(path: Path) -> None:
    """Make `path` a file that we alone may read and write, or raise `PraetoriumError` saying why not."""
    try:
        path.parent.mkdir(mode=PRIVATE_FOLDER, parents=True, exist_ok=True)
        # An existing file is not opened here: closing it would drop the locks that another connection of
        # this process holds on it (https://sqlite.org/howtocorrupt.html, 2.2).
        with suppress(FileExistsError):
            os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, PRIVATE_FILE))
    except OSError as error:
        raise _refusal(path, f"it cannot be made ({error.strerror})") from error
    if not path.is_file():
        raise _refusal(path, "it is not a file")
    _refuse_hollow(path)
    with suppress(OSError):  # a file system without modes is not ours to judge
        path.chmod(PRIVATE_FILE)


def _refuse_hollow(path: Path) -> None:
    """An empty file beside a journal that is not has lost its content; SQLite would delete the journal."""
    journal = path.with_name(f"{path.name}-wal")
    if path.stat().st_size == 0 and journal.exists() and journal.stat().st_size:
        raise PraetoriumError(
            "the file is empty, but its journal is not: its content was lost.",
            where=str(path),
            remedy="Restore a backup or move both files away; they were not changed.",
        )


def _refusal(path: Path, reason: str) -> PraetoriumError:
    return PraetoriumError(
        f"the praetorium cannot be used: {reason}.",
        where=str(path),
        remedy="Make its folder writable for the user who runs Legio, or name another castra.",
    )


async def _connected(connection: aiosqlite.Connection) -> None:
    try:
        await connection
    except BaseException:
        # aiosqlite has told its thread to stop and does not wait for it; a loop that closes meanwhile
        # would make that thread die with a traceback. It has nothing left to do, so this ends at once.
        connection._thread.join()
        raise


def prepare(connection: sqlite3.Connection, path: Path) -> None:
    """Judge the database, and only then set it up for safety and bring it up to the schema."""
    connection.row_factory = sqlite3.Row
    judge(connection, where=str(path))
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA synchronous = FULL")
    # The row has to be fetched: unread, the statement is not finished and the old journal stays in use.
    mode = connection.execute("PRAGMA journal_mode = WAL").fetchone()[0]
    if mode != "wal":
        raise PraetoriumError(
            f"write-ahead logging cannot be turned on here (the journal is '{mode}').",
            where=str(path),
            remedy="Keep the castra on a local disk, not on a network share.",
        )
    migrate(connection, where=str(path))
    transaction(connection, _rewrite_version)


def _rewrite_version(connection: sqlite3.Connection) -> None:
    """Write what is there already: a file or a disk that cannot be written is found out now, not later."""
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    connection.execute(f"PRAGMA user_version = {version}")
