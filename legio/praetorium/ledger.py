"""What the record can be asked afterwards: the way an answer took, and what never reached Caesar."""

import sqlite3

from legio.events import Usage
from legio.ports import Parcel, Passage, Undelivered
from legio.praetorium import columns
from legio.praetorium.database import Database
from legio.praetorium.nuntii import nuntius_of
from legio.praetorium.turns import turn_of

AT_MOST = 100

_PASSAGE = """
    SELECT nuntii.*, turns.id AS turn, turns.agent, turns.root, turns.message, turns.state, turns.reply,
        turns.seconds, turns.input_tokens, turns.output_tokens, turns.cache_read_tokens,
        turns.cache_write_tokens, turns.context_tokens, turns.cost_usd, turns.model,
        (SELECT min(update_id) FROM inbox WHERE inbox.nuntius = turns.root) AS update_id,
        (SELECT count(*) FROM outbox WHERE outbox.seq = turns.reply) AS parcels,
        (SELECT max(tries) FROM outbox WHERE outbox.seq = turns.reply) AS tries
    FROM messages
    JOIN turns ON turns.reply = messages.seq
    JOIN nuntii ON nuntii.seq = turns.nuntius
    WHERE messages.message = ?
"""
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
            row = connection.execute(_PASSAGE, (message,)).fetchone()
            if row is None:
                return None
            query = "SELECT * FROM nuntii WHERE seq = ?"
            return _passage(row, connection.execute(query, (row["reply"],)).fetchone())

        return await self._database.read(work)

    async def undelivered(self) -> tuple[Undelivered, ...]:
        """2. The parcels given up, oldest first, at most 100."""
        query = "SELECT * FROM outbox WHERE state = 'undeliverable' ORDER BY id LIMIT ?"
        return tuple(_undelivered(row) for row in await self._database.rows(query, (AT_MOST,)))

    async def retry(self) -> int:
        """3. Makes all of them due again; returns how many."""
        return await self._database.change(_RETRY)


def _passage(row: sqlite3.Row, reply: sqlite3.Row) -> Passage:
    return Passage(
        update_id=row["update_id"],
        turn=turn_of(row),
        reply=nuntius_of(reply),
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
    )


def _undelivered(row: sqlite3.Row) -> Undelivered:
    return Undelivered(
        id=row["id"],
        parcel=Parcel(chat=row["chat"], payload=row["payload"], seq=row["seq"]),
        error=row["error"],
        created=columns.moment(row["created"]),
    )
