"""Who owes an answer: each step of a turn's life is one transaction, and its end is written once.

The tables themselves refuse an end without its time, an answer without its reply, and a reply to two turns.
"""

import sqlite3
from collections.abc import Sequence

from legio.nuntius import Nuntius, Tally, Turn, TurnState
from legio.ports import Clock, Ending, Thread
from legio.praetorium import columns
from legio.praetorium.database import Database
from legio.praetorium.inbox import end_letter, link_letter
from legio.praetorium.nuntii import nuntius_of, write_nuntius
from legio.praetorium.outbox import write_message, write_parcels
from legio.praetorium.threads import write_thread

_OPEN = """
    SELECT nuntii.*, turns.id AS turn, turns.agent, turns.root, turns.message, turns.state
    FROM turns JOIN nuntii ON nuntii.seq = turns.nuntius
    WHERE turns.ended IS NULL ORDER BY turns.id
"""
_END = """
    UPDATE turns SET state = ?, reply = ?, ended = ?, seconds = ?, detail = ?, input_tokens = ?,
        output_tokens = ?, cache_read_tokens = ?, cache_write_tokens = ?, context_tokens = ?, cost_usd = ?,
        model = ?
    WHERE id = ?
"""


class SqliteTurns:
    """The port `Turns` over one database."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def admit(
        self,
        nuntius: Nuntius,
        agents: Sequence[str],
        *,
        update_id: int | None = None,
        message: int | None = None,
        root: int | None = None,
    ) -> tuple[Turn, ...]:
        """1. Writes the nuntius, its audience, one pending turn an agent, and the inbox row's end.

        Returns the turns in the order of `agents`; none, and nothing changes, if the letter had ended. The
        message is remembered for Caesar's own nuntius alone (`root` is None): what a dispatch says to an
        agent was not in that message. Raises `LookupError` if the update was never put into the inbox.
        """
        now = columns.stamp(self._clock.now())

        def work(connection: sqlite3.Connection) -> tuple[Turn, ...]:
            if update_id is not None and not end_letter(connection, update_id, now=now):
                return ()
            written = write_nuntius(connection, nuntius)
            if update_id is not None:
                link_letter(connection, update_id, written.seq)
            if root is None and message is not None:
                write_message(connection, message, written.seq)
            origin = written.seq if root is None else root
            return tuple(_admit(connection, agent, written, origin, message) for agent in agents)

        return await self._database.write(work)

    async def begin(self, turn: Turn, thread: Thread) -> bool:
        """2. Turns it to running and saves the thread's row; False if the turn has already ended."""
        now = columns.stamp(self._clock.now())
        query = "UPDATE turns SET state = 'running', began = ? WHERE id = ? AND ended IS NULL"

        def work(connection: sqlite3.Connection) -> bool:
            if connection.execute(query, (now, turn.id)).rowcount == 0:
                return False
            write_thread(connection, thread)
            return True

        return await self._database.write(work)

    async def end(self, turn: Turn, ending: Ending, thread: Thread | None = None) -> Nuntius | None:
        """3. Writes the ending; returns the reply with its seq. Does nothing if the turn has ended."""
        now = columns.stamp(self._clock.now())

        def work(connection: sqlite3.Connection) -> Nuntius | None:
            if not _is_open(connection, turn):
                return None
            reply = None if ending.reply is None else write_nuntius(connection, ending.reply)
            seq = None if reply is None else reply.seq
            connection.execute(_END, (*_ending_columns(ending, seq, now), turn.id))
            write_parcels(connection, ending.parcels, now=now, carried=seq)
            if thread is not None:
                write_thread(connection, thread)
            return reply

        return await self._database.write(work)

    async def open(self) -> tuple[Turn, ...]:
        """4. The turns not ended, oldest first; those that were running come with `interrupted`."""
        return tuple(turn_of(row) for row in await self._database.rows(_OPEN))

    async def tally(self) -> Tally:
        """5. The conservation law in figures, at this instant."""
        return await self._database.read(count_turns)


def count_turns(connection: sqlite3.Connection) -> Tally:
    """The tally. What was received is counted apart, by the highest id ever given: a lost row would show."""
    received = connection.execute("SELECT max(seq) FROM sqlite_sequence WHERE name = 'turns'").fetchone()[0]
    rows = connection.execute("SELECT state, count(*) FROM turns GROUP BY state").fetchall()
    counts = {TurnState(state): int(count) for state, count in rows}
    return Tally(
        received=received or 0,
        answered=counts.get(TurnState.ANSWERED, 0),
        failed=counts.get(TurnState.FAILED, 0),
        stopped=counts.get(TurnState.STOPPED, 0),
        expired=counts.get(TurnState.EXPIRED, 0),
        pending=counts.get(TurnState.PENDING, 0) + counts.get(TurnState.RUNNING, 0),
    )


def _admit(
    connection: sqlite3.Connection, agent: str, nuntius: Nuntius, root: int, message: int | None
) -> Turn:
    cursor = connection.execute(
        "INSERT INTO turns (nuntius, agent, root, message) VALUES (?, ?, ?, ?)",
        (nuntius.seq, agent, root, message),
    )
    assert cursor.lastrowid is not None
    return Turn(id=cursor.lastrowid, agent=agent, nuntius=nuntius, root=root, message=message)


def _is_open(connection: sqlite3.Connection, turn: Turn) -> bool:
    query = "SELECT 1 FROM turns WHERE id = ? AND ended IS NULL"
    return connection.execute(query, (turn.id,)).fetchone() is not None


def _ending_columns(ending: Ending, reply: int | None, now: str) -> tuple[object, ...]:
    usage = ending.usage
    return (
        ending.state.value,
        reply,
        now,
        ending.seconds,
        columns.sound(ending.detail),
        usage.input_tokens,
        usage.output_tokens,
        usage.cache_read_tokens,
        usage.cache_write_tokens,
        usage.context_tokens,
        usage.cost_usd,
        usage.model,
    )


def turn_of(row: sqlite3.Row) -> Turn:
    """The turn in a row that holds its nuntius' columns first, and its own id as `turn`."""
    state = TurnState(row["state"])
    return Turn(
        id=row["turn"],
        agent=row["agent"],
        nuntius=nuntius_of(row),
        root=row["root"],
        message=row["message"],
        state=state,
        interrupted=state is TurnState.RUNNING,
    )
