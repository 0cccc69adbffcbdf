"""Who talked to whom: counted by the index of audiences, hearer by hearer, so that only the span is read."""

from datetime import datetime

from legio.ports import Exchange
from legio.praetorium import columns
from legio.praetorium.database import Database
from legio.praetorium.nuntii import EACH_NAME

EXCHANGES = f"""
    WITH RECURSIVE {EACH_NAME},
    beginning (seq) AS MATERIALIZED (
        SELECT min(seq) FROM nuntii INDEXED BY nuntii_by_timestamp WHERE timestamp >= ?
    )
    SELECT nuntii.sender AS sender, heard.name AS hearer, count(*) AS nuntii
    FROM beginning
    CROSS JOIN names
    CROSS JOIN nuntius_audience AS heard ON heard.name = names.name AND heard.seq >= beginning.seq
    CROSS JOIN nuntii ON nuntii.seq = heard.seq
    WHERE nuntii.sender <> heard.name
    GROUP BY nuntii.sender, heard.name
    ORDER BY nuntii.sender, heard.name
"""  # noqa: S608  (both parts are ours)


class SqliteTalk:
    """The port `Talk` over one database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def exchanges(self, start: datetime) -> tuple[Exchange, ...]:
        """1. What was said from the first nuntius on that is dated `start` or later, by sender and hearer."""
        rows = await self._database.rows(EXCHANGES, (columns.stamp(start),))
        return tuple(Exchange(row["sender"], row["hearer"], row["nuntii"]) for row in rows)
