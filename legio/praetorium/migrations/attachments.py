"""What came or went with a nuntius beside its text: files, and the words that it is about."""

from legio.praetorium.migrations.migration import Migration

ATTACHMENTS = Migration(
    4,
    (
        """
        CREATE TABLE attachments (
            seq INTEGER NOT NULL REFERENCES nuntii (seq),
            position INTEGER NOT NULL,
            path TEXT NOT NULL,
            name TEXT NOT NULL,
            media_type TEXT NOT NULL,
            size INTEGER NOT NULL,
            kind TEXT NOT NULL,
            note TEXT NOT NULL,
            PRIMARY KEY (seq, position)
        ) WITHOUT ROWID
        """,
        # How many it has: whoever reads fifty nuntii asks the other table only when one of them has any.
        "ALTER TABLE nuntii ADD COLUMN attached INTEGER NOT NULL DEFAULT 0",
        "ALTER TABLE nuntii ADD COLUMN quoted TEXT",
        "ALTER TABLE nuntii ADD COLUMN quote TEXT CHECK ((quote IS NULL) = (quoted IS NULL))",
    ),
)
