"""What a restart has to know: where threads stood, whose processes lived, what became of an update."""

from legio.praetorium.migrations.migration import Migration

RECOVERY = Migration(
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
)
