"""The praetorium when it has grown: a million nuntii, the last fifty that somebody may see, and new ones.

All of it goes through the ports, so each figure holds the hop to SQLite's thread and back.
"""

import sqlite3
import time
from collections.abc import Awaitable
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import cycle, islice
from pathlib import Path

from legio.clock import SystemClock
from legio.endings import written
from legio.nuntius import CAESAR, LEGATUS, Nuntius
from legio.ports import Letter
from legio.praetorium import Praetorium, open_praetorium
from tests.bench.pages import first_pages, page_figure
from tests.bench.report import Figure, Sample, spell

LAST = 50
MOST_SECONDS = 0.001
SHARE = 99.0
BUSY = ("atia", "brutus", "cato", "flavius", "niobe", "pullo", "vorenus")
QUIET = "titus"
"""Was spoken to in the first hundredth of the record and never since: the newest he may see are far back."""
START = datetime(2026, 11, 21, tzinfo=UTC)
EPOCH, INTERVAL = 1_700_000_000, 30
"""When the grown record begins, in Unix time, and how many seconds lie between two nuntii."""
VIEWERS = (*BUSY, QUIET, LEGATUS, CAESAR)

# Questions and answers in turn; every twentieth question is everybody's. The ids are scattered like UUIDs.
_GROWTH = """
    WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < :count),
    turns (n, id, before, agent) AS (
        SELECT n,
            printf('%08x-0000-4000-8000-%012x', n * 2654435761 % 4294967296, n),
            printf('%08x-0000-4000-8000-%012x', (n - 1) * 2654435761 % 4294967296, n - 1),
            CASE WHEN n <= :count / 100 THEN :quiet ELSE json_extract(:busy, '$[' || ((n + 1) / 2 % 7) || ']')
            END
        FROM numbers
    )
    INSERT INTO nuntii (seq, id, sender, text, audience, timestamp, reply_to)
    SELECT n, id,
        CASE n % 2 WHEN 1 THEN 'caesar' ELSE agent END,
        'Nuntius ' || n || ': quid novi est in castris, et quot tentoria ad flumen stant? Numera ea iterum, '
            || 'et scribe mihi ante noctem quid videris.',
        json_array(CASE WHEN n % 2 = 0 THEN 'caesar' WHEN n % 40 = 1 THEN 'all' ELSE agent END),
        strftime('%Y-%m-%dT%H:%M:%S.000000+00:00', :epoch + n * :interval, 'unixepoch'),
        CASE n % 2 WHEN 0 THEN before END
    FROM turns
"""
_AUDIENCE = """
    INSERT INTO nuntius_audience (name, seq)
    SELECT sender AS name, seq FROM nuntii UNION SELECT json_extract(audience, '$[0]'), seq FROM nuntii
    ORDER BY 1, 2
"""


@dataclass(frozen=True, slots=True)
class Written:
    """What it takes to write: each nuntius alone, and each update of Caesar's with its nuntius and turn."""

    posts: Sample
    admissions: Sample


@dataclass(frozen=True, slots=True)
class Reading:
    """What it takes to read, and the size of what was read from."""

    nuntii: int
    megabytes: float
    latest: Sample
    pages: Sample


async def record(folder: Path, *, nuntii: int, reads: int, posts: int) -> tuple[Reading, Written]:
    """Make a record of that size, read from it and add to it."""
    path = folder / "praetorium.db"
    async with open_praetorium(path, SystemClock()) as praetorium:
        await grow(praetorium, nuntii)
        latest = await _latest(praetorium, reads)
        last = datetime.fromtimestamp(EPOCH + nuntii * INTERVAL, UTC)
        pages = await first_pages(praetorium, folder, last, (*BUSY, QUIET), reads=max(1, reads // 10))
        reading = Reading(nuntii, path.stat().st_size / 1e6, latest, pages)
        return reading, await _written(praetorium, posts)


async def grow(praetorium: Praetorium, count: int) -> None:
    """Fill an empty record with `count` nuntii, as the schema wants them."""
    busy = "[" + ",".join(f'"{name}"' for name in BUSY) + "]"

    def work(connection: sqlite3.Connection) -> None:
        values = {"count": count, "busy": busy, "quiet": QUIET, "epoch": EPOCH, "interval": INTERVAL}
        connection.execute(_GROWTH, values)
        connection.execute(_AUDIENCE)

    await praetorium.database.write(work)
    # What is measured is a record that has been there for long, not one that still lies in its journal.
    await praetorium.database.run(lambda it: it.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall())


def record_figures(reading: Reading, written: Written) -> list[Figure]:
    """The last fifty, the first page, and the writing."""
    slow = reading.latest.percentile(SHARE)
    size = f"{reading.nuntii:,} nuntii ({reading.megabytes:.0f} MB)"
    return [
        Figure(
            f"last {LAST} visible of {size}",
            f"{spell(MOST_SECONDS)} at p{SHARE:.0f}",
            f"p{SHARE:.0f} {spell(slow)}; median {reading.latest}",
            slow <= MOST_SECONDS,
        ),
        page_figure(reading.pages, reading.nuntii),
        Figure("nuntii written a second, one after another", "", _rate(written.posts)),
        Figure("updates admitted a second: letter, then nuntius and turn", "", _rate(written.admissions)),
    ]


def _rate(sample: Sample) -> str:
    return f"{len(sample.seconds) / sum(sample.seconds):,.0f}/s; each {sample}"


async def _latest(praetorium: Praetorium, reads: int) -> Sample:
    for viewer in VIEWERS:  # a cold cache is the disk's figure
        assert len(await praetorium.nuntii.latest(viewer, LAST)) == LAST
    asked = islice(cycle(VIEWERS), reads)
    return Sample(tuple([await _timed(praetorium.nuntii.latest(viewer, LAST)) for viewer in asked]))


async def _written(praetorium: Praetorium, count: int) -> Written:
    words = [written(CAESAR, f"Numera tentoria: {it}", (LEGATUS,), START) for it in range(2 * count)]
    posts = [await _timed(praetorium.nuntii.post(it)) for it in words[:count]]
    admissions = [await _timed(_admit(praetorium, it, number)) for number, it in enumerate(words[count:])]
    return Written(Sample(tuple(posts)), Sample(tuple(admissions)))


async def _admit(praetorium: Praetorium, nuntius: Nuntius, update_id: int) -> None:
    """What an update of Caesar's costs before his agent is asked: two commits."""
    await praetorium.inbox.put(Letter(update_id, nuntius.text, START))
    await praetorium.turns.admit(nuntius, [LEGATUS], update_id=update_id, message=update_id)


async def _timed(work: Awaitable[object]) -> float:
    began = time.perf_counter()
    await work
    return time.perf_counter() - began
