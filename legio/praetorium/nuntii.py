"""What has been said, and who may see it: the visibility rule of `legio.nuntius.visible`, asked by index.

The rule is applied when a nuntius is written, as rows of `nuntius_audience`; reading merges two runs of
that index by seq and stops at the limit. Nothing is matched by pattern or filtered after a limit.
"""

import sqlite3
from collections.abc import Sequence
from dataclasses import replace

from legio.nuntius import ALL, CAESAR, LEGATUS, Nuntius, Quote
from legio.ports import Clock, EntryKind, Parcel
from legio.praetorium import columns
from legio.praetorium.attachments import attached, write_attachments
from legio.praetorium.database import Database, Parameters
from legio.praetorium.feed import write_entry
from legio.praetorium.outbox import write_parcels

_LAST = 2**63 - 1  # the highest seq that SQLite can give

# One query each, so that each can follow its own index from the newest row down.
_EVERYTHING = """
    SELECT * FROM nuntii
    WHERE seq > :after AND seq < :before AND sender IS NOT :without
    ORDER BY seq DESC LIMIT :limit
"""
_EVERYTHING_OF_ONE = """
    SELECT * FROM nuntii
    WHERE sender = :sender AND sender IS NOT :without AND seq > :after AND seq < :before
    ORDER BY seq DESC LIMIT :limit
"""
_VISIBLE_OF_ONE = """
    SELECT * FROM nuntii
    WHERE sender = :sender AND sender IS NOT :without AND seq > :after AND seq < :before
        AND EXISTS (
            SELECT 1 FROM nuntius_audience AS heard
            WHERE heard.name IN (:viewer, 'all') AND heard.seq = nuntii.seq
        )
    ORDER BY seq DESC LIMIT :limit
"""
_VISIBLE = """
    SELECT nuntii.* FROM nuntii JOIN (
        SELECT heard.seq FROM nuntius_audience AS heard JOIN nuntii ON nuntii.seq = heard.seq
        WHERE heard.name = :viewer AND heard.seq > :after AND heard.seq < :before
            AND nuntii.sender IS NOT :without
        UNION
        SELECT heard.seq FROM nuntius_audience AS heard JOIN nuntii ON nuntii.seq = heard.seq
        WHERE heard.name = 'all' AND heard.seq > :after AND heard.seq < :before
            AND nuntii.sender IS NOT :without
        ORDER BY 1 DESC LIMIT :limit
    ) AS newest ON nuntii.seq = newest.seq
    ORDER BY nuntii.seq DESC
"""

# Who has ever said or been told anything, as a table of a recursive query: SQLite does not jump from name to
# name by itself, and would read the whole index.
EACH_NAME = """
    names (name) AS (
        SELECT min(name) FROM nuntius_audience
        UNION ALL
        SELECT (SELECT min(heard.name) FROM nuntius_audience AS heard WHERE heard.name > names.name)
        FROM names WHERE names.name IS NOT NULL
    )
"""


class SqliteNuntii:
    """The port `Nuntii` over one database."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def post(self, nuntius: Nuntius, parcels: Sequence[Parcel] = ()) -> Nuntius:
        """1. Writes a nuntius that asks for no answer; parcels without a seq are given its own."""
        now = columns.stamp(self._clock.now())

        def work(connection: sqlite3.Connection) -> Nuntius:
            written = write_nuntius(connection, nuntius)
            write_parcels(connection, parcels, now=now, carried=written.seq)
            _tell(connection, written)
            return written

        return await self._database.write(work)

    async def latest(
        self,
        viewer: str,
        limit: int,
        *,
        after: int = 0,
        before: int | None = None,
        without: str | None = None,
        sender: str | None = None,
    ) -> tuple[Nuntius, ...]:
        """2. The newest `limit` nuntii visible to `viewer` with after < seq < before, oldest first."""
        query = _query(sees_everything=viewer in (CAESAR, LEGATUS), of_one=sender is not None)
        values = {
            "viewer": viewer,
            "limit": max(0, limit),  # to SQLite a negative limit is none at all
            "after": after,
            "before": _LAST if before is None else before,
            "without": without,
            "sender": sender,
        }
        return (await self._all(query, values))[::-1]

    async def get(self, seq: int) -> Nuntius | None:
        """3. The nuntius of that seq."""
        return await self._one("SELECT * FROM nuntii WHERE seq = ?", seq)

    async def by_message(self, message: int) -> Nuntius | None:
        """4. The nuntius that Telegram's message id carried, in or out."""
        return await self._one(
            "SELECT nuntii.* FROM messages JOIN nuntii ON nuntii.seq = messages.seq WHERE message = ?",
            message,
        )

    async def dispatched(self, root: int) -> int:
        """5. How many turns other than Caesar's own this nuntius of his has led to."""
        query = "SELECT count(*) FROM turns WHERE root = :root AND nuntius <> :root"
        rows = await self._database.rows(query, {"root": root})
        return int(rows[0][0])

    async def _one(self, query: str, key: int) -> Nuntius | None:
        return next(iter(await self._all(query, (key,))), None)

    async def _all(self, query: str, parameters: Parameters) -> tuple[Nuntius, ...]:
        def work(connection: sqlite3.Connection) -> tuple[Nuntius, ...]:
            return nuntii_of(connection, connection.execute(query, parameters).fetchall())

        return await self._database.read(work)


