import asyncio
import os
import sqlite3
import stat
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from legio.errors import PraetoriumError
from legio.praetorium.opening import open_database, prepare
from tests.scenes import scene, until


@pytest.fixture(autouse=True)
def _no_thread_is_left() -> Iterator[None]:
    before = set(threading.enumerate())
    yield
    left = [thread for thread in threading.enumerate() if thread not in before]
    for thread in left:
        thread.join(timeout=5.0)  # aiosqlite's thread returns just after it has said that it is done
    assert [thread.name for thread in left if thread.is_alive()] == []


@contextmanager
def sealed(*paths: Path) -> Iterator[None]:
    for path in paths:
        path.chmod(0o500)
    yield
    for path in paths:
        path.chmod(0o700)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


async def refusal(path: Path, busy_seconds: float = 0.05) -> PraetoriumError:
    with pytest.raises(PraetoriumError) as caught:
        async with open_database(path, busy_seconds=busy_seconds):
            pytest.fail("it was opened")
    assert caught.value.where == str(path)
    assert caught.value.remedy
    return caught.value


@scene
async def test_the_connection_is_set_up_for_safety(tmp_path: Path) -> None:
    async with open_database(tmp_path / "praetorium.db") as database:
        settings = {
            name: (await database.rows(f"PRAGMA {name}"))[0][0]
            for name in ("journal_mode", "synchronous", "foreign_keys", "busy_timeout")
        }

    assert settings == {"journal_mode": "wal", "synchronous": 2, "foreign_keys": 1, "busy_timeout": 5000}


@scene
async def test_writes_go_to_the_write_ahead_log(tmp_path: Path) -> None:
    path = tmp_path / "praetorium.db"
    async with open_database(path) as database:
        before = path.stat().st_mtime_ns, path.stat().st_size
        await database.change("INSERT INTO inbox (update_id, payload, received) VALUES (1, 'x', 'now')")

        assert (path.stat().st_mtime_ns, path.stat().st_size) == before
        assert path.with_name("praetorium.db-wal").stat().st_size > 0


@scene
async def test_nobody_else_may_read_the_files(tmp_path: Path) -> None:
    path = tmp_path / "castra" / "praetorium.db"
    async with open_database(path) as database:
        await database.change("INSERT INTO inbox (update_id, payload, received) VALUES (1, 'x', 'now')")

        assert mode(path.parent) == 0o700
        assert {item.name: mode(item) for item in path.parent.iterdir()} == {
            "praetorium.db": 0o600,
            "praetorium.db-wal": 0o600,
            "praetorium.db-shm": 0o600,
        }


@scene
async def test_a_file_that_others_could_read_is_closed_to_them(tmp_path: Path) -> None:
    path = tmp_path / "praetorium.db"
    async with open_database(path):
        path.chmod(0o644)

    async with open_database(path):
        assert mode(path) == 0o600


@scene
async def test_what_was_written_is_there_when_opened_again(tmp_path: Path) -> None:
    path = tmp_path / "praetorium.db"
    async with open_database(path) as database:
        await database.change("INSERT INTO inbox (update_id, payload, received) VALUES (1, 'x', 'now')")

    async with open_database(path) as database:
        assert [row["payload"] for row in await database.rows("SELECT payload FROM inbox")] == ["x"]


