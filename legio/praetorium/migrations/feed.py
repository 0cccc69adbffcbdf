"""What happens, as it happens: the pipeline's own writes make their entries, in the very same transaction.

Nothing is said twice: an entry names its nuntius or its turn, and their texts are found when it is read. A
time that no row holds is SQLite's own, in the form of `columns.stamp`. There is no foreign key, as an entry
says what happened and not what is there.
"""

from legio.praetorium.migrations.migration import Migration

FEED = Migration(
    10,
    (
        """
        CREATE TABLE events (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            at TEXT NOT NULL,
            kind TEXT NOT NULL CHECK (kind IN (
                'user', 'assistant', 'tool', 'tool-success', 'tool-error', 'event', 'error', 'handoff',
                'resume', 'repair', 'activation'
            )),
            agent TEXT NOT NULL,
            text TEXT NOT NULL DEFAULT '',
            nuntius INTEGER,
            turn INTEGER
        )
        """,
        "CREATE INDEX events_by_agent ON events (agent)",
        # Five hundred at a time, so that hardly any entry pays for it.
        """
        CREATE TRIGGER events_kept AFTER INSERT ON events WHEN new.id % 500 = 0 BEGIN
            DELETE FROM events WHERE id <= new.id - 99500;
        END
        """,
        """
        CREATE TRIGGER events_turn_admitted AFTER INSERT ON turns BEGIN
            INSERT INTO events (at, kind, agent, nuntius, turn)
            SELECT timestamp, CASE sender WHEN 'caesar' THEN 'user' ELSE 'handoff' END, new.agent, seq, new.id
            FROM nuntii WHERE seq = new.nuntius;
        END
        """,
        """
        CREATE TRIGGER events_turn_ended AFTER UPDATE OF ended ON turns
        WHEN old.ended IS NULL AND new.ended IS NOT NULL BEGIN
            INSERT INTO events (at, kind, agent, text, nuntius, turn) VALUES (
                new.ended,
                CASE new.state WHEN 'answered' THEN 'assistant' WHEN 'failed' THEN 'error' ELSE 'event' END,
                new.agent,
                CASE new.state
                    WHEN 'stopped' THEN 'The turn was stopped.'
                    WHEN 'expired' THEN 'The turn expired: nobody was there to take it up in time.'
                    ELSE ''
                END,
                new.reply,
                new.id
            );
        END
        """,
        # Only what nobody has been told is ever changed: by another message that belongs to it, or an edit.
        """
        CREATE TRIGGER events_nuntius_amended AFTER UPDATE OF text ON nuntii WHEN new.text <> old.text BEGIN
            INSERT INTO events (at, kind, agent, text, nuntius, turn)
            SELECT strftime('%Y-%m-%dT%H:%M:%f000+00:00', 'now'), 'event', agent,
                'Caesar changed it. It reads now:', new.seq, id
            FROM turns WHERE nuntius = new.seq AND ended IS NULL ORDER BY id;
        END
        """,
        # A session's row is replaced whole, so the one before can be seen only before. A thread that came to
        # nothing leaves a row without one; whether it is the agent's first is said by its origin then.
        """
        CREATE TRIGGER events_thread BEFORE INSERT ON sessions
        WHEN new.thread IS NOT NULL AND NOT EXISTS (
            SELECT 1 FROM sessions WHERE agent = new.agent AND thread = new.thread
                AND (new.pid IS NULL OR (pid IS new.pid AND started IS new.started))
        ) BEGIN
            INSERT INTO events (at, kind, agent, text)
            SELECT
                coalesce(
                    CASE
                        WHEN was.thread = new.thread THEN nullif(new.last_active, was.last_active)
                        ELSE coalesce(new.begun, new.last_active)
                    END,
                    strftime('%Y-%m-%dT%H:%M:%f000+00:00', 'now')
                ),
                CASE
                    WHEN was.agent IS NULL THEN 'activation'
                    WHEN was.thread = new.thread THEN 'resume'
                    WHEN was.thread IS NULL AND new.origin = 'this is its first use' THEN 'activation'
                    ELSE 'repair'
                END,
                new.agent,
                CASE
                    WHEN was.thread = new.thread THEN CASE
                        WHEN new.reason = new.origin THEN ''
                        WHEN new.reason = was.reason AND new.prompt_hash = was.prompt_hash THEN ''
                        ELSE new.reason
                    END
                    -- The first question of the thread before it failed, and had to leave with it.
                    WHEN was.thread IS NOT NULL AND was.spoiled AND new.origin = was.origin THEN ''
                    ELSE new.origin
                END
            FROM (SELECT 1) LEFT JOIN sessions AS was ON was.agent = new.agent;
        END
        """,
    ),
)
