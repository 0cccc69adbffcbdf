"""What Caesar said, changed while nobody has been told it, and replaced afterwards; each in one transaction.

Whether a nuntius is untold is asked in the transaction that changes it, and `Turns.begin` looks in its own
whether what a thread is about to be told still stands so. When to change what is decided by the core.
"""

import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import replace

from legio.nuntius import CAESAR, Nuntius, Turn, TurnState, visible
from legio.ports import Cause, Change, Clock, Ending, Source
from legio.praetorium import columns
from legio.praetorium.database import Database
from legio.praetorium.inbox import end_letter, link_letter
from legio.praetorium.nuntii import nuntii_of, rewrite_nuntius, write_nuntius
from legio.praetorium.outbox import write_parcels
from legio.praetorium.turns import admit_turn, end_turn, turn_of

_TOLD = """
    SELECT 1 WHERE EXISTS (SELECT 1 FROM turns WHERE nuntius = :seq AND state <> 'pending')
        OR EXISTS (
            SELECT 1 FROM sessions WHERE cursor >= :seq AND (
                agent = 'legatus' OR EXISTS (
                    SELECT 1 FROM nuntius_audience AS heard
                    WHERE heard.name IN (sessions.agent, 'all') AND heard.seq = :seq
                )
            )
        )
"""
_TURNS_OF = """
    SELECT nuntii.*, turns.id AS turn, turns.agent, turns.root, turns.message, turns.state
    FROM turns JOIN nuntii ON nuntii.seq = turns.nuntius
"""


class SqliteCorrections:
    """The port `Corrections` over one database."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def source(self, message: int) -> Source | None:
        """1. What Caesar's Telegram message became, with all the messages that became it; None if nothing."""

        def work(connection: sqlite3.Connection) -> Source | None:
            query = "SELECT nuntii.* FROM messages JOIN nuntii ON nuntii.seq = messages.seq WHERE message = ?"
            rows = connection.execute(query, (message,)).fetchall()
            for nuntius in nuntii_of(connection, rows):
                if nuntius.sender == CAESAR:
                    return Source(nuntius, _parts(connection, nuntius))
            return None

        return await self._database.read(work)

    async def join(self, seq: int, text: str, *, update_id: int, message: int) -> Nuntius | None:
        """2. Adds a line to the untold nuntius; None if it was told, or the letter had ended."""
        now = columns.stamp(self._clock.now())

        def work(connection: sqlite3.Connection) -> Nuntius | None:
            if _told(connection, seq) or not end_letter(connection, update_id, now=now):
                return None
            link_letter(connection, update_id, seq)
            (nuntius,) = nuntii_of(
                connection, connection.execute("SELECT * FROM nuntii WHERE seq = ?", (seq,)).fetchall()
            )
            parts = {**_parts(connection, nuntius), message: columns.sound(text)}
            text_now = f"{nuntius.text}\n{parts[message]}"
            joined = rewrite_nuntius(connection, seq, text_now, nuntius.audience)
            _write_parts(connection, joined, parts)
            return joined

        return await self._database.write(work)

    async def amend(
        self, nuntius: Nuntius, agents: Sequence[str], cause: Cause, ending: Ending
    ) -> Change | None:
        """3. The untold nuntius of that seq gets this text and audience; None if it was told."""
        now = columns.stamp(self._clock.now())

        def work(connection: sqlite3.Connection) -> Change | None:
            turns = _turns(connection, "turns.nuntius = ?", nuntius.seq)
            new = [agent for agent in agents if agent not in {turn.agent for turn in turns}]
            told = _told(connection, nuntius.seq) or _passed(connection, nuntius)
            if told or _overtaken(connection, nuntius.seq, new) or not _opened(connection, cause, now):
                return None
            amended = rewrite_nuntius(connection, nuntius.seq, nuntius.text, nuntius.audience)
            _conclude(connection, cause, amended, now)
            unasked = tuple(turn for turn in turns if turn.agent not in agents)
            for turn in unasked:
                end_turn(connection, turn, ending, now=now)
            return Change(_admit(connection, amended, new, cause), unasked)

        return await self._database.write(work)

    async def replace(
        self,
        nuntius: Nuntius,
        agents: Sequence[str],
        cause: Cause,
        endings: Sequence[tuple[Turn, Ending]],
    ) -> Change:
        """4. Admits a nuntius and ends what it takes the place of, as far as that has not ended."""
        now = columns.stamp(self._clock.now())

        def work(connection: sqlite3.Connection) -> Change:
            if not _opened(connection, cause, now):
                return Change()
            stopped = tuple(
                turn for turn, ending in endings if end_turn(connection, turn, ending, now=now) is not None
            )
            written = write_nuntius(connection, nuntius)
            _conclude(connection, cause, written, now)
            return Change(_admit(connection, written, agents, cause), stopped)

        return await self._database.write(work)

    async def again(self, turn_id: int, nuntius_id: str, *, update_id: int) -> Turn | None:
        """5. Admits what an ended turn was asked once more, to its agent alone, under that new id."""
        now = self._clock.now()

        def work(connection: sqlite3.Connection) -> Turn | None:
            if not end_letter(connection, update_id, now=columns.stamp(now)):
                return None
            turns = _turns(connection, "turns.id = ?", turn_id)
            asked = connection.execute("SELECT 1 FROM nuntii WHERE id = ?", (nuntius_id,)).fetchone()
            if asked is not None or not turns or not _failed(turns[0]):
                return None
            (turn,) = turns
            question = replace(turn.nuntius, id=nuntius_id, audience=(turn.agent,), timestamp=now)
            written = write_nuntius(connection, question)
            link_letter(connection, update_id, written.seq)
            return admit_turn(connection, turn.agent, written, written.seq, turn.message)

        return await self._database.write(work)


