"""What has come in, committed before Telegram is told so; each update is kept once and ended once.

An ended letter loses its payload (its text is a nuntius by then) and keeps its id for ever.
"""

import sqlite3
from collections.abc import Sequence

from legio.ports import Clock, Letter, Parcel
from legio.praetorium import columns
from legio.praetorium.database import Database
from legio.praetorium.outbox import write_parcels


class SqliteInbox:
    """The port `Inbox` over one database."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def put(self, letter: Letter) -> bool:
        """1. Keeps the letter; False, and nothing changes, if its id was ever put before.

        Raises `PraetoriumError` when that cannot be: Telegram keeps what nobody acknowledges.
        """
        written = await self._database.change(
            "INSERT INTO inbox (update_id, payload, received) VALUES (?, ?, ?)"
            " ON CONFLICT (update_id) DO NOTHING",
            (letter.id, columns.sound(letter.payload), columns.stamp(letter.received)),
            patient=False,
        )
        return written == 1

    async def unfinished(self) -> tuple[Letter, ...]:
        """2. Letters put and neither finished nor admitted, oldest first.

        That is by id: Telegram names it as the order to restore (https://core.telegram.org/bots/api#update),
        while the wall clock may have jumped.
        """
        rows = await self._database.rows("SELECT * FROM inbox WHERE ended IS NULL ORDER BY update_id")
        return tuple(
            Letter(id=row["update_id"], payload=row["payload"], received=columns.moment(row["received"]))
            for row in rows
        )

    async def finish(self, update_id: int, parcels: Sequence[Parcel] = ()) -> bool:
        """3. Ends the letter and writes its parcels; False, and nothing changes, if it had ended before."""
        now = columns.stamp(self._clock.now())

        def work(connection: sqlite3.Connection) -> bool:
            if not end_letter(connection, update_id, now=now):
                return False
            write_parcels(connection, parcels, now=now)
            return True

        return await self._database.write(work)


def end_letter(connection: sqlite3.Connection, update_id: int, *, now: str) -> bool:
    """End the letter; False if it had ended before. Raises `LookupError` if it was never put: a mistake."""
    row = connection.execute("SELECT ended FROM inbox WHERE update_id = ?", (update_id,)).fetchone()
    if row is None:
        raise LookupError(f"the update {update_id} was never put into the inbox")
    if row["ended"] is not None:
        return False
    connection.execute("UPDATE inbox SET ended = ?, payload = '' WHERE update_id = ?", (now, update_id))
    return True


def link_letter(connection: sqlite3.Connection, update_id: int, seq: int) -> None:
    """Remember that the ended letter became the nuntius `seq`."""
    connection.execute("UPDATE inbox SET nuntius = ? WHERE update_id = ?", (seq, update_id))
