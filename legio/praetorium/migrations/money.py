"""What turns have cost, found without reading them, and the caps that Caesar raised."""

from legio.praetorium.migrations.migration import Migration

MONEY = Migration(
    5,
    (
        # All that is added up stands in the index: a month of many turns is one walk along it.
        """
        CREATE INDEX turns_spent ON turns (
            agent, ended, cost_usd, input_tokens, output_tokens, cache_read_tokens, cache_write_tokens
        ) WHERE ended IS NOT NULL
        """,
        # By how much a cap of that day was raised, in US dollars; the agent '' is all of them together.
        """
        CREATE TABLE raises (
            day TEXT NOT NULL,
            agent TEXT NOT NULL,
            usd REAL NOT NULL CHECK (usd > 0),
            PRIMARY KEY (day, agent)
        ) WITHOUT ROWID
        """,
    ),
)
