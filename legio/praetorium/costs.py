"""What turns have cost, asked of one index that holds all that is added up: no turn itself is read."""

import sqlite3
from collections.abc import Mapping
from datetime import date, datetime

from legio.ports import Expense
from legio.praetorium import columns
from legio.praetorium.database import Database

NAMES = """
    WITH RECURSIVE names (agent) AS (
        SELECT min(agent) FROM turns INDEXED BY turns_spent WHERE ended IS NOT NULL
        UNION ALL
        SELECT (
            SELECT min(turns.agent) FROM turns INDEXED BY turns_spent
            WHERE ended IS NOT NULL AND turns.agent > names.agent
        ) FROM names WHERE names.agent IS NOT NULL
    )
"""
"""Who ever ended a turn. SQLite does not jump from name to name by itself: without this list in front of a
query over `turns_spent` all turns ever would be read."""
_EXPENSES = f"""
    {NAMES}
    SELECT names.agent, count(*) AS turns, sum(cost_usd) AS usd,
        sum(input_tokens + output_tokens + cache_read_tokens + cache_write_tokens) AS tokens
    FROM names CROSS JOIN turns INDEXED BY turns_spent ON turns.agent = names.agent
    WHERE ended IS NOT NULL AND ended >= ? AND ended < ?
    GROUP BY names.agent HAVING usd > 0 OR tokens > 0
    ORDER BY names.agent
"""  # noqa: S608  (made of constants)
_LATEST = """
    SELECT cost_usd FROM turns INDEXED BY turns_spent
    WHERE agent = ? AND ended IS NOT NULL AND cost_usd > 0 ORDER BY ended DESC LIMIT ?
"""
_RAISE = """
    INSERT INTO raises (day, agent, usd) VALUES (?, ?, ?)
    ON CONFLICT (day, agent) DO UPDATE SET usd = usd + excluded.usd
"""
_NEVER = "9999"


class SqliteCosts:
    """The port `Costs` over one database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def expenses(self, start: datetime, end: datetime | None = None) -> tuple[Expense, ...]:
        """1. What was spent from `start` to before `end`, by agent's name; nobody who spent nothing."""
        span = (columns.stamp(start), _NEVER if end is None else columns.stamp(end))
        return tuple(_expense(row) for row in await self._database.rows(_EXPENSES, span))

    async def latest(self, agent: str, count: int) -> tuple[float, ...]:
        """2. What the agent's last turns cost, at most `count`, newest first; none that was free."""
        return tuple(row["cost_usd"] for row in await self._database.rows(_LATEST, (agent, count)))

    async def raised(self, day: date) -> Mapping[str, float]:
        """3. By how many US dollars Caesar raised the caps of that day: by agent, "" for all together."""
        query = "SELECT agent, usd FROM raises WHERE day = ?"
        return {row["agent"]: row["usd"] for row in await self._database.rows(query, (day.isoformat(),))}

    async def raise_caps(self, day: date, raises: Mapping[str, float]) -> None:
        """4. Raises them by so much more, all in one transaction."""
        rows = [(day.isoformat(), agent, usd) for agent, usd in raises.items()]

        def work(connection: sqlite3.Connection) -> None:
            connection.executemany(_RAISE, rows)

        await self._database.write(work)


def _expense(row: sqlite3.Row) -> Expense:
    return Expense(row["agent"], row["turns"], row["tokens"], row["usd"])
