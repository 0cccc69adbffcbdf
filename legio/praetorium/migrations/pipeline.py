"""The pipeline: what came in, what was said, who owes an answer, what has to go out."""

from legio.praetorium.migrations.migration import Migration

APPLICATION_ID = 0x4C454749  # "LEGI": tells our file from any other SQLite database

PIPELINE = Migration(
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
)
