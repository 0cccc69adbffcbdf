"""What has to go out, in order of writing; pacing and retrying are the messenger's business.

A row is 'sending' from the moment a send begins until its end is known: found so later, it may have arrived.
"""

import sqlite3
from collections.abc import Sequence

from legio.ports import Clock, Dispatch, Parcel
from legio.praetorium import columns
from legio.praetorium.database import Database

AT_MOST = 500


class SqliteOutbox:
    """The port `Outbox` over one database."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def add(self, parcels: Sequence[Parcel]) -> None:
        """1. Writes parcels that belong to no turn and no letter."""
        now = columns.stamp(self._clock.now())
        await self._database.write(lambda connection: write_parcels(connection, parcels, now=now))

    async def due(self) -> tuple[Dispatch, ...]:
        """2. All that is neither sent nor undeliverable, in order of writing, at most 500."""
        query = "SELECT * FROM outbox WHERE state IN ('pending', 'sending') ORDER BY id LIMIT ?"
        rows = await self._database.rows(query, (AT_MOST,))
        return tuple(_dispatch(row) for row in rows)

    async def start(self, dispatch: Dispatch) -> None:
        """3. A send begins: until it ends, the parcel is doubtful. Counts the try."""
        query = (
            "UPDATE outbox SET state = 'sending', tries = tries + 1"
            " WHERE id = ? AND state IN ('pending', 'sending')"
        )
        await self._database.change(query, (dispatch.id,))

    async def sent(self, dispatch: Dispatch, message: int) -> None:
        """4. It arrived as `message`; a reply to that id finds the nuntius."""
        seq = dispatch.parcel.seq

        def work(connection: sqlite3.Connection) -> None:
            connection.execute(
                "UPDATE outbox SET state = 'sent', message = ?, error = '' WHERE id = ?",
                (message, dispatch.id),
            )
            if seq is not None:
                write_message(connection, message, seq)

        await self._database.write(work)

    async def failed(self, dispatch: Dispatch, error: str, *, final: bool, doubtful: bool) -> None:
        """5. It did not arrive, or nobody knows: `final` ends it as undeliverable, else it is due again."""
        state = "undeliverable" if final else "sending" if doubtful else "pending"
        query = (
            "UPDATE outbox SET state = ?, error = ?, doubtful = ?"
            " WHERE id = ? AND state IN ('pending', 'sending')"
        )
        await self._database.change(query, (state, columns.sound(error), doubtful, dispatch.id))


def write_parcels(
    connection: sqlite3.Connection, parcels: Sequence[Parcel], *, now: str, carried: int | None = None
) -> None:
    """Write parcels in their order; one without a seq carries the nuntius `carried`, if there is one."""
    connection.executemany(
        "INSERT INTO outbox (chat, payload, seq, created) VALUES (?, ?, ?, ?)",
        [
            (
                parcel.chat,
                columns.sound(parcel.payload),
                carried if parcel.seq is None else parcel.seq,
                now,
            )
            for parcel in parcels
        ],
    )


def write_message(connection: sqlite3.Connection, message: int, seq: int) -> None:
    """Remember that Telegram's `message` carries the nuntius `seq`; an edited one carries the latest."""
    connection.execute(
        "INSERT INTO messages (message, seq) VALUES (?, ?)"
        " ON CONFLICT (message) DO UPDATE SET seq = excluded.seq",
        (message, seq),
    )


def _dispatch(row: sqlite3.Row) -> Dispatch:
    return Dispatch(
        id=row["id"],
        parcel=Parcel(chat=row["chat"], payload=row["payload"], seq=row["seq"]),
        tries=row["tries"],
        doubtful=row["state"] == "sending",
    )
