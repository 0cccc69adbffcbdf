"""What the record can be asked afterwards: the way an answer took, and what never reached Caesar."""

import sqlite3

from legio.events import Usage
from legio.ports import Parcel, Passage, Undelivered, Unsent
from legio.praetorium import columns
from legio.praetorium.database import Database
from legio.praetorium.nuntii import nuntius_of
from legio.praetorium.turns import turn_of

AT_MOST = 100

_WAY = """
    SELECT nuntii.*, turns.id AS turn, turns.agent, turns.root, turns.message, turns.state, turns.reply,
        turns.seconds, turns.detail, turns.input_tokens, turns.output_tokens, turns.cache_read_tokens,
        turns.cache_write_tokens, turns.context_tokens, turns.cost_usd, turns.model,
        (SELECT min(update_id) FROM inbox WHERE inbox.nuntius = turns.root) AS update_id,
        (SELECT count(*) FROM outbox WHERE outbox.seq = turns.reply) AS parcels,
        (SELECT max(tries) FROM outbox WHERE outbox.seq = turns.reply) AS tries
"""
_OF_MESSAGE = f"""
    {_WAY} FROM messages
    JOIN turns ON turns.reply = messages.seq
    JOIN nuntii ON nuntii.seq = turns.nuntius
    WHERE messages.message = ?
"""
_OF_NUNTIUS = f"""
    {_WAY} FROM turns JOIN nuntii ON nuntii.seq = turns.nuntius
    WHERE turns.nuntius = :seq OR turns.reply = :seq ORDER BY turns.id
"""
_LAST = 2**63 - 1
_RETRY = """
    UPDATE outbox SET state = CASE WHEN doubtful THEN 'sending' ELSE 'pending' END
    WHERE state = 'undeliverable'
"""


class SqliteLedger:
    """The port `Ledger` over one database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def passage(self, message: int) -> Passage | None:
        """1. The way of the answer that Telegram's message carried; None if it carried none."""

        def work(connection: sqlite3.Connection) -> Passage | None:
            row = connection.execute(_OF_MESSAGE, (message,)).fetchone()
            return None if row is None else _passage(connection, row)

        return await self._database.read(work)

    async def undelivered(self) -> tuple[Undelivered, ...]:
        """2. The parcels given up, oldest first, at most 100."""
        query = "SELECT * FROM outbox WHERE state = 'undeliverable' ORDER BY id LIMIT ?"
        return tuple(_undelivered(row) for row in await self._database.rows(query, (AT_MOST,)))

    async def retry(self) -> int:
        """3. Makes all of them due again; returns how many."""
        return await self._database.change(_RETRY)

    async def passages(self, seq: int) -> tuple[Passage, ...]:
        """4. The ways of the turn that ended with the nuntius of that seq, and of those that it led to."""

        def work(connection: sqlite3.Connection) -> tuple[Passage, ...]:
            rows = connection.execute(_OF_NUNTIUS, {"seq": min(seq, _LAST)}).fetchall()
            return tuple(_passage(connection, row) for row in rows)

        return await self._database.read(work)

    async def unsent(self) -> tuple[Unsent, ...]:
        """5. What has to go out, in order of writing, at most 100."""
        query = "SELECT * FROM outbox WHERE state IN ('pending', 'sending') ORDER BY id LIMIT ?"
        return tuple(_unsent(row) for row in await self._database.rows(query, (AT_MOST,)))


def _passage(connection: sqlite3.Connection, row: sqlite3.Row) -> Passage:
    reply = connection.execute("SELECT * FROM nuntii WHERE seq = ?", (row["reply"],)).fetchone()
    return Passage(
        update_id=row["update_id"],
        turn=turn_of(row),
        reply=None if reply is None else nuntius_of(reply),
        usage=Usage(
            input_tokens=row["input_tokens"],
            output_tokens=row["output_tokens"],
            cache_read_tokens=row["cache_read_tokens"],
            cache_write_tokens=row["cache_write_tokens"],
            cost_usd=row["cost_usd"],
            context_tokens=row["context_tokens"],
            model=row["model"],
        ),
        seconds=row["seconds"],
        tries=row["tries"] or 0,
        parcels=row["parcels"],
        detail=row["detail"],
    )


def _undelivered(row: sqlite3.Row) -> Undelivered:
    return Undelivered(
        id=row["id"],
        parcel=Parcel(chat=row["chat"], payload=row["payload"], seq=row["seq"]),
        error=row["error"],
        created=columns.moment(row["created"]),
    )


def _unsent(row: sqlite3.Row) -> Unsent:
    return Unsent(
        id=row["id"],
        parcel=Parcel(chat=row["chat"], payload=row["payload"], seq=row["seq"]),
        created=columns.moment(row["created"]),
        tries=row["tries"],
        error=row["error"],
        doubtful=row["state"] == "sending",
    )