def _opened(connection: sqlite3.Connection, cause: Cause, now: str) -> bool:
    """End the letters; False if all of them had ended before."""
    opened = [end_letter(connection, update_id, now=now) for update_id in cause.updates]
    return any(opened)


def _conclude(connection: sqlite3.Connection, cause: Cause, nuntius: Nuntius, now: str) -> None:
    """The letters and the messages lead to the nuntius; what Caesar is told goes out."""
    for update_id in cause.updates:
        link_letter(connection, update_id, nuntius.seq)
    _write_parts(connection, nuntius, cause.parts)
    write_parcels(connection, cause.parcels, now=now)


def _admit(
    connection: sqlite3.Connection, nuntius: Nuntius, agents: Sequence[str], cause: Cause
) -> tuple[Turn, ...]:
    """One turn an agent, in reply to the first message."""
    message = min(cause.parts, default=None)
    return tuple(admit_turn(connection, agent, nuntius, nuntius.seq, message) for agent in agents)


def _failed(turn: Turn) -> bool:
    return turn.nuntius.sender == CAESAR and turn.state.ended and turn.state is not TurnState.ANSWERED


def _told(connection: sqlite3.Connection, seq: int) -> bool:
    return connection.execute(_TOLD, {"seq": seq}).fetchone() is not None


def _passed(connection: sqlite3.Connection, nuntius: Nuntius) -> bool:
    """Whether a thread that is to see it has gone past it: what it had not seen then it would never see."""
    rows = connection.execute("SELECT agent FROM sessions WHERE cursor >= ?", (nuntius.seq,))
    return any(visible(row["agent"], nuntius) for row in rows)


def _overtaken(connection: sqlite3.Connection, seq: int, agents: Sequence[str]) -> bool:
    """Whether something later waits for one of the agents: a turn begun now would come behind it."""
    rows = connection.execute("SELECT agent FROM turns WHERE ended IS NULL AND nuntius > ?", (seq,))
    return any(row["agent"] in agents for row in rows)


def _turns(connection: sqlite3.Connection, condition: str, value: int) -> tuple[Turn, ...]:
    """The turns of a condition of ours, with their nuntii whole, oldest first."""
    rows = connection.execute(f"{_TURNS_OF} WHERE {condition} ORDER BY turns.id", (value,)).fetchall()
    whole = nuntii_of(connection, rows)
    return tuple(replace(turn_of(row), nuntius=nuntius) for row, nuntius in zip(rows, whole, strict=True))


def _parts(connection: sqlite3.Connection, nuntius: Nuntius) -> dict[int, str]:
    query = "SELECT message, text FROM messages WHERE seq = ? ORDER BY message"
    rows = connection.execute(query, (nuntius.seq,))
    return {row["message"]: nuntius.text if row["text"] is None else row["text"] for row in rows}


def _write_parts(connection: sqlite3.Connection, nuntius: Nuntius, parts: Mapping[int, str]) -> None:
    """What each message said, or nothing where it said all of it."""
    connection.executemany(
        "INSERT INTO messages (message, seq, text) VALUES (?, ?, ?)"
        " ON CONFLICT (message) DO UPDATE SET seq = excluded.seq, text = excluded.text",
        [
            (message, nuntius.seq, None if (sound := columns.sound(text)) == nuntius.text else sound)
            for message, text in parts.items()
        ],
    )
