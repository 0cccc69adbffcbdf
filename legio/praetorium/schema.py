"""The tables, as numbered migrations; the number stands in the file's `user_version`.

A migration that has landed is never changed: the next one is added below it. What the rows mean to the core
is said by the ports.
"""

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from legio.errors import PraetoriumError
from legio.praetorium.database import transaction

APPLICATION_ID = 0x4C454749  # "LEGI": tells our file from any other SQLite database


@dataclass(frozen=True, slots=True)
class Migration:
    """One step of the schema: its statements run in one transaction with the change of `user_version`."""

    number: int
    statements: tuple[str, ...]


MIGRATIONS = (
    Migration(
        1,
        (
            f"PRAGMA application_id = {APPLICATION_ID}",
            """
            CREATE TABLE nuntii (
                seq INTEGER PRIMARY KEY AUTOINCREMENT,
                id TEXT NOT NULL UNIQUE,
                sender TEXT NOT NULL,
                text TEXT NOT NULL,
                audience TEXT NOT NULL CHECK (json_type(audience) = 'array'),
                timestamp TEXT NOT NULL,
                reply_to TEXT REFERENCES nuntii (id)
            )
            """,
            "CREATE INDEX nuntii_by_timestamp ON nuntii (timestamp)",
            "CREATE INDEX nuntii_by_sender ON nuntii (sender)",
            # Who may see a nuntius: a row for each name in its audience and for its sender; 'all' stands for
            # the audience ["all"] and for nothing else.
            """
            CREATE TABLE nuntius_audience (
                name TEXT NOT NULL,
                seq INTEGER NOT NULL REFERENCES nuntii (seq),
                PRIMARY KEY (name, seq)
            ) WITHOUT ROWID
            """,
            # An ended row loses its payload and keeps its id for ever, so that no update is put twice.
            """
            CREATE TABLE inbox (
                update_id INTEGER PRIMARY KEY,
                payload TEXT NOT NULL,
                received TEXT NOT NULL,
                ended TEXT
            )
            """,
            "CREATE INDEX inbox_unfinished ON inbox (update_id) WHERE ended IS NULL",
            # Never deleted from: the highest id ever given is the number of turns received.
            """
            CREATE TABLE turns (
                id INTEGER PRIMARY KEY AUTOINCREMENT,
                nuntius INTEGER NOT NULL REFERENCES nuntii (seq),
                agent TEXT NOT NULL,
                root INTEGER NOT NULL REFERENCES nuntii (seq),
                message INTEGER,
                state TEXT NOT NULL DEFAULT 'pending'
                    CHECK (state IN ('pending', 'running', 'answered', 'failed', 'stopped', 'expired')),
                reply INTEGER UNIQUE REFERENCES nuntii (seq),
                began TEXT,
                ended TEXT,
                seconds REAL NOT NULL DEFAULT 0,
                detail TEXT NOT NULL DEFAULT '',
                input_tokens INTEGER NOT NULL DEFAULT 0,
                output_tokens INTEGER NOT NULL DEFAULT 0,
                cache_read_tokens INTEGER NOT NULL DEFAULT 0,
                cache_write_tokens INTEGER NOT NULL DEFAULT 0,
                context_tokens INTEGER NOT NULL DEFAULT 0,
                cost_usd REAL NOT NULL DEFAULT 0,
                model TEXT NOT NULL DEFAULT '',
                UNIQUE (nuntius, agent),
                CHECK ((ended IS NULL) = (state IN ('pending', 'running'))),
                CHECK ((reply IS NOT NULL) = (state = 'answered'))
            )
            """,
            "CREATE INDEX turns_open ON turns (id) WHERE ended IS NULL",
            "CREATE INDEX turns_by_state ON turns (state)",
            "CREATE INDEX turns_by_root ON turns (root)",
            """
            CREATE TABLE outbox (
                id INTEGER PRIMARY KEY AUTOINCREMENT,
                chat INTEGER NOT NULL,
                payload TEXT NOT NULL,
                seq INTEGER REFERENCES nuntii (seq),
                state TEXT NOT NULL DEFAULT 'pending'
                    CHECK (state IN ('pending', 'sending', 'sent', 'undeliverable')),
                tries INTEGER NOT NULL DEFAULT 0,
                created TEXT NOT NULL,
                message INTEGER,
                error TEXT NOT NULL DEFAULT '',
                CHECK ((message IS NOT NULL) = (state = 'sent'))
            )
            """,
            "CREATE INDEX outbox_unsent ON outbox (id) WHERE state IN ('pending', 'sending')",
            # Telegram's message id, in or out, and the nuntius that it carried last.
            """
            CREATE TABLE messages (
                message INTEGER PRIMARY KEY,
                seq INTEGER NOT NULL REFERENCES nuntii (seq)
            )
            """,
            """
            CREATE TABLE sessions (
                agent TEXT PRIMARY KEY,
                thread TEXT,
                cursor INTEGER NOT NULL,
                prompt_hash TEXT NOT NULL,
                context_tokens INTEGER NOT NULL,
                last_active TEXT,
                reason TEXT NOT NULL,
                cost_usd REAL NOT NULL
            ) WITHOUT ROWID
            """,
        ),
    ),
    Migration(
        2,
        (
            # A thread that was there before has been given all up to its cursor: it may not be told it again.
            "ALTER TABLE sessions ADD COLUMN previous INTEGER NOT NULL DEFAULT 0",
            "UPDATE sessions SET previous = cursor",
            "ALTER TABLE sessions ADD COLUMN mark TEXT NOT NULL DEFAULT ''",
            "ALTER TABLE sessions ADD COLUMN spoiled INTEGER NOT NULL DEFAULT 0 CHECK (spoiled IN (0, 1))",
            "ALTER TABLE sessions ADD COLUMN pid INTEGER",
            "ALTER TABLE sessions ADD COLUMN started REAL CHECK ((started IS NULL) = (pid IS NULL))",
            # What an update became. It stands here and not with the nuntius: so no update becomes two.
            """
            ALTER TABLE inbox ADD COLUMN nuntius INTEGER REFERENCES nuntii (seq)
                CHECK (nuntius IS NULL OR ended IS NOT NULL)
            """,
            "CREATE INDEX inbox_by_nuntius ON inbox (nuntius) WHERE nuntius IS NOT NULL",
            # Whether an earlier send of what was given up may have arrived, if it should ever be sent again.
            "ALTER TABLE outbox ADD COLUMN doubtful INTEGER NOT NULL DEFAULT 0 CHECK (doubtful IN (0, 1))",
            "UPDATE outbox SET doubtful = 1 WHERE state = 'undeliverable' AND tries > 1",
            "CREATE INDEX outbox_undeliverable ON outbox (id) WHERE state = 'undeliverable'",
            "CREATE INDEX outbox_by_seq ON outbox (seq) WHERE seq IS NOT NULL",
        ),
    ),
    Migration(
        3,
        (
            # How far a thread had been told when it reached its mark: what it is taken back to.
            "ALTER TABLE sessions ADD COLUMN marked INTEGER NOT NULL DEFAULT 0",
            "UPDATE sessions SET marked = previous",
            # What was said up to there was before a reset.
            "ALTER TABLE sessions ADD COLUMN since INTEGER NOT NULL DEFAULT 0",
            # What a thread was asked last, until it is known what came of it.
            "ALTER TABLE sessions ADD COLUMN asked TEXT NOT NULL DEFAULT ''",
            """
            UPDATE sessions SET asked = coalesce((
                SELECT nuntii.id FROM turns JOIN nuntii ON nuntii.seq = turns.nuntius
                WHERE turns.agent = sessions.agent AND turns.state = 'running'
                ORDER BY turns.id DESC LIMIT 1
            ), '')
            """,
        ),
    ),
)


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
