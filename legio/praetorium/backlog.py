"""What is still to be done, and for how long it has been: a few figures that are cheap to ask for again.

Reads only. Whether a figure is a bad sign is for whoever asked to say.
"""

import sqlite3
from datetime import datetime

from legio.ports import Backlog
from legio.praetorium import columns
from legio.praetorium.turns import count_turns

RECENT = 1000
"""How many turns back an agent's last ended one is looked for: no scrape may read the whole table."""

_OWED = """
    SELECT turns.agent, min(nuntii.timestamp) AS asked, max(turns.began) AS began
    FROM turns JOIN nuntii ON nuntii.seq = turns.nuntius
    WHERE turns.ended IS NULL GROUP BY turns.agent
"""
_LAST_ENDED = """
    SELECT ended FROM turns
    WHERE agent = ? AND ended IS NOT NULL AND id > (SELECT max(id) FROM turns) - ?
    ORDER BY id DESC LIMIT 1
"""
_UNSENT = "SELECT count(*), min(created) FROM outbox WHERE state IN ('pending', 'sending')"


def backlog(connection: sqlite3.Connection, now: datetime) -> Backlog:
    """The figures at `now`; an age that a jump of the clock would make negative is 0."""
    parcels = connection.execute(_UNSENT).fetchone()
    letters = connection.execute("SELECT count(*), min(received) FROM inbox WHERE ended IS NULL").fetchone()
    owed = connection.execute(_OWED).fetchall()
    slow = [(_age(_idle_since(connection, row), now), str(row["agent"])) for row in owed]
    slowest_seconds, slowest = max(slow, default=(0.0, ""))
    return Backlog(
        tally=count_turns(connection),
        inbox=letters[0],
        inbox_seconds=_age(letters[1], now),
        turn_seconds=max((_age(row["asked"], now) for row in owed), default=0.0),
        slowest=slowest,
        slowest_seconds=slowest_seconds,
        outbox=parcels[0],
        outbox_seconds=_age(parcels[1], now),
        undeliverable=_count(connection, "SELECT count(*) FROM outbox WHERE state = 'undeliverable'"),
    )


def _idle_since(connection: sqlite3.Connection, row: sqlite3.Row) -> str:
    """Since when an agent that owes an answer has ended no turn: asked, begun or ended last."""
    ended = connection.execute(_LAST_ENDED, (row["agent"], RECENT)).fetchone()
    since: str = max(row["asked"], row["began"] or "", ended["ended"] if ended else "")
    return since


def _count(connection: sqlite3.Connection, query: str) -> int:
    count: int = connection.execute(query).fetchone()[0]
    return count


def _age(stamp: str | None, now: datetime) -> float:
    return 0.0 if stamp is None else max(0.0, (now - columns.moment(stamp)).total_seconds())
