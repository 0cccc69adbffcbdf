import asyncio
import os
import shutil
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest

from legio.backup import Nightly, Source
from legio.backup.archive import DRAFT
from legio.backup.nightly import AGAIN_SECONDS, LOOK_SECONDS
from legio.config import BackupConfig
from legio.nuntius import Nuntius
from tests.backup.castra import inhabited, source
from tests.clocks import FakeClock
from tests.scenes import scene, until

ZONE = timezone(timedelta(hours=1))
EVENING = datetime(2026, 11, 20, 21, 0, tzinfo=UTC)
"""Ten in the evening by the machine's own clock."""
HOUR = 3600.0


@dataclass
class Spoken:
    """A record of which only the first nuntius is asked."""

    first: datetime | None

    async def get(self, seq: int) -> Nuntius | None:
        assert seq == 1
        return None if self.first is None else Nuntius("i", "caesar", "ave", ("legatus",), self.first, seq=1)


@dataclass
class Night:
    """What a scene needs at hand."""

    folder: Path
    clock: FakeClock
    told: list[str] = field(default_factory=list)

    @property
    def kept(self) -> list[str]:
        return sorted(path.name.removesuffix(".tar.gz") for path in self.folder.glob("nightly-*"))

    async def passes(self, hours: float) -> None:
        """That much time, with the backups that it brings: each is made in a thread, in real time."""
        for _ in range(int(hours * HOUR / LOOK_SECONDS)):
            await self.clock.run(LOOK_SECONDS)
            await until(lambda: self.clock.sleepers, what="a backup made in its thread")


@asynccontextmanager
async def night(
    folder: Path,
    *,
    start: datetime = EVENING,
    first: datetime | None = EVENING - timedelta(days=9),
    keep: int = 2,
    of: Source | None = None,
) -> AsyncIterator[Night]:
    made = Night(folder / "backups", FakeClock(start))

    async def tell(text: str) -> None:
        made.told.append(text)

    nightly = Nightly(
        BackupConfig(keep=keep, hour=3, folder=made.folder),
        of or source(await inhabited(folder)),
        Spoken(first),  # type: ignore[arg-type]
        made.clock,
        tell,
        zone=ZONE,
    )
    task = asyncio.create_task(nightly.run())
    try:
        await until(lambda: made.clock.sleepers or task.done())
        yield made
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


@scene
async def test_a_backup_is_made_when_the_hour_has_struck_by_the_machines_own_day(tmp_path: Path) -> None:
    (tmp_path / "backups").mkdir()
    (tmp_path / "backups" / "nightly-2026-11-20T02-01-00Z.tar.gz").touch()
    async with night(tmp_path) as made:
        await made.passes(4.9)
        assert made.kept == ["nightly-2026-11-20T02-01-00Z"]

        await made.passes(0.2)

        assert made.kept == ["nightly-2026-11-20T02-01-00Z", "nightly-2026-11-21T02-00-00Z"]


@scene
async def test_one_that_was_missed_while_legio_was_down_is_made_at_the_start(tmp_path: Path) -> None:
    async with night(tmp_path) as made:
        assert made.kept == ["nightly-2026-11-20T21-00-00Z"]
        await made.passes(1)
        assert len(made.kept) == 1


@scene
async def test_each_day_has_one_and_the_oldest_goes(tmp_path: Path) -> None:
    async with night(tmp_path) as made:
        (made.folder / "legio-2020-01-01T00-00-00Z.tar.gz").touch()

        await made.passes(54)

        assert made.kept == ["nightly-2026-11-22T02-00-00Z", "nightly-2026-11-23T02-00-00Z"]
        assert (made.folder / "legio-2020-01-01T00-00-00Z.tar.gz").exists()
        assert made.told == []


@pytest.mark.parametrize("first", [None, EVENING - timedelta(hours=1)])
@scene
async def test_where_nothing_was_said_before_the_hour_nothing_is_kept(
    tmp_path: Path, first: datetime | None
) -> None:
    async with night(tmp_path, first=first) as made:
        await made.passes(1)
        assert not made.folder.exists()