def _query(*, sees_everything: bool, of_one: bool) -> str:
    if sees_everything:
        return _EVERYTHING_OF_ONE if of_one else _EVERYTHING
    return _VISIBLE_OF_ONE if of_one else _VISIBLE


def _tell(connection: sqlite3.Connection, posted: Nuntius) -> None:
    """It happened, though no turn says so: an agent has said something, or sent a file."""
    if posted.sender != CAESAR:
        at, seq = posted.timestamp, posted.seq
        write_entry(connection, EntryKind.ASSISTANT, posted.sender, at=at, nuntius=seq)


def write_nuntius(connection: sqlite3.Connection, nuntius: Nuntius) -> Nuntius:
    """Write a nuntius and the rows of those who may see it; returns it as it stands, with its seq."""
    text = columns.sound(nuntius.text)
    cursor = connection.execute(
        "INSERT INTO nuntii (id, sender, text, audience, timestamp, reply_to, attached, quoted, quote,"
        " origin)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            nuntius.id,
            nuntius.sender,
            text,
            columns.audience_column(nuntius.audience),
            columns.stamp(nuntius.timestamp),
            nuntius.reply_to,
            len(nuntius.attachments),
            columns.sound(nuntius.quote.sender) if nuntius.quote else None,
            columns.sound(nuntius.quote.text) if nuntius.quote else None,
            nuntius.origin,
        ),
    )
    seq = cursor.lastrowid
    assert seq is not None
    write_attachments(connection, seq, nuntius.attachments)
    written = replace(nuntius, text=text, seq=seq)
    _write_audience(connection, written)
    return written


def rewrite_nuntius(connection: sqlite3.Connection, seq: int, text: str, audience: Sequence[str]) -> Nuntius:
    """Give the nuntius of that seq another text and audience; returns it as it stands then.

    Only while no thread has been told it: whoever calls has made sure of that in the same transaction.
    """
    rows = connection.execute("SELECT * FROM nuntii WHERE seq = ?", (seq,)).fetchall()
    (before,) = nuntii_of(connection, rows)
    after = replace(before, text=columns.sound(text), audience=tuple(audience))
    connection.execute(
        "UPDATE nuntii SET text = ?, audience = ? WHERE seq = ?",
        (after.text, columns.audience_column(after.audience), seq),
    )
    connection.executemany(
        "DELETE FROM nuntius_audience WHERE name = ? AND seq = ?",
        [(name, seq) for name in sorted(_viewers(before))],
    )
    _write_audience(connection, after)
    return after


def _write_audience(connection: sqlite3.Connection, nuntius: Nuntius) -> None:
    connection.executemany(
        "INSERT INTO nuntius_audience (name, seq) VALUES (?, ?)",
        [(name, nuntius.seq) for name in sorted(_viewers(nuntius))],
    )


def _viewers(nuntius: Nuntius) -> set[str]:
    """The names whose rows make `nuntius` visible; 'all' only when it is the whole audience."""
    named = {nuntius.sender, *nuntius.audience} - {ALL}
    return named | {ALL} if nuntius.audience == (ALL,) else named


def nuntii_of(connection: sqlite3.Connection, rows: Sequence[sqlite3.Row]) -> tuple[Nuntius, ...]:
    """The nuntii in `rows`, whole."""
    files = attached(connection, rows)
    found = tuple(nuntius_of(row) for row in rows)
    return tuple(replace(it, attachments=files.get(it.seq, ())) for it in found) if files else found


def nuntius_of(row: sqlite3.Row) -> Nuntius:
    """The nuntius in a row that holds the columns of `nuntii`, first among columns of the same name.

    Its attachments are in a table of their own.
    """
    return Nuntius(
        id=row["id"],
        sender=row["sender"],
        text=row["text"],
        audience=columns.audience(row["audience"]),
        timestamp=columns.moment(row["timestamp"]),
        reply_to=row["reply_to"],
        seq=row["seq"],
        quote=None if row["quote"] is None else Quote(row["quoted"], row["quote"]),
        origin=row["origin"],
    )
