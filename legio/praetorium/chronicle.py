"""The record read page by page, asked of its indexes only: a page costs the same wherever in the book it is.

A page goes on from a seq and never counts what lies before it. Who sent or is named is asked through
`nuntius_audience`, which has a row a name; a span of time becomes a run of seqs through the index of times.
"""

import json
import sqlite3
from collections.abc import Sequence

from legio.nuntius import Nuntius
from legio.ports import Conversation, Selection
from legio.praetorium import columns
from legio.praetorium.database import Database
from legio.praetorium.nuntii import EACH_NAME, nuntii_of

MOST_ABOVE = 50
MOST_BELOW = 100
REACH = 5_000
"""Among how many nuntii after one its answers are looked for: no index leads from it to them."""
DISORDER = 10_000
"""How far out of order times may stand in a long span: clocks are set, and two who write at once overtake."""
LAST = 2**63 - 1
_ALWAYS = ("", "9999")

# The plus signs keep the times from being asked by their index: the run of seqs has been found by it already.
_EVERYBODY = """
    SELECT * FROM nuntii
    WHERE seq > :after AND seq < :before AND +timestamp >= :since AND +timestamp < :until
    ORDER BY seq {order} LIMIT :limit
"""
_OF_ONE = """
    SELECT nuntii.* FROM nuntius_audience AS heard CROSS JOIN nuntii ON nuntii.seq = heard.seq
    WHERE heard.name = :agent AND heard.seq > :after AND heard.seq < :before
        AND +nuntii.timestamp >= :since AND +nuntii.timestamp < :until
    ORDER BY heard.seq {order} LIMIT :limit
"""
_RUN = """
    SELECT
        (SELECT min(seq) FROM (
            SELECT seq FROM nuntii WHERE timestamp >= :since AND timestamp < :until
            ORDER BY timestamp LIMIT :disorder
        )) AS first,
        (SELECT max(seq) FROM (
            SELECT seq FROM nuntii WHERE timestamp >= :since AND timestamp < :until
            ORDER BY timestamp DESC LIMIT :disorder
        )) AS last
"""
_PICKED = "SELECT * FROM nuntii WHERE seq IN (SELECT value FROM json_each(?)) ORDER BY seq"
_ABOVE = """
    WITH RECURSIVE above (seq, reply_to, steps) AS (
        SELECT seq, reply_to, 0 FROM nuntii WHERE seq = :seq
        UNION ALL
        SELECT nuntii.seq, nuntii.reply_to, above.steps + 1
        FROM above CROSS JOIN nuntii ON nuntii.id = above.reply_to WHERE above.steps < :most
    )
    SELECT nuntii.* FROM above CROSS JOIN nuntii ON nuntii.seq = above.seq ORDER BY above.steps DESC
"""
_AFTER = """
    SELECT seq, id, reply_to FROM nuntii
    WHERE seq > :seq AND seq <= :seq + :reach AND reply_to IS NOT NULL ORDER BY seq
"""
_ANSWERS = "SELECT reply FROM turns WHERE nuntius = ? AND reply IS NOT NULL"
_NAMES = f"""
    WITH RECURSIVE {EACH_NAME}
    SELECT name FROM names WHERE name IS NOT NULL
"""  # noqa: S608  (both parts are ours)


class SqliteChronicle:
    """The port `Chronicle` over one database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def page(
        self, selection: Selection, limit: int, *, before: int | None = None, after: int | None = None
    ) -> tuple[Nuntius, ...]:
        """1. At most `limit` of the selection with after < seq < before, newest first."""
        query = _EVERYBODY if selection.agent is None else _OF_ONE
        since, until = span(selection)

        def work(connection: sqlite3.Connection) -> tuple[Nuntius, ...]:
            first, last = run(connection, selection)
            values = {
                "agent": selection.agent,
                "since": since,
                "until": until,
                "after": min(max(first - 1, after or 0), LAST),
                "before": min(last + 1, LAST if before is None else before),
                "limit": max(0, limit),  # to SQLite a negative limit is none at all
            }
            ordered = query.format(order="DESC" if after is None else "ASC")
            found = nuntii_of(connection, connection.execute(ordered, values).fetchall())
            return found if after is None else found[::-1]

        return await self._database.read(work)

    async def picked(self, seqs: Sequence[int]) -> tuple[Nuntius, ...]:
        """2. Those of these seqs that there are, oldest first."""
        return await self._database.read(lambda connection: _picked(connection, seqs))

    async def conversation(self, seq: int) -> Conversation | None:
        """3. The nuntius of that seq among its own; None if there is none."""

        def work(connection: sqlite3.Connection) -> Conversation | None:
            values = {"seq": min(seq, LAST), "most": MOST_ABOVE}
            above = nuntii_of(connection, connection.execute(_ABOVE, values).fetchall())
            if not above:
                return None
            *before, nuntius = above
            below = _below(connection, nuntius)
            shown = _picked(connection, below[:MOST_BELOW])
            return Conversation(nuntius, tuple(before), shown, more=len(below) > MOST_BELOW)

        return await self._database.read(work)

    async def names(self) -> tuple[str, ...]:
        """4. Everybody who ever sent a nuntius or was named in one, sorted; "all" if one was for everyone."""
        return tuple(row["name"] for row in await self._database.rows(_NAMES))


def span(selection: Selection) -> tuple[str, str]:
    """From which stamp on, and to before which one, the selection's times are."""
    always_since, always_until = _ALWAYS
    since = always_since if selection.since is None else columns.stamp(selection.since)
    return since, always_until if selection.until is None else columns.stamp(selection.until)


def run(connection: sqlite3.Connection, selection: Selection) -> tuple[int, int]:
    """The first and the last seq of the selection's times; (1, 0) where nothing was said.

    Between them stand others too, where the clock was set: the times have to be asked once more.
    """
    since, until = span(selection)
    if (since, until) == _ALWAYS:
        return 1, LAST - 1
    values = {"since": since, "until": until, "disorder": DISORDER}
    row = connection.execute(_RUN, values).fetchone()
    return (1, 0) if row["first"] is None else (row["first"], row["last"])


def _picked(connection: sqlite3.Connection, seqs: Sequence[int]) -> tuple[Nuntius, ...]:
    return nuntii_of(connection, connection.execute(_PICKED, (json.dumps(list(seqs)),)).fetchall())


def _below(connection: sqlite3.Connection, nuntius: Nuntius) -> list[int]:
    """The seqs of what answers it and of what answers those, in their order; one too many at most."""
    rows = connection.execute(_ANSWERS, (nuntius.seq,)).fetchall()
    found = {int(row["reply"]) for row in rows}
    own = {nuntius.id}
    for row in connection.execute(_AFTER, {"seq": nuntius.seq, "reach": REACH}):
        if row["reply_to"] in own:
            own.add(row["id"])
            found.add(row["seq"])
        if len(found) > MOST_BELOW:
            break
    return sorted(found)
