"""What turns took, by day, agent and model: found by the index of what was spent, one day at a time.

How long a turn took and how it ended does not stand in that index, so its rows are read as well. A day has
some thousands of them at most, and they lie close together.
"""

import sqlite3
from collections.abc import Sequence
from datetime import date, timedelta
from zoneinfo import ZoneInfo

from legio.days import beginning
from legio.ports import Figure
from legio.praetorium import columns
from legio.praetorium.costs import NAMES
from legio.praetorium.database import Database

_FIGURES = f"""
    {NAMES}
    SELECT names.agent, model, count(*) AS turns, sum(state IN ('failed', 'expired')) AS failed,
        sum(input_tokens) AS input_tokens, sum(output_tokens) AS output_tokens,
        sum(cache_read_tokens) AS cache_read_tokens, sum(cache_write_tokens) AS cache_write_tokens,
        sum(cost_usd) AS usd, sum(seconds) AS seconds
    FROM names CROSS JOIN turns INDEXED BY turns_spent ON turns.agent = names.agent
    WHERE ended IS NOT NULL AND ended >= ? AND ended < ?
    GROUP BY names.agent, model ORDER BY names.agent, model
"""  # noqa: S608  (made of constants)


class SqliteFigures:
    """The port `Figures` over one database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def of(self, days: Sequence[date], zone: ZoneInfo) -> tuple[Figure, ...]:
        """1. What these days of that zone took, by day in their order, agent and model; no empty figure."""
        found: list[Figure] = []
        for day in days:
            span = [columns.stamp(beginning(each, zone)) for each in (day, day + timedelta(days=1))]
            found += [_figure(day, row) for row in await self._database.rows(_FIGURES, span)]
        return tuple(found)


def _figure(day: date, row: sqlite3.Row) -> Figure:
    return Figure(
        day=day,
        agent=row["agent"],
        model=row["model"],
        turns=row["turns"],
        failed=row["failed"],
        input_tokens=row["input_tokens"],
        output_tokens=row["output_tokens"],
        cache_read_tokens=row["cache_read_tokens"],
        cache_write_tokens=row["cache_write_tokens"],
        usd=row["usd"],
        seconds=row["seconds"],
    )
