import asyncio
import sqlite3
import stat
from contextlib import closing
from pathlib import Path

import pytest

from legio.errors import PraetoriumError
from legio.ports import Letter, Parcel, Process, Thread
from legio.praetorium import Praetorium
from legio.praetorium.copying import PAGE_ROWS, copy, nuntii, revive
from tests.praetorium.record import START, parcel, payloads, praetorium_in, said
from tests.scenes import scene


class Enough(Exception):
    """Raised by a caller who does not want the copy any more."""


def enough() -> None:
    raise Enough


def folder(path: Path) -> Path:
    path.mkdir()
    return path


async def letters(praetorium: Praetorium) -> list[int]:
    return [letter.id for letter in await praetorium.inbox.unfinished()]


@scene
async def test_a_copy_taken_while_the_record_is_written_to_is_sound_and_of_one_instant(
    tmp_path: Path,
) -> None:
    target = folder(tmp_path / "copied") / "praetorium.db"
    async with praetorium_in(tmp_path) as praetorium:
        await praetorium.inbox.put(Letter(1, "x" * 100_000, START))

        async def write() -> None:
            for number in range(2, 200):
                await praetorium.inbox.put(Letter(number, "x" * 10_000, START))

        writing = asyncio.create_task(write())
        while len(await letters(praetorium)) < 20:  # noqa: ASYNC110  (the inbox has no event)
            await asyncio.sleep(0)
        await asyncio.to_thread(copy, praetorium.database._path, target)
        await writing

    async with praetorium_in(tmp_path / "copied") as praetorium:
        assert await praetorium.check() == ()
        kept = await letters(praetorium)
    assert kept == list(range(1, len(kept) + 1))
    assert len(kept) >= 20


@scene
async def test_a_commit_in_the_middle_of_a_copy_neither_waits_nor_shows(tmp_path: Path) -> None:
    target = folder(tmp_path / "copied") / "praetorium.db"
    async with praetorium_in(tmp_path) as praetorium:
        for number in range(1, 5):
            await praetorium.inbox.put(Letter(number, "x" * 8_000_000, START))
        steps = 0

        def interfere() -> None:
            nonlocal steps
            steps += 1
            assert steps < 20, "it begins anew with each commit"
            with closing(sqlite3.connect(tmp_path / "praetorium.db", timeout=0)) as other:
                other.execute(
                    "INSERT INTO inbox (update_id, payload, received) VALUES (?, 'x', ?)",
                    (100 + steps, START.isoformat()),
                )
                other.commit()

        await asyncio.to_thread(copy, tmp_path / "praetorium.db", target, interfere)
        assert len(await letters(praetorium)) == 4 + steps

    assert steps > 2
    async with praetorium_in(tmp_path / "copied") as praetorium:
        rows = await praetorium.database.rows("SELECT update_id FROM inbox")
    assert [row[0] for row in rows] == [1, 2, 3, 4]


@scene
async def test_a_copy_is_one_private_file(tmp_path: Path) -> None:
    target = folder(tmp_path / "copied") / "praetorium.db"
    async with praetorium_in(tmp_path) as praetorium:
        await praetorium.inbox.put(Letter(1, "{}", START))
        copy(tmp_path / "praetorium.db", target)

    assert [path.name for path in target.parent.iterdir()] == ["praetorium.db"]
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    with closing(sqlite3.connect(target)) as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone()[0] == "delete"


@scene
async def test_whoever_has_enough_ends_the_copying(tmp_path: Path) -> None:
    async with praetorium_in(tmp_path):
        pass

    with pytest.raises(Enough):
        copy(tmp_path / "praetorium.db", tmp_path / "copy.db", enough)


def test_what_is_not_there_is_not_made(tmp_path: Path) -> None:
    with pytest.raises(PraetoriumError, match="no praetorium here"):
        copy(tmp_path / "praetorium.db", tmp_path / "copy.db")

    assert list(tmp_path.iterdir()) == []


