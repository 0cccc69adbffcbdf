"""What can be looked for and looked at: nuntii by their words, and how each thread was begun."""

from legio.praetorium.migrations.migration import Migration

SEEING = Migration(
    8,
    (
        # The words alone: the text itself stays in `nuntii`, and triggers keep the two together.
        """
        CREATE VIRTUAL TABLE nuntii_search USING fts5 (
            text, content='nuntii', content_rowid='seq', tokenize='porter unicode61 remove_diacritics 2'
        )
        """,
        """
        CREATE TRIGGER nuntii_search_insert AFTER INSERT ON nuntii BEGIN
            INSERT INTO nuntii_search (rowid, text) VALUES (new.seq, new.text);
        END
        """,
        """
        CREATE TRIGGER nuntii_search_delete AFTER DELETE ON nuntii BEGIN
            INSERT INTO nuntii_search (nuntii_search, rowid, text) VALUES ('delete', old.seq, old.text);
        END
        """,
        """
        CREATE TRIGGER nuntii_search_update AFTER UPDATE OF seq, text ON nuntii BEGIN
            INSERT INTO nuntii_search (nuntii_search, rowid, text) VALUES ('delete', old.seq, old.text);
            INSERT INTO nuntii_search (rowid, text) VALUES (new.seq, new.text);
        END
        """,
        # A million nuntii take ten seconds and no memory to speak of.
        "INSERT INTO nuntii_search (nuntii_search) VALUES ('rebuild')",
        # What Caesar looked for, and up to which nuntius: so that the buttons below it live on.
        """
        CREATE TABLE searches (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            words TEXT NOT NULL,
            last INTEGER NOT NULL
        )
        """,
        # By which message a nuntius is shown in the chat.
        "CREATE INDEX messages_by_seq ON messages (seq)",
        # When a thread was begun, why, how many nuntii it was told then, and the first of them.
        "ALTER TABLE sessions ADD COLUMN begun TEXT",
        "ALTER TABLE sessions ADD COLUMN origin TEXT NOT NULL DEFAULT ''",
        "ALTER TABLE sessions ADD COLUMN carried INTEGER NOT NULL DEFAULT 0",
        "ALTER TABLE sessions ADD COLUMN carried_from INTEGER NOT NULL DEFAULT 0",
    ),
)
