"""Every schema that ever landed, as a real praetorium of its time, is brought up to the present one.

Before a migration is added, the schema that it follows leaves `schemas/<number>.sql` here: the dump of a
praetorium with a row in every table, with its `application_id` and `user_version`.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from legio.nuntius import Tally
from legio.ports import Thread
from legio.praetorium.migrations import MIGRATIONS
from legio.praetorium.schema import migrate
from tests.praetorium.record import StillClock, praetorium_in
from tests.scenes import scene

SCHEMAS = Path(__file__).parent / "schemas"
LANDED = [migration.number for migration in MIGRATIONS[:-1]]

Row = dict[str, object]


def dump(number: int) -> str:
    return (SCHEMAS / f"{number}.sql").read_text()


def as_it_stood(number: int, folder: Path) -> Path:
    """A file of that schema with its rows."""
    path = folder / "praetorium.db"
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.executescript(dump(number))
    return path


@contextmanager
def opened(path: Path | str) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.row_factory = sqlite3.Row
        yield connection


def tables(connection: sqlite3.Connection) -> list[str]:
    query = "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name"
    return [row["name"] for row in connection.execute(query)]


def contents(path: Path) -> dict[str, list[Row]]:
    with opened(path) as connection:
        return {
            table: [dict(row) for row in connection.execute(f"SELECT * FROM {table}")]
            for table in tables(connection)
        }


def shape(connection: sqlite3.Connection) -> list[tuple[object, ...]]:
    """What there is and how it was made, whatever the white space in which it was written."""
    query = "SELECT type, name, sql FROM sqlite_master WHERE name NOT LIKE 'sqlite_%' ORDER BY type, name"
    return [(row["type"], row["name"], (row["sql"] or "").split()) for row in connection.execute(query)]


def test_every_schema_before_the_last_has_its_fixture() -> None:
    assert sorted(int(path.stem) for path in SCHEMAS.glob("*.sql")) == LANDED


@pytest.mark.parametrize("number", LANDED)
def test_a_migration_that_landed_is_never_changed(number: int, tmp_path: Path) -> None:
    with opened(as_it_stood(number, tmp_path)) as old, opened(":memory:") as new:
        migrate(new, where="here", migrations=MIGRATIONS[:number])

        assert shape(old) == shape(new)
        assert old.execute("PRAGMA user_version").fetchone()[0] == number


@pytest.mark.parametrize("number", LANDED)
@scene
async def test_all_rows_come_along_and_the_record_is_sound(tmp_path: Path, number: int) -> None:
    path = as_it_stood(number, tmp_path)
    before = contents(path)
    assert all(before.values()), "a table without a row proves nothing"

    async with praetorium_in(tmp_path) as praetorium:
        assert await praetorium.check() == ()

    after = contents(path)
    for table, rows in before.items():
        kept = [{name: row[name] for name in rows[0]} for row in after[table]]
        assert kept == rows, table


@pytest.mark.parametrize("number", LANDED)
@scene
async def test_work_goes_on_where_it_stood(tmp_path: Path, number: int) -> None:
    as_it_stood(number, tmp_path)

    async with praetorium_in(tmp_path, StillClock()) as praetorium:
        tally = await praetorium.turns.tally()
        running, waiting = await praetorium.turns.open()
        due = await praetorium.outbox.due()
        (letter,) = await praetorium.inbox.unfinished()

        assert tally == Tally(received=4, answered=1, failed=1, stopped=0, expired=0, pending=2)
        assert (running.agent, running.interrupted) == ("legatus", True)
        assert (waiting.agent, waiting.interrupted, waiting.root) == ("vorenus", False, 4)
        assert [(it.parcel.payload, it.doubtful) for it in due] == [
            ("no command of that name", True),
            ("raining", False),
        ]
        assert letter.id == 504


@scene
async def test_from_schema_1_threads_are_told_nothing_twice_and_what_was_given_up_is_in_doubt(
    tmp_path: Path,
) -> None:
    as_it_stood(1, tmp_path)

    async with praetorium_in(tmp_path) as praetorium:
        threads = await praetorium.threads.all()
        passage = await praetorium.ledger.passage(42)
        assert await praetorium.ledger.retry() == 1
        again = (await praetorium.outbox.due())[0]

    assert [(it.agent, it.cursor, it.previous) for it in threads] == [("legatus", 4, 4), ("vorenus", 1, 1)]
    assert all((it.mark, it.spoiled, it.process) == ("", False, Thread("").process) for it in threads)
    assert passage is not None
    assert (passage.update_id, passage.turn.agent, passage.seconds) == (None, "vorenus", 1.5)
    assert again.doubtful


@scene
async def test_from_schema_2_a_thread_knows_what_it_was_asked_and_where_it_is_taken_back_to(
    tmp_path: Path,
) -> None:
    as_it_stood(2, tmp_path)

    async with praetorium_in(tmp_path) as praetorium:
        legatus, vorenus = await praetorium.threads.all()
        running = await praetorium.nuntii.get(4)

    assert running is not None
    assert (legatus.asked, legatus.marked, legatus.spoiled) == (running.id, 3, True)
    assert (vorenus.asked, vorenus.marked, vorenus.process) == ("", 0, None)


@scene
async def test_from_schema_7_what_was_said_before_can_be_found_and_threads_are_as_they_were(
    tmp_path: Path,
) -> None:
    as_it_stood(7, tmp_path)

    async with praetorium_in(tmp_path) as praetorium:
        said = await praetorium.nuntii.latest("caesar", 10)
        found = [await praetorium.search.find("caesar", nuntius.text, limit=10) for nuntius in said]
        threads = await praetorium.threads.all()

    assert said
    assert all(
        nuntius.seq in {each.nuntius.seq for each in hits.found}
        for nuntius, hits in zip(said, found, strict=True)
    )
    assert [(it.begun, it.origin, it.carried, it.carried_from) for it in threads] == 2 * [(None, "", 0, 0)]
