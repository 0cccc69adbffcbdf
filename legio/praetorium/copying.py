"""The record taken out of its file while a Legio may be at work on it, and a copy made fit to be taken up.

Everything here is for the command line and for a thread of its own: it blocks, and it holds no lock that
would stop the Legio at work.
"""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from legio.errors import PraetoriumError
from legio.nuntius import Nuntius
from legio.praetorium.audit import soundness
from legio.praetorium.database import explained, transaction
from legio.praetorium.nuntii import nuntii_of
from legio.praetorium.opening import claim, prepare
from legio.praetorium.schema import judge

STEP_PAGES = 2048
"""8 MB at SQLite's usual page size: how often a long copy asks whether to go on."""
PAGE_ROWS = 500


def copy(source: Path, target: Path, proceed: Callable[[], None] = lambda: None) -> None:
    """Write the record as it is at this instant to the new file `target`, which needs no other beside it.

    `proceed` is called now and then; what it raises ends the copying. Raises `PraetoriumError` when the
    record, or its copy, is damaged, newer than this program, or cannot be read or written.
    """
    with _reading(source) as original, explained(target):
        claim(target)
        with closing(_connected(target)) as written:
            # Only within one transaction does the copy go on where it stood: else each commit of a Legio at
            # work would make it begin anew (https://sqlite.org/backup.html).
            transaction(original, lambda it: _copied(it, written, proceed), begin="BEGIN")
            with explained(source):  # a page that is damaged was damaged before
                _refuse_damage(written, source)
            written.execute("PRAGMA journal_mode = DELETE").fetchone()


def revive(path: Path) -> None:
    """Make an old copy fit to be worked on: it stands in the present schema, and knows that time has passed.

    What was due to be sent may have been sent since, so it is doubtful; its processes are long gone. Raises
    `PraetoriumError` when it cannot be trusted.
    """
    with explained(path), closing(_connected(path)) as connection:
        prepare(connection, path)
        _refuse_damage(connection, path)
        transaction(connection, _after_a_gap)


def nuntii(path: Path) -> Iterator[Nuntius]:
    """Every nuntius, oldest first, read in pages, so that neither memory nor the journal grows with them."""
    query = "SELECT * FROM nuntii WHERE seq > ? ORDER BY seq LIMIT ?"
    with _reading(path) as connection:
        last = 0
        while page := connection.execute(query, (last, PAGE_ROWS)).fetchall():
            yield from nuntii_of(connection, page)
            last = page[-1]["seq"]


@contextmanager
def _reading(path: Path) -> Iterator[sqlite3.Connection]:
    if not path.is_file():
        raise PraetoriumError(
            "there is no praetorium here.", where=str(path), remedy="It is made at the first start."
        )
    with explained(path), closing(_connected(path)) as connection:
        connection.execute("PRAGMA query_only = ON")
        judge(connection, where=str(path))
        yield connection


def _connected(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, isolation_level=None)
    connection.row_factory = sqlite3.Row
    return connection


def _copied(original: sqlite3.Connection, written: sqlite3.Connection, proceed: Callable[[], None]) -> None:
    original.execute("SELECT count(*) FROM sqlite_master").fetchone()  # the snapshot begins with a read
    original.backup(written, pages=STEP_PAGES, progress=lambda *_: proceed())


def _refuse_damage(connection: sqlite3.Connection, path: Path) -> None:
    broken = soundness(connection)
    if broken:
        raise PraetoriumError(
            " ".join(broken), where=str(path), remedy="Restore an older backup; `legio doctor` says more."
        )


def _after_a_gap(connection: sqlite3.Connection) -> None:
    connection.execute("UPDATE outbox SET state = 'sending' WHERE state = 'pending'")
    connection.execute("UPDATE sessions SET pid = NULL, started = NULL")