@pytest.mark.parametrize("content", [b"this is not a database, only a letter to Rome\n" * 100, b"short"])
def test_a_file_that_is_no_database_is_refused_and_left_alone(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "praetorium.db"
    path.write_bytes(content)

    error = asyncio.run(refusal(path))

    assert "not a praetorium" in error.what
    assert "Restore a backup or move the file away; it was not changed." in error.remedy
    assert path.read_bytes() == content
    assert [item.name for item in tmp_path.iterdir()] == ["praetorium.db"]


@scene
async def test_a_truncated_file_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "praetorium.db"
    async with open_database(path):
        pass
    half = path.read_bytes()[: path.stat().st_size // 2]
    path.write_bytes(half)

    error = await refusal(path)

    assert "damaged" in error.what
    assert path.read_bytes() == half


@scene
async def test_an_emptied_file_beside_its_journal_is_refused_and_the_journal_kept(tmp_path: Path) -> None:
    path, journal = tmp_path / "praetorium.db", tmp_path / "praetorium.db-wal"
    path.touch()
    journal.write_bytes(b"the last commits")

    error = await refusal(path)

    assert "content was lost" in error.what
    assert journal.read_bytes() == b"the last commits"


@scene
async def test_the_database_of_another_program_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "praetorium.db"
    other = sqlite3.connect(path)
    other.execute("CREATE TABLE bookmarks (address)")
    other.close()
    before = path.read_bytes()

    error = await refusal(path)

    assert "another program" in error.what
    assert path.read_bytes() == before


@scene
async def test_a_newer_schema_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "praetorium.db"
    async with open_database(path) as database:
        await database.run(lambda raw: raw.execute("PRAGMA user_version = 99").fetchall())
    before = path.read_bytes()

    error = await refusal(path)

    assert "schema 99" in error.what
    assert path.read_bytes() == before


@scene
async def test_a_database_that_another_program_holds_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "praetorium.db"
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")

    error = await refusal(path)
    other.close()

    assert "another program holds" in error.what


@scene
async def test_a_folder_in_its_place_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "praetorium.db"
    path.mkdir()

    assert "not a file" in (await refusal(path)).what


@scene
async def test_a_file_in_place_of_the_castra_is_refused(tmp_path: Path) -> None:
    castra = tmp_path / "castra"
    castra.write_text("no folder")

    assert "cannot be made" in (await refusal(castra / "praetorium.db")).what
    assert castra.read_text() == "no folder"


@pytest.mark.skipif(os.geteuid() == 0, reason="permission bits do not bind root")
@scene
async def test_a_folder_without_write_permission_is_refused(tmp_path: Path) -> None:
    with sealed(tmp_path):
        error = await refusal(tmp_path / "praetorium.db")

    assert "writable" in error.remedy


@pytest.mark.skipif(os.geteuid() == 0, reason="permission bits do not bind root")
@scene
async def test_a_file_without_write_permission_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "praetorium.db"
    async with open_database(path):
        pass
    with sealed(path, tmp_path):
        error = await refusal(path)

    assert "writable" in error.remedy


@scene
async def test_a_file_that_can_only_be_read_is_found_out_when_it_is_opened(tmp_path: Path) -> None:
    path = tmp_path / "praetorium.db"
    async with open_database(path):  # its journal is there, so that reading it works
        reader = sqlite3.connect(f"file:{path}?mode=ro", uri=True, isolation_level=None)

        with pytest.raises(sqlite3.OperationalError, match="readonly"):
            prepare(reader, path)
    reader.close()


@scene
async def test_an_opening_that_is_cancelled_leaves_no_thread_and_no_lock(tmp_path: Path) -> None:
    path = tmp_path / "praetorium.db"

    async def opening() -> None:
        async with open_database(path):
            await asyncio.Event().wait()

    for steps in range(1, 8):
        task = asyncio.create_task(opening())
        for _ in range(steps):
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    other = sqlite3.connect(path, timeout=0.0, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    other.close()


@scene
async def test_the_thread_ends_when_the_body_raises(tmp_path: Path) -> None:
    before = threading.active_count()

    with pytest.raises(RuntimeError, match="in the body"):
        async with open_database(tmp_path / "praetorium.db"):
            raise RuntimeError("in the body")

    await until(lambda: threading.active_count() == before, what="the thread's end")


def test_a_place_without_a_write_ahead_log_is_refused(tmp_path: Path) -> None:
    memory = sqlite3.connect(":memory:", isolation_level=None)  # SQLite offers it no such log

    with pytest.raises(PraetoriumError, match="write-ahead logging") as caught:
        prepare(memory, tmp_path)
    memory.close()

    assert "local disk" in caught.value.remedy
