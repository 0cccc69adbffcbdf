"""Who owes an answer: each step of a turn's life is one transaction, and its end is written once.

The tables themselves refuse an end without its time, an answer without its reply, and a reply to two turns.
"""

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass, replace

from legio.errors import Outdated
from legio.nuntius import CAESAR, Nuntius, Tally, Turn, TurnState
from legio.ports import Clock, Ending, Thread
from legio.praetorium import columns
from legio.praetorium.database import Database
from legio.praetorium.inbox import end_letter, link_letter
from legio.praetorium.nuntii import nuntii_of, nuntius_of, write_nuntius
from legio.praetorium.outbox import write_message, write_parcels
from legio.praetorium.threads import write_thread

_OPEN = """
    SELECT nuntii.*, turns.id AS turn, turns.agent, turns.root, turns.message, turns.state
    FROM turns JOIN nuntii ON nuntii.seq = turns.nuntius
    WHERE turns.ended IS NULL ORDER BY turns.id
"""
_USAGE = """
    seconds = ?, input_tokens = ?, output_tokens = ?, cache_read_tokens = ?, cache_write_tokens = ?,
        context_tokens = ?, cost_usd = ?, model = ?
"""
_END = f"UPDATE turns SET state = ?, reply = ?, ended = ?, detail = ?, {_USAGE} WHERE id = ?"  # noqa: S608
# What was stopped in the record while it ran, and has not been told yet what it took.
_TOOK = f"UPDATE turns SET {_USAGE} WHERE id = ? AND state = 'stopped' AND began IS NOT NULL AND seconds = 0"  # noqa: S608


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
        update_id: int | tuple[int, ...] | None = None,
        message: int | None = None,
        root: int | None = None,
    ) -> tuple[Turn, ...]:
        """1. Writes the nuntius, its audience, one pending turn an agent, and the inbox row's end.

        Returns the turns in the order of `agents`; none, and nothing changes, if its letters had ended. The
        message is remembered for Caesar's own nuntius alone (`root` is None): what a dispatch says to an
        agent was not in that message. Raises `LookupError` if the update was never put into the inbox.
        """
        now = columns.stamp(self._clock.now())
        letters = (update_id,) if isinstance(update_id, int) else update_id or ()

        def work(connection: sqlite3.Connection) -> tuple[Turn, ...]:
            open_letters = [it for it in letters if end_letter(connection, it, now=now)]
            if letters and not open_letters:
                return ()
            written = write_nuntius(connection, nuntius)
            for letter in open_letters:
                link_letter(connection, letter, written.seq)
            if root is None and message is not None:
                write_message(connection, message, written.seq)
            origin = written.seq if root is None else root
            return tuple(admit_turn(connection, agent, written, origin, message) for agent in agents)

        return await self._database.write(work)

    async def begin(self, turn: Turn, thread: Thread, told: Sequence[Nuntius] = ()) -> bool:
        """2. Turns it to running and saves the thread's row; False if the turn has already ended.

        Raises `Outdated`, and changes nothing, if one of `told`, which the thread is to be given now, does
        not stand in the record any more as it was read.
        """
        now = columns.stamp(self._clock.now())
        query = "UPDATE turns SET state = 'running', began = ? WHERE id = ? AND ended IS NULL"

        def work(connection: sqlite3.Connection) -> bool:
            if connection.execute(query, (now, turn.id)).rowcount == 0:
                return False
            _still_stand(connection, told)
            write_thread(connection, thread)
            return True

        return await self._database.write(work)

    async def end(self, turn: Turn, ending: Ending, thread: Thread | None = None) -> Nuntius | None:
        """3. Writes the ending; returns the reply with its seq. A turn that has ended stays as it ended.

        One that was stopped in the record before its agent knew is told what it took, and its thread's row is
        saved: the thread did go on.
        """
        now = columns.stamp(self._clock.now())

        def work(connection: sqlite3.Connection) -> Nuntius | None:
            if (ended := end_turn(connection, turn, ending, now=now)) is None:
                late = (*_usage_columns(ending), turn.id)
                if connection.execute(_TOOK, late).rowcount == 0:
                    return None
            if thread is not None:
                write_thread(connection, thread)
            return None if ended is None else ended.reply

        return await self._database.write(work)

    async def open(self) -> tuple[Turn, ...]:
        """4. The turns not ended, oldest first; those that were running come with `interrupted`."""

        def work(connection: sqlite3.Connection) -> tuple[Turn, ...]:
            rows = connection.execute(_OPEN).fetchall()
            nuntii = nuntii_of(connection, rows)
            return tuple(replace(turn_of(row), nuntius=it) for row, it in zip(rows, nuntii, strict=True))

        return await self._database.read(work)

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


@dataclass(frozen=True, slots=True)
class Ended:
    """That a turn was ended just now; `reply` is its reply as it stands, None unless it was answered."""

    reply: Nuntius | None


def end_turn(connection: sqlite3.Connection, turn: Turn, ending: Ending, *, now: str) -> Ended | None:
    """Write the ending with its reply and parcels; None, and nothing is written, if the turn has ended."""
    if not _is_open(connection, turn):
        return None
    reply = None if ending.reply is None else write_nuntius(connection, ending.reply)
    seq = None if reply is None else reply.seq
    columns_ended = (ending.state.value, seq, now, columns.sound(ending.detail), *_usage_columns(ending))
    connection.execute(_END, (*columns_ended, turn.id))
    write_parcels(connection, ending.parcels, now=now, carried=seq)
    return Ended(reply)


def _still_stand(connection: sqlite3.Connection, told: Sequence[Nuntius]) -> None:
    """Only what Caesar said can have been amended; raises `Outdated` if something of it has been."""
    query = "SELECT 1 FROM nuntii WHERE seq = ? AND text = ? AND audience = ?"
    for nuntius in told:
        if nuntius.sender == CAESAR:
            row = (nuntius.seq, nuntius.text, columns.audience_column(nuntius.audience))
            if connection.execute(query, row).fetchone() is None:
                raise Outdated("what was to be told has been amended.", where=f"nuntius {nuntius.seq}")


def admit_turn(
    connection: sqlite3.Connection, agent: str, nuntius: Nuntius, root: int, message: int | None
) -> Turn:
    """Write that `agent` owes an answer to `nuntius`, which is written; returns the pending turn."""
    cursor = connection.execute(
        "INSERT INTO turns (nuntius, agent, root, message) VALUES (?, ?, ?, ?)",
        (nuntius.seq, agent, root, message),
    )
    assert cursor.lastrowid is not None
    return Turn(id=cursor.lastrowid, agent=agent, nuntius=nuntius, root=root, message=message)


def _is_open(connection: sqlite3.Connection, turn: Turn) -> bool:
    query = "SELECT 1 FROM turns WHERE id = ? AND ended IS NULL"
    return connection.execute(query, (turn.id,)).fetchone() is not None


def _usage_columns(ending: Ending) -> tuple[object, ...]:
    usage = ending.usage
    return (
        ending.seconds,
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
