"""Nuntii by their words: FTS5 over the text of all of them, the best by BM25 first, of equals the newest.

What is asked is quoted token by token, so that no sign in it means anything to SQLite. Words that stand
nearly everywhere say little and cost much: they count only where nothing else was asked. Who may see a
nuntius is part of the query that ranks it.
"""

import re
import sqlite3
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime

from legio.errors import Refused
from legio.nuntius import CAESAR, LEGATUS
from legio.ports import EVERYTHING, Found, Hits, Selection, Sought
from legio.praetorium import columns
from legio.praetorium.chronicle import run, span
from legio.praetorium.database import Database
from legio.praetorium.nuntii import nuntii_of

MOST_TOKENS = 32
MOST_RANKED = 20_000
"""How many nuntii are compared: of words that more of them hold, only the newest so many."""
MOST_KEPT = 500
SNIPPET_TOKENS = 24

# Signs that no text holds, as the record leaves control characters to whoever shows it.
_OPEN, _SHUT = "\x02", "\x03"
_LAST = 2**63 - 1
_TOKEN = re.compile(r"\w+(?:['’]\w+)*")
_SMALL = (
    "a about all also am an and any are as at be been but by can could did do does for from had has have he"
    " her him his how i if in into is it its me my no not of on one or our out she should so some than that"
    " the their them then there these they this those to up us was we were what when where which who why will"
    " with would you your"
)
_STOP_WORDS = frozenset(_SMALL.split())

_COUNT = """
    SELECT count(*) FROM (
        SELECT 1 FROM nuntii_search WHERE nuntii_search MATCH ? LIMIT ?
    )
"""
_SEEN = """
    AND EXISTS (
        SELECT 1 FROM nuntius_audience AS heard
        WHERE heard.name IN (:viewer, 'all') AND heard.seq = nuntii_search.rowid
    )
"""
_NARROWED = """
    AND EXISTS (
        SELECT 1 FROM nuntii WHERE nuntii.seq = nuntii_search.rowid
            AND (:sender IS NULL OR nuntii.sender = :sender)
            AND nuntii.timestamp >= :since AND nuntii.timestamp < :until
    )
"""
_OF_ONE = """
    AND EXISTS (
        SELECT 1 FROM nuntius_audience AS heard
        WHERE heard.name = :agent AND heard.seq = nuntii_search.rowid
    )
"""
_BEST = """
    WITH compared AS MATERIALIZED (
        SELECT rowid AS seq, bm25(nuntii_search) AS score FROM nuntii_search
        WHERE nuntii_search MATCH :query AND rowid >= :first AND rowid <= :last {narrowed}
        ORDER BY rowid DESC LIMIT :compared
    )
    SELECT seq, (SELECT count(*) FROM compared) AS total FROM compared
    ORDER BY score, seq DESC LIMIT :limit OFFSET :offset
"""
_ONE = """
    SELECT nuntii.*, {snippet} AS snippet,
        (SELECT min(message) FROM messages WHERE messages.seq = nuntii.seq) AS message
    FROM nuntii {joined} WHERE nuntii.seq = :seq
"""
_FOUND = _ONE.format(
    snippet="snippet(nuntii_search, 0, :open, :shut, '…', :tokens)",
    joined="JOIN nuntii_search ON nuntii_search.rowid = nuntii.seq AND nuntii_search MATCH :query",
)
_SHOWN = _ONE.format(snippet="nuntii.text", joined="")


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is looked for: tokens, each once, and what narrows it down. `since` is the first moment."""

    tokens: tuple[str, ...]
    sender: str | None = None
    since: datetime | None = None


class SqliteSearch:
    """The port `Search` over one database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def find(
        self,
        viewer: str,
        words: str,
        *,
        limit: int,
        offset: int = 0,
        last: int | None = None,
        within: Selection = EVERYTHING,
    ) -> Hits:
        """1. What `viewer` may see of the nuntii that hold any of the words, the best first."""
        wanted = understood(words)
        chosen = _narrower(within, wanted.since)
        since, until = span(chosen)
        values = {
            "viewer": viewer,
            "sender": wanted.sender,
            "agent": chosen.agent,
            "since": since,
            "until": until,
            "limit": max(0, limit),  # to SQLite a negative limit is none at all
            "offset": min(max(0, offset), _LAST),
            "compared": MOST_RANKED,
        }
        best = _BEST.format(narrowed=_conditions(viewer, wanted, chosen))

        def work(connection: sqlite3.Connection) -> Hits:
            first, newest = run(connection, chosen)
            bounds = {"first": first, "last": newest if last is None else min(last, newest)}
            query = _query(_telling(connection, wanted.tokens))
            rows = connection.execute(best, values | bounds | {"query": query}).fetchall()
            found = tuple(_found(connection, row["seq"], _query(wanted.tokens)) for row in rows)
            return Hits(found, rows[0]["total"] if rows else 0)

        return await self._database.read(work)

    async def keep(self, words: str) -> Sought:
        """2. Remembers what is looked for now; only the latest 500 are remembered."""

        def work(connection: sqlite3.Connection) -> Sought:
            last = connection.execute("SELECT coalesce(max(seq), 0) FROM nuntii").fetchone()[0]
            sound = columns.sound(words)
            kept = connection.execute("INSERT INTO searches (words, last) VALUES (?, ?)", (sound, last))
            assert kept.lastrowid is not None
            connection.execute("DELETE FROM searches WHERE id <= ?", (kept.lastrowid - MOST_KEPT,))
            return Sought(kept.lastrowid, sound, last)

        return await self._database.write(work)

    async def kept(self, number: int) -> Sought | None:
        """3. What was remembered under that number."""
        query = "SELECT * FROM searches WHERE id = ?"
        rows = await self._database.rows(query, (min(number, _LAST),))
        return Sought(rows[0]["id"], rows[0]["words"], rows[0]["last"]) if rows else None

    async def shown(self, seq: int) -> Found | None:
        """4. The nuntius of that seq, its whole text as the snippet."""

        def work(connection: sqlite3.Connection) -> Found | None:
            row = connection.execute(_SHOWN, {"seq": min(seq, _LAST)}).fetchone()
            return None if row is None else _of(connection, row)

        return await self._database.read(work)


