"""The schema of a database file: brought up to the last migration, or refused where it is not ours."""

import sqlite3
from collections.abc import Sequence
from functools import partial

from legio.errors import PraetoriumError
from legio.praetorium.database import transaction
from legio.praetorium.migrations import APPLICATION_ID, MIGRATIONS, Migration


def migrate(
    connection: sqlite3.Connection, *, where: str, migrations: Sequence[Migration] = MIGRATIONS
) -> None:
    """Bring the schema up to the last of `migrations`; a schema already there is not written to."""
    for migration in migrations:
        if _version(connection) < migration.number:
            transaction(connection, partial(_apply, migration=migration))
    judge(connection, where=where, migrations=migrations)


def judge(
    connection: sqlite3.Connection, *, where: str, migrations: Sequence[Migration] = MIGRATIONS
) -> None:
    """Raise `PraetoriumError` for a database of another program or of a newer Legio; writes nothing."""
    tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    if tables and application != APPLICATION_ID:
        raise PraetoriumError(
            "this is the database of another program; it was not changed.",
            where=where,
            remedy="Move it away, or name another castra.",
        )
    version, known = _version(connection), migrations[-1].number
    if version > known:
        raise PraetoriumError(
            f"this praetorium has schema {version}, and this Legio knows no schema after {known}.",
            where=where,
            remedy="Install the newer Legio again, or restore an older backup; it was not changed.",
        )


def _apply(connection: sqlite3.Connection, migration: Migration) -> None:
    if _version(connection) >= migration.number:
        return  # another process was faster between the look and the lock
    for statement in migration.statements:
        connection.execute(statement)
    connection.execute(f"PRAGMA user_version = {migration.number}")


def _version(connection: sqlite3.Connection) -> int:
    version: int = connection.execute("PRAGMA user_version").fetchone()[0]
    return version