@scene
async def test_a_backup_dated_in_the_future_does_not_count(tmp_path: Path) -> None:
    (tmp_path / "backups").mkdir()
    (tmp_path / "backups" / "nightly-2037-01-01T00-00-00Z.tar.gz").touch()
    async with night(tmp_path) as made:
        assert "nightly-2026-11-20T21-00-00Z" in made.kept


@scene
async def test_with_none_to_keep_there_is_nothing_to_do(tmp_path: Path) -> None:
    async with night(tmp_path, keep=0) as made:
        assert made.clock.sleepers == 0
        assert not made.folder.exists()


@scene
async def test_a_failure_is_told_once_and_tried_again_every_hour_until_it_works(tmp_path: Path) -> None:
    (tmp_path / "backups").write_text("in the way")
    async with night(tmp_path) as made:
        await made.passes(2.5)
        assert len(made.told) == 1
        assert made.told[0].startswith("⚠️ The nightly backup failed; it is tried again every hour. ")
        assert str(tmp_path / "backups") in made.told[0]

        (tmp_path / "backups").unlink()
        await made.passes(AGAIN_SECONDS / HOUR)
        assert len(made.kept) == 1

        shutil.rmtree(tmp_path / "castra")
        await made.passes(5)
        assert len(made.told) == 2, "a new failure is told anew"


@scene
async def test_what_nobody_foresaw_is_told_without_its_inside(tmp_path: Path) -> None:
    castra = await inhabited(tmp_path / "camp")
    broken = Source(castra, secrets=(7,))  # type: ignore[arg-type]
    async with night(tmp_path, of=broken) as made:
        assert made.told == ["⚠️ The nightly backup failed; it is tried again every hour. The log says why."]


@scene
async def test_drafts_of_killed_processes_go_and_fresh_ones_stay(tmp_path: Path) -> None:
    folder = tmp_path / "backups"
    for name, age in (("old", timedelta(days=2)), ("fresh", timedelta(hours=1))):
        draft = folder / f"{DRAFT}{name}"
        draft.mkdir(parents=True)
        (draft / "half").touch()
        moment = (EVENING - age).timestamp()
        os.utime(draft, (moment, moment))
    async with night(tmp_path):
        assert [path.name for path in folder.iterdir() if path.is_dir()] == [f"{DRAFT}fresh"]


@scene
async def test_what_cannot_be_rotated_is_no_failure_of_the_backup(tmp_path: Path) -> None:
    folder = tmp_path / "backups"
    for day in (17, 18):
        (folder / f"nightly-2026-11-{day}T02-00-00Z.tar.gz").mkdir(parents=True)
    async with night(tmp_path) as made:
        assert "nightly-2026-11-20T21-00-00Z" in made.kept
        assert made.told == []


@scene
async def test_legio_does_not_wait_for_a_backup_when_it_stops(tmp_path: Path) -> None:
    castra = await inhabited(tmp_path / "camp")
    begun, go_on = threading.Event(), threading.Event()

    class Slow(str):
        """A secret that takes its time to be looked for."""

        __slots__ = ()

        def encode(self, *_: object) -> bytes:
            begun.set()
            go_on.wait(10)
            return b"secret"

    nightly = Nightly(
        BackupConfig(folder=tmp_path / "backups"),
        Source(castra, secrets=(Slow("x"),)),
        Spoken(EVENING - timedelta(days=9)),  # type: ignore[arg-type]
        FakeClock(EVENING),
        lambda _: asyncio.sleep(0),
        zone=ZONE,
    )
    task = asyncio.create_task(nightly.run())
    await until(begun.is_set)

    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    go_on.set()
    await asyncio.get_running_loop().shutdown_default_executor()

    assert list((tmp_path / "backups").iterdir()) == []
