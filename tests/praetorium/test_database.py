import asyncio
import sqlite3
import threading
from pathlib import Path

import aiosqlite
import pytest

from legio.errors import PraetoriumError
from legio.praetorium.database import Database, explained, transaction
from legio.praetorium.nuntii import write_nuntius
from legio.praetorium.opening import open_database
from tests.praetorium.record import said
from tests.scenes import scene

DEADLINE_SECONDS = 10.0


async def count(database: Database) -> int:
    return int((await database.rows("SELECT count(*) FROM nuntii"))[0][0])


@scene
async def test_a_piece_of_work_that_raises_leaves_nothing(tmp_path: Path) -> None:
    def work(connection: sqlite3.Connection) -> None:
        write_nuntius(connection, said("half"))
        raise RuntimeError("in the middle")

    async with open_database(tmp_path / "praetorium.db") as database:
        with pytest.raises(RuntimeError, match="in the middle"):
            await database.write(work)

        assert await count(database) == 0
        await database.write(lambda connection: write_nuntius(connection, said("whole")))
        assert await count(database) == 1


@scene
async def test_a_caller_cancelled_in_mid_transaction_leaves_it_whole(tmp_path: Path) -> None:
    begun, go_on = threading.Event(), threading.Event()

    def work(connection: sqlite3.Connection) -> None:
        write_nuntius(connection, said("first"))
        begun.set()
        assert go_on.wait(DEADLINE_SECONDS)
        write_nuntius(connection, said("second"))

    async with open_database(tmp_path / "praetorium.db") as database:
        caller = asyncio.create_task(database.write(work))
        assert await asyncio.to_thread(begun.wait, DEADLINE_SECONDS)
        caller.cancel()
        with pytest.raises(asyncio.CancelledError):
            await caller
        go_on.set()

        assert await count(database) == 2
        await database.write(lambda connection: write_nuntius(connection, said("third")))


@scene
async def test_closing_waits_for_the_work_of_a_cancelled_caller(tmp_path: Path) -> None:
    begun, go_on = threading.Event(), threading.Event()

    def work(connection: sqlite3.Connection) -> None:
        begun.set()
        assert go_on.wait(DEADLINE_SECONDS)
        write_nuntius(connection, said("late"))

    async with open_database(tmp_path / "praetorium.db") as database:
        caller = asyncio.create_task(database.write(work))
        assert await asyncio.to_thread(begun.wait, DEADLINE_SECONDS)
        caller.cancel()
        await asyncio.wait([caller])
        go_on.set()

    async with open_database(tmp_path / "praetorium.db") as database:
        assert await count(database) == 1


@scene
async def test_two_callers_never_meet_in_one_transaction(tmp_path: Path) -> None:
    def work(connection: sqlite3.Connection) -> int:
        before = int(connection.execute("SELECT count(*) FROM nuntii").fetchone()[0])
        write_nuntius(connection, said(str(before)))
        return before

    async with open_database(tmp_path / "praetorium.db") as database:
        seen = await asyncio.gather(*(database.write(work) for _ in range(50)))

    assert sorted(seen) == list(range(50))


@scene
async def test_a_read_cannot_see_half_of_what_another_connection_writes(tmp_path: Path) -> None:
    path = tmp_path / "praetorium.db"
    other = sqlite3.connect(path, isolation_level=None, check_same_thread=False)

    def work(connection: sqlite3.Connection) -> tuple[int, int]:
        before = connection.execute("SELECT count(*) FROM nuntii").fetchone()[0]
        transaction(other, lambda raw: write_nuntius(raw, said("meanwhile")))
        return before, connection.execute("SELECT count(*) FROM nuntii").fetchone()[0]

    async with open_database(path) as database:
        assert await database.read(work) == (0, 0)
        assert await count(database) == 1
    other.close()


@scene
async def test_a_file_that_cannot_be_written_is_explained_with_its_remedy(tmp_path: Path) -> None:
    path = tmp_path / "praetorium.db"
    async with open_database(path):
        pass
    async with aiosqlite.connect(f"file:{path}?mode=ro", uri=True, isolation_level=None) as connection:
        with pytest.raises(PraetoriumError, match="cannot be written") as caught:
            await Database(connection, path).change("DELETE FROM sessions")

    assert caught.value.where == str(path)
    assert "writable" in caught.value.remedy


@scene
async def test_a_mistake_of_ours_is_not_dressed_up_as_a_fault_of_the_file(tmp_path: Path) -> None:
    async with open_database(tmp_path / "praetorium.db") as database:
        with pytest.raises(sqlite3.OperationalError, match="no such table"):
            await database.rows("SELECT * FROM bookmarks")


def test_an_error_without_a_code_is_left_alone(tmp_path: Path) -> None:
    with pytest.raises(sqlite3.ProgrammingError), explained(tmp_path):
        raise sqlite3.ProgrammingError("closed")


@scene
async def test_a_full_disk_rolls_back_and_the_next_write_works(tmp_path: Path) -> None:
    async with open_database(tmp_path / "praetorium.db") as database:
        pages = (await database.rows("PRAGMA page_count"))[0][0]
        await database.run(lambda raw: raw.execute(f"PRAGMA max_page_count = {pages}").fetchone())

        with pytest.raises(PraetoriumError, match="the disk is full"):
            await database.write(lambda raw: write_nuntius(raw, said("x" * 100_000)))

        assert await count(database) == 0
        await database.run(lambda raw: raw.execute("PRAGMA max_page_count = 1000").fetchone())
        await database.write(lambda raw: write_nuntius(raw, said("x" * 100_000)))
        assert await count(database) == 1