def understood(words: str) -> Wanted:
    """What `words` ask for; raises `Refused` where that is no word at all, or no day behind `since:`."""
    sender, since, rest = None, None, []
    for word in unicodedata.normalize("NFC", columns.sound(words)).split():
        if word.startswith("@") and len(word) > 1:
            sender = word[1:].lower().rstrip(",.;:")
        elif word.lower().startswith("since:"):
            since = _day(word[len("since:") :])
        else:
            rest.append(word)
    tokens = tuple({token.lower(): token for token in _TOKEN.findall(" ".join(rest))}.values())
    if not tokens:
        raise Refused("there is no word to look for.", remedy="Name one at least.")
    telling = tuple(token for token in tokens if token.lower() not in _STOP_WORDS)
    return Wanted((telling or tokens)[:MOST_TOKENS], sender, since)


def _narrower(within: Selection, since: datetime | None) -> Selection:
    """The selection, of which only what was said from `since` on counts."""
    if since is None or (within.since is not None and within.since >= since):
        return within
    return replace(within, since=since)


def _conditions(viewer: str, wanted: Wanted, chosen: Selection) -> str:
    """What has to hold beside the words: nothing is asked that would hold for all."""
    timed = (chosen.since, chosen.until) != (None, None)
    return "".join(
        (
            "" if viewer in (CAESAR, LEGATUS) else _SEEN,
            _NARROWED if timed or wanted.sender is not None else "",
            "" if chosen.agent is None else _OF_ONE,
        )
    )


def _day(text: str) -> datetime:
    try:
        day = date.fromisoformat(text)
    except ValueError:
        raise Refused(
            f"'{text}' is no day.", remedy="Write the year, the month and the day: since:2026-11-01."
        ) from None
    return datetime(day.year, day.month, day.day, tzinfo=UTC)


def _telling(connection: sqlite3.Connection, tokens: Sequence[str]) -> Sequence[str]:
    """The tokens by which to rank: those that not nearly everything holds, or all where there is no other."""

    def frequent(token: str) -> bool:
        count: int = connection.execute(_COUNT, (_query([token]), MOST_RANKED + 1)).fetchone()[0]
        return count > MOST_RANKED

    return [token for token in tokens if not frequent(token)] or tokens


def _query(tokens: Sequence[str]) -> str:
    """Any of the tokens, as FTS5 reads it; a token holds no quotation mark."""
    return " OR ".join(f'"{token}"' for token in tokens)


def _found(connection: sqlite3.Connection, seq: int, query: str) -> Found:
    values = {"seq": seq, "query": query, "open": _OPEN, "shut": _SHUT, "tokens": SNIPPET_TOKENS}
    return _of(connection, connection.execute(_FOUND, values).fetchone())


def _of(connection: sqlite3.Connection, row: sqlite3.Row) -> Found:
    (nuntius,) = nuntii_of(connection, [row])
    snippet, marks = _marked(row["snippet"])
    return Found(nuntius, snippet, marks, row["message"])


def _marked(snippet: str) -> tuple[str, tuple[tuple[int, int], ...]]:
    """The snippet without the signs around its marks, and where those were."""
    plain, marks, begun = "", [], None
    for part in re.split(f"([{_OPEN}{_SHUT}])", snippet):
        if part == _OPEN:
            begun = len(plain)
        elif part == _SHUT:
            if begun is not None and begun < len(plain):
                marks.append((begun, len(plain)))
            begun = None
        else:
            plain += part
    return plain, tuple(marks)
