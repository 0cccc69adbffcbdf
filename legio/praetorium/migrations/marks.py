"""How far a thread may be taken back, and what it was asked last."""

from legio.praetorium.migrations.migration import Migration

MARKS = Migration(
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
)
