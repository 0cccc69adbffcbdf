"""Standing work, each firing one transaction: the effect with the next instant, or nothing.

A firing changes a row only while it is due at the instant that was looked at: whoever comes later, after a
crash or from another look, finds another instant there and does nothing.
"""

import sqlite3

from legio.errors import Refused
from legio.nuntius import Turn
from legio.ports import Clock, Firing, Rule, Schedule, Work
from legio.ports.schedules import MOST_STANDING
from legio.praetorium import columns
from legio.praetorium.database import Database
from legio.praetorium.nuntii import write_nuntius
from legio.praetorium.outbox import write_parcels
from legio.praetorium.turns import admit_turn

_STANDING = "SELECT * FROM schedules WHERE ended IS NULL ORDER BY due, number"
_SAME = """
    SELECT * FROM schedules
    WHERE ended IS NULL AND kind = :kind AND text = :text AND zone = :zone AND rule IS :rule
        AND (due = :due OR rule IS NOT NULL)
    ORDER BY number LIMIT 1
"""
_ADVANCE = """
    UPDATE schedules SET fired = due, due = coalesce(:next, due), ended = iif(:next IS NULL, :now, NULL)
    WHERE number = :number AND due = :due AND ended IS NULL
"""
_RESUME = """
    UPDATE schedules SET ended = NULL
    WHERE number = ? AND ended IS NOT NULL AND (fired IS NULL OR fired < due)
"""


class SqliteSchedules:
    """The port `Schedules` over one database."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def add(self, schedule: Schedule, *, update_id: int | None = None) -> Schedule:
        """1. Writes it and returns it with its number; what stands already is returned as it stands."""
        row = {**_row(schedule), "created": columns.stamp(self._clock.now()), "update_id": update_id}
        names, places = ", ".join(row), ", ".join(f":{name}" for name in row)

        def work(connection: sqlite3.Connection) -> Schedule:
            known = _by_update(connection, update_id) or connection.execute(_SAME, row).fetchone()
            if known is not None:
                return _schedule(known)
            if len(connection.execute(_STANDING).fetchall()) >= MOST_STANDING:
                raise Refused(
                    f"{MOST_STANDING} schedules stand already.",
                    remedy="/schedule lists them, /unschedule takes one away.",
                )
            insert = f"INSERT INTO schedules ({names}) VALUES ({places})"  # noqa: S608  (names of ours)
            number = connection.execute(insert, row).lastrowid
            return _schedule(_one(connection, number))

        return await self._database.write(work)

    async def standing(self) -> tuple[Schedule, ...]:
        """2. Those that have not ended, by the instant at which they are due."""
        return tuple(_schedule(row) for row in await self._database.rows(_STANDING))

    async def fire(self, schedule: Schedule, firing: Firing) -> tuple[Turn, ...] | None:
        """3. Does it, once: the effect and the next instant are written together."""
        now = columns.stamp(self._clock.now())
        values = {
            "number": schedule.number,
            "due": columns.stamp(schedule.due),
            "next": None if firing.next is None else columns.stamp(firing.next),
            "now": now,
        }

        def work(connection: sqlite3.Connection) -> tuple[Turn, ...] | None:
            if connection.execute(_ADVANCE, values).rowcount == 0:
                return None
            nuntius = None if firing.nuntius is None else write_nuntius(connection, firing.nuntius)
            seq = None if nuntius is None else nuntius.seq
            write_parcels(connection, firing.parcels, now=now, carried=seq)
            if nuntius is None:
                return ()
            return tuple(admit_turn(connection, agent, nuntius, nuntius.seq, None) for agent in firing.agents)

        return await self._database.write(work)

    async def end(self, number: int) -> Schedule | None:
        """4. Takes it away, and returns it as it stood; None if it did not stand."""
        now = columns.stamp(self._clock.now())
        query = "UPDATE schedules SET ended = ? WHERE number = ? AND ended IS NULL"
        return await self._changed(query, (now, number), number)

    async def resume(self, number: int) -> Schedule | None:
        """5. Lets one that was taken away stand again; None if it stands, was never, or has nothing left."""
        return await self._changed(_RESUME, (number,), number)

    async def _changed(self, query: str, parameters: tuple[object, ...], number: int) -> Schedule | None:
        def work(connection: sqlite3.Connection) -> Schedule | None:
            touched = connection.execute(query, parameters).rowcount
            return _schedule(_one(connection, number)) if touched else None

        return await self._database.write(work)


def _one(connection: sqlite3.Connection, number: int | None) -> sqlite3.Row:
    row: sqlite3.Row = connection.execute("SELECT * FROM schedules WHERE number = ?", (number,)).fetchone()
    return row


def _by_update(connection: sqlite3.Connection, update_id: int | None) -> sqlite3.Row | None:
    query = "SELECT * FROM schedules WHERE update_id = ?"
    row: sqlite3.Row | None = connection.execute(query, (update_id,)).fetchone()
    return row


def _row(schedule: Schedule) -> dict[str, object]:
    rule = schedule.rule
    return {
        "kind": schedule.work.value,
        "text": columns.sound(schedule.text),
        "author": schedule.author,
        "zone": schedule.zone,
        "first": columns.stamp(schedule.first),
        "rule": None if rule is None else rule.rrule,
        "words": None if rule is None else rule.words,
        "due": columns.stamp(schedule.due),
    }


def _schedule(row: sqlite3.Row) -> Schedule:
    fired = row["fired"]
    return Schedule(
        number=row["number"],
        work=Work(row["kind"]),
        text=row["text"],
        author=row["author"],
        zone=row["zone"],
        due=columns.moment(row["due"]),
        first=columns.moment(row["first"]),
        rule=None if row["rule"] is None else Rule(row["rule"], row["words"]),
        fired=None if fired is None else columns.moment(fired),
    )
