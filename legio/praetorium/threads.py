"""The agents' threads, one row each in the table `sessions`; when to build one is decided elsewhere."""

import sqlite3

from legio.ports import Process, Thread
from legio.praetorium import columns
from legio.praetorium.database import Database


class SqliteThreads:
    """The port `Threads` over one database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def load(self, agent: str) -> Thread | None:
        """1. The agent's thread, or None."""
        rows = await self._database.rows("SELECT * FROM sessions WHERE agent = ?", (agent,))
        return _thread(rows[0]) if rows else None

    async def save(self, thread: Thread) -> None:
        """2. Writes it whole."""
        await self._database.write(lambda connection: write_thread(connection, thread))

    async def forget(self, agent: str) -> None:
        """3. Removes it; the transcript on disk stays, unused."""
        await self._database.change("DELETE FROM sessions WHERE agent = ?", (agent,))

    async def all(self) -> tuple[Thread, ...]:
        """4. Every thread, by agent's name."""
        rows = await self._database.rows("SELECT * FROM sessions ORDER BY agent")
        return tuple(_thread(row) for row in rows)


def write_thread(connection: sqlite3.Connection, thread: Thread) -> None:
    """Write the agent's row whole, over the one before."""
    process = thread.process
    row = {
        "agent": thread.agent,
        "thread": thread.id,
        "cursor": thread.cursor,
        "previous": thread.previous,
        "asked": thread.asked,
        "mark": columns.sound(thread.mark),
        "marked": thread.marked,
        "since": thread.since,
        "spoiled": thread.spoiled,
        "pid": None if process is None else process.pid,
        "started": None if process is None else process.started,
        "prompt_hash": thread.prompt_hash,
        "context_tokens": thread.context_tokens,
        "last_active": None if thread.last_active is None else columns.stamp(thread.last_active),
        "reason": columns.sound(thread.reason),
        "cost_usd": thread.cost_usd,
        "begun": None if thread.begun is None else columns.stamp(thread.begun),
        "origin": columns.sound(thread.origin),
        "carried": thread.carried,
        "carried_from": thread.carried_from,
    }
    names, places = ", ".join(row), ", ".join(f":{name}" for name in row)
    connection.execute(f"INSERT OR REPLACE INTO sessions ({names}) VALUES ({places})", row)  # noqa: S608  (names of ours)


def _thread(row: sqlite3.Row) -> Thread:
    active, begun = row["last_active"], row["begun"]
    return Thread(
        agent=row["agent"],
        id=row["thread"],
        cursor=row["cursor"],
        previous=row["previous"],
        asked=row["asked"],
        mark=row["mark"],
        marked=row["marked"],
        since=row["since"],
        spoiled=bool(row["spoiled"]),
        process=None if row["pid"] is None else Process(row["pid"], row["started"]),
        prompt_hash=row["prompt_hash"],
        context_tokens=row["context_tokens"],
        last_active=None if active is None else columns.moment(active),
        reason=row["reason"],
        cost_usd=row["cost_usd"],
        begun=None if begun is None else columns.moment(begun),
        origin=row["origin"],
        carried=row["carried"],
        carried_from=row["carried_from"],
    )
