"""What each of Caesar's messages said of the nuntius that it became."""

from legio.praetorium.migrations.migration import Migration

CORRECTIONS = Migration(
    9,
    (
        # Where it is not the whole of it, word for word: messages are gathered, and edited afterwards.
        "ALTER TABLE messages ADD COLUMN text TEXT",
    ),
)
