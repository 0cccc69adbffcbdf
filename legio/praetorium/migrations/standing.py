"""Standing work, and what Caesar set by a command."""

from legio.praetorium.migrations.migration import Migration

STANDING = Migration(
    7,
    (
        "CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
        # `due` is the next instant, and after the end the last one; `fired` the last instant that was done.
        # No instant is done twice: whatever is done is behind the next.
        """
        CREATE TABLE schedules (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            kind TEXT NOT NULL CHECK (kind IN ('reminder', 'task')),
            text TEXT NOT NULL,
            author TEXT NOT NULL,
            zone TEXT NOT NULL,
            first TEXT NOT NULL,
            rule TEXT,
            words TEXT CHECK ((words IS NULL) = (rule IS NULL)),
            due TEXT NOT NULL,
            fired TEXT,
            created TEXT NOT NULL,
            ended TEXT,
            update_id INTEGER UNIQUE,
            CHECK (ended IS NOT NULL OR fired IS NULL OR fired < due)
        )
        """,
        "CREATE INDEX schedules_standing ON schedules (due) WHERE ended IS NULL",
        # What made a nuntius where its sender did not write it just then.
        "ALTER TABLE nuntii ADD COLUMN origin TEXT NOT NULL DEFAULT ''",
    ),
)
