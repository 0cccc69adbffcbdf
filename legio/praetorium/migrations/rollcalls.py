"""Which status messages stand in the chat, so that a restart finds them."""

from legio.praetorium.migrations.migration import Migration

ROLL_CALLS = Migration(
    6,
    (
        # A row lives as long as the message has to be changed once more.
        """
        CREATE TABLE roll_calls (
            message INTEGER PRIMARY KEY,
            root INTEGER NOT NULL REFERENCES nuntii (seq)
        )
        """,
    ),
)