@scene
async def test_a_damaged_record_is_not_taken_for_a_backup(tmp_path: Path) -> None:
    path = tmp_path / "praetorium.db"
    async with praetorium_in(tmp_path) as praetorium:
        await praetorium.inbox.put(Letter(1, "{}", START))
        (page,) = await praetorium.database.rows("SELECT rootpage FROM sqlite_master WHERE name = 'turns'")
        (size,) = await praetorium.database.rows("PRAGMA page_size")
    with path.open("r+b") as file:
        file.seek((page[0] - 1) * size[0])
        file.write(b"\xff" * size[0])

    with pytest.raises(PraetoriumError, match="damaged") as caught:
        copy(path, tmp_path / "copy.db")

    assert caught.value.where == str(path)


@scene
async def test_an_index_that_disagrees_with_its_table_is_damage_too(tmp_path: Path) -> None:
    path = tmp_path / "praetorium.db"
    async with praetorium_in(tmp_path) as praetorium:
        await praetorium.nuntii.post(said("how deep"))
        await praetorium.database.run(
            lambda raw: (
                raw.executescript(
                    "PRAGMA writable_schema = ON;"
                    "UPDATE sqlite_master SET sql = 'CREATE INDEX nuntii_by_sender ON nuntii (text)'"
                    " WHERE name = 'nuntii_by_sender';"
                ).connection.close
            )
        )

    with pytest.raises(PraetoriumError, match="The file is damaged: "):
        copy(path, tmp_path / "copy.db")
    with pytest.raises(PraetoriumError, match="The file is damaged: "):
        revive(path)


@scene
async def test_a_newer_record_is_refused(tmp_path: Path) -> None:
    async with praetorium_in(tmp_path) as praetorium:
        await praetorium.database.run(lambda raw: raw.execute("PRAGMA user_version = 99").fetchall())

    with pytest.raises(PraetoriumError, match="schema 99"):
        copy(tmp_path / "praetorium.db", tmp_path / "copy.db")
    with pytest.raises(PraetoriumError, match="schema 99"):
        revive(tmp_path / "praetorium.db")


@scene
async def test_a_revived_record_doubts_what_was_due_and_knows_no_process(tmp_path: Path) -> None:
    async with praetorium_in(tmp_path) as praetorium:
        await praetorium.outbox.add([parcel("one"), parcel("two")])
        (one, _) = await praetorium.outbox.due()
        await praetorium.outbox.start(one)
        await praetorium.outbox.sent(one, 42)
        await praetorium.threads.save(Thread("vorenus", id="5f0c", process=Process(4711, 1.5)))

    revive(tmp_path / "praetorium.db")

    async with praetorium_in(tmp_path) as praetorium:
        assert await praetorium.threads.load("vorenus") == Thread("vorenus", id="5f0c")
        due = await praetorium.outbox.due()
        assert (payloads(due), [it.doubtful for it in due]) == (["two"], [True])


def test_a_record_of_an_old_schema_is_revived_in_the_present_one(tmp_path: Path) -> None:
    path = tmp_path / "praetorium.db"
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.executescript((Path(__file__).parent / "schemas" / "1.sql").read_text())

    revive(path)

    assert [nuntius.seq for nuntius in nuntii(path)] == [1, 2, 3, 4, 5]


def test_what_is_damaged_is_not_revived(tmp_path: Path) -> None:
    path = tmp_path / "praetorium.db"
    path.write_bytes(b"not a database at all" * 100)

    with pytest.raises(PraetoriumError, match="not a praetorium"):
        revive(path)


@scene
async def test_all_nuntii_come_oldest_first_over_many_pages_while_new_ones_arrive(tmp_path: Path) -> None:
    async with praetorium_in(tmp_path) as praetorium:
        posted = [await praetorium.nuntii.post(said(str(number))) for number in range(PAGE_ROWS + 3)]
        reading = nuntii(tmp_path / "praetorium.db")
        first = next(reading)
        late = await praetorium.nuntii.post(said("late"), [Parcel(1, "late")])

        assert [first, *reading] == [*posted, late]
