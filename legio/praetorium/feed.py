"""What happened, as the port `Feed`: most of it written by the triggers that stand beside the tables.

An entry holds no text that stands elsewhere. What was said is read from its nuntius, and why a turn failed
from the turn; so what is amended later is shown as it reads now.
"""

import sqlite3
from collections.abc import Sequence
from datetime import datetime

from legio.brevity import cut
from legio.ports import Entry, EntryKind
from legio.praetorium import columns
from legio.praetorium.database import Database

EXCERPT = 2000
"""So many characters of a text are read, whatever it is."""

_LAST = 2**63 - 1  # the highest id that SQLite can give
_WRITE = "INSERT INTO events (at, kind, agent, text, nuntius, turn) VALUES (?, ?, ?, ?, ?, ?)"
_READ = """
    SELECT events.*, nuntii.sender, substr(
        CASE events.kind
            WHEN 'error' THEN (SELECT detail FROM turns WHERE turns.id = events.turn)
            ELSE nuntii.text
        END, 1, :excerpt
    ) AS found
    FROM events LEFT JOIN nuntii ON nuntii.seq = events.nuntius
    WHERE events.id > :after AND events.id < :before {one} ORDER BY events.id {order} LIMIT :limit
"""
_OF_ONE = "AND events.agent = :agent"


class SqliteFeed:
    """The port `Feed` over one database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(self, entries: Sequence[Entry]) -> None:
        """1. Writes what the record does not say by itself, in that order."""
        rows = [_columns(entry) for entry in entries]

        def work(connection: sqlite3.Connection) -> None:
            connection.executemany(_WRITE, rows)

        await self._database.write(work, patient=False)

    async def since(self, after: int, limit: int, *, agent: str | None = None) -> tuple[Entry, ...]:
        """2. The oldest `limit` entries with a higher id than `after`, of one agent or of all."""
        return await self._read("ASC", limit, agent, after=after)

    async def before(self, before: int | None, limit: int, *, agent: str | None = None) -> tuple[Entry, ...]:
        """3. The newest `limit` entries with a lower id than `before`, or of all; oldest first."""
        return (await self._read("DESC", limit, agent, before=_LAST if before is None else before))[::-1]

    async def last(self) -> int:
        """4. The highest id that was ever given, 0 for none."""
        rows = await self._database.rows("SELECT seq FROM sqlite_sequence WHERE name = 'events'")
        return int(rows[0]["seq"]) if rows else 0

    async def _read(
        self, order: str, limit: int, agent: str | None, *, after: int = 0, before: int = _LAST
    ) -> tuple[Entry, ...]:
        query = _READ.format(order=order, one="" if agent is None else _OF_ONE)
        values = {
            "after": min(after, _LAST),
            "before": min(before, _LAST),
            "agent": agent,
            "limit": max(0, limit),  # to SQLite a negative limit is none at all
            "excerpt": EXCERPT + 1,  # by the one more it is seen that there is more
        }
        return tuple(_entry(row) for row in await self._database.rows(query, values))


def write_entry(
    connection: sqlite3.Connection, kind: EntryKind, agent: str, *, at: datetime, nuntius: int
) -> None:
    """Make the entry of what an agent said outside of a turn's end, in the transaction that writes it."""
    connection.execute(_WRITE, (columns.stamp(at), kind.value, agent, "", nuntius, None))


def _columns(entry: Entry) -> tuple[object, ...]:
    text = columns.sound(entry.text)
    return (columns.stamp(entry.at), entry.kind.value, entry.agent, text, entry.nuntius, entry.turn)


def _entry(row: sqlite3.Row) -> Entry:
    text = "\n".join(part for part in (row["text"], row["found"]) if part)
    return Entry(
        id=row["id"],
        at=columns.moment(row["at"]),
        kind=EntryKind(row["kind"]),
        agent=row["agent"],
        text=cut(text, EXCERPT),
        turn=row["turn"],
        nuntius=row["nuntius"],
        sender=row["sender"] or "",
    )
