import asyncio
import sqlite3
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from legio.errors import PraetoriumError
from legio.ports import Letter
from legio.praetorium.database import explained
from legio.praetorium.patience import RETRY_SECONDS, Patience
from tests.clocks import FakeClock, settled
from tests.praetorium.record import START, praetorium_in
from tests.scenes import scene, until


class Disk:
    """Takes a write, or does not, for the reason that SQLite would give."""

    def __init__(self, trouble: int | None) -> None:
        self.trouble = trouble
        self.tries = 0

    async def write(self) -> str:
        self.tries += 1
        with explained(Path("praetorium.db")):
            if self.trouble is not None:
                error = sqlite3.OperationalError("trouble")
                error.sqlite_errorcode = self.trouble
                raise error
        return "written"


@pytest.mark.parametrize("trouble", [sqlite3.SQLITE_FULL, sqlite3.SQLITE_BUSY, sqlite3.SQLITE_IOERR_WRITE])
@scene
async def test_what_may_pass_is_waited_for_and_said_once(trouble: int) -> None:
    disk, clock = Disk(trouble), FakeClock()
    patience = Patience(clock)
    with capture_logs() as logs:
        writing = asyncio.create_task(patience.write(disk.write, waits=True), name="writing")
        await clock.run(3 * RETRY_SECONDS)
        assert "praetorium.db" in patience.trouble
        disk.trouble = None
        await clock.run(RETRY_SECONDS)

    assert await writing == "written"
    assert disk.tries == 5
    assert patience.trouble == ""
    assert [log["event"] for log in logs] == ["praetorium.unwritable", "praetorium.writable"]


@scene
async def test_what_cannot_pass_is_raised_at_once() -> None:
    disk = Disk(sqlite3.SQLITE_CORRUPT)
    with pytest.raises(PraetoriumError, match="damaged"):
        await Patience(FakeClock()).write(disk.write, waits=True)
    assert disk.tries == 1


@scene
async def test_who_does_not_wait_is_refused_and_the_trouble_is_known() -> None:
    patience = Patience(FakeClock())
    with pytest.raises(PraetoriumError, match="the disk is full"):
        await patience.write(Disk(sqlite3.SQLITE_FULL).write, waits=False)
    assert "the disk is full" in patience.trouble


@scene
async def test_a_stop_ends_the_waiting() -> None:
    disk, clock = Disk(sqlite3.SQLITE_FULL), FakeClock()
    patience = Patience(clock)
    writing = asyncio.create_task(patience.write(disk.write, waits=True), name="writing")
    await settled()
    patience.lose()
    await clock.run(RETRY_SECONDS)
    with pytest.raises(PraetoriumError):
        await writing


@scene
async def test_an_end_waits_for_a_full_disk_and_a_letter_does_not(tmp_path: Path) -> None:
    async with praetorium_in(tmp_path) as praetorium:
        database = praetorium.database
        pages = (await database.rows("PRAGMA page_count"))[0][0]
        await database.run(lambda raw: raw.execute(f"PRAGMA max_page_count = {pages}").fetchone())

        with pytest.raises(PraetoriumError, match="the disk is full"):
            await praetorium.inbox.put(Letter(1, "x" * 100_000, START))
        adding = asyncio.create_task(
            database.change("CREATE TABLE large AS SELECT hex(zeroblob(100000))"), name="adding"
        )
        await until(lambda: praetorium.patience.trouble, what="trouble")
        assert not adding.done()
        await database.run(lambda raw: raw.execute("PRAGMA max_page_count = 1000000").fetchone())
        await adding
        assert praetorium.patience.trouble == ""
