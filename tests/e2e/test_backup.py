"""A backup taken while Legio works, restored elsewhere: the legion goes on where it stood."""

import asyncio
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from legio.backup import Source, make, place, restore
from legio.castra import Castra
from legio.clock import SystemClock
from legio.config import BackupConfig
from legio.ports import Thread
from legio.praetorium import open_praetorium
from tests.backup.castra import members
from tests.e2e.world import TOKEN, World, body, world
from tests.scenes import scene, until

pytestmark = pytest.mark.cli


async def threads(castra: Castra) -> tuple[Thread, ...]:
    async with open_praetorium(castra.database, SystemClock()) as praetorium:
        assert await praetorium.check() == ()
        return await praetorium.threads.all()


async def backed_up(made: World, folder: Path) -> Path:
    source = Source(made.castra, made.castra.root.parent / "legio.toml", (TOKEN,))
    now = datetime.now(UTC)
    archive = await asyncio.to_thread(make, source, place(folder / "kept", now), now=now)
    assert archive.left_out == ()
    return archive.path


@scene(deadline=60)
async def test_restored_elsewhere_the_legion_remembers_what_was_said_before_the_backup(
    tmp_path: Path,
) -> None:
    async with world(tmp_path / "one") as made:
        async with made.legio():
            await made.ask("the ford is deep")
            await made.ask("@vorenus remember the eagle is lost")
            archive = await backed_up(made, tmp_path)
            await made.ask("the bridge is new")
        there = restore(archive, tmp_path / "two" / "legio.toml", {}, now=datetime.now(UTC)).castra
        before = await threads(Castra(there))

        moved = replace(made, config=replace(made.config, castra=there), castra=Castra(there))
        async with moved.legio():
            (answer,) = await moved.ask("what was said")
            (acta,) = await moved.ask("@vorenus what do the acta say")
        async with moved.legio():
            (again,) = await moved.ask("what was said")
        after = await threads(Castra(there))

    assert "the ford is deep" in body(answer)
    assert "bridge" not in body(answer), "that was said after the backup"
    assert "the eagle is lost" in body(acta)
    assert "the ford is deep" in body(again), "also after the next start"
    assert [thread.id for thread in after] == [thread.id for thread in before], "resumed, not begun anew"
    assert all("resumed" not in thread.reason for thread in after)


@scene(deadline=60)
async def test_a_running_legio_makes_up_for_the_backup_that_was_missed(tmp_path: Path) -> None:
    async with world(tmp_path / "one") as made:
        async with made.legio():
            await made.ask("the ford is deep")
        async with open_praetorium(made.castra.database, SystemClock()) as praetorium:
            await praetorium.database.change("UPDATE nuntii SET timestamp = '2026-01-01T00:00:00+00:00'")
        folder = tmp_path / "backups"
        due = replace(made, config=replace(made.config, backup=BackupConfig(keep=1, hour=0, folder=folder)))
        async with due.legio():
            await until(lambda: list(folder.glob("nightly-*.tar.gz")), what="the nightly backup")
            await due.ask("and now")
    (archive,) = folder.iterdir()
    kept = members(archive).keys()
    assert {"legio-backup.json", "castra/praetorium.db", "castra/legatus/prompt.md"} <= kept
    assert [name for name in kept if name.endswith(".jsonl")], "the threads"
