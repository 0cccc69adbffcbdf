"""What happens to the castra and the disk under it while Legio works: full, failing, locked, edited.

What cannot be written down is not acknowledged, so that Telegram keeps it, and what was done already is
written as soon as that can be; Caesar is told of it directly, as no outbox can be written either.
"""

import asyncio
import contextlib
import sqlite3
import time
from collections.abc import AsyncIterator
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path

from legio.app import Deployment, legion
from legio.bot.outcry import BEGUN, OVER
from legio.clock import SystemClock
from legio.config import Credential, Secrets
from legio.praetorium import open_praetorium
from tests.e2e.world import CAESAR, TOKEN, World, world
from tests.processes import Station, refused, station
from tests.scenes import until
from tests.scorecard.counting import Load
from tests.scorecard.disks import failing_disk, small_disk
from tests.scorecard.scenario import Figures, Scenario

GROUP = "Processes, castra and disk"
CASTRA = "castra"
MEGABYTES = 48
"""Enough for a castra with the homes of its CLIs, and soon full."""
TELLING_SECONDS = 30.0
ORDER = "<edictum><title>Brevity</title><text>Be brief.</text></edictum>"


# --- the disk ------------------------------------------------------------------------------------------


async def full(folder: Path) -> Figures:
    """The disk fills up while a turn runs and while Caesar writes, and is freed after Caesar was told."""
    with small_disk(folder / CASTRA, megabytes=MEGABYTES) as disk:
        async with _camped(folder) as (site, load), site.run():
            load.say("vorenus")
            load.say("pullo")
            await load.settled()
            load.say("vorenus", rule="slow 1 then")
            await until(lambda: site.model.running, what="a running turn")
            disk.fill()
            load.say("pullo")
            load.say()
            await _told(site, BEGUN)
            assert len(load.open) == 3, "answered without a record"
            disk.free()
            recovery = await load.settled()
            await _told(site, OVER)
        return await load.figures(tries=1, recovery=recovery, note="Caesar was told while it was full")


async def failing(folder: Path) -> Figures:
    """The disk fails while a turn runs: Linux makes it read-only. It is mended while Legio is down."""
    with failing_disk(folder / CASTRA, megabytes=MEGABYTES) as disk:
        async with _camped(folder) as (site, load):
            async with site.run():
                load.say("vorenus")
                await load.settled()
                load.say("vorenus", rule="slow 1 then")
                await until(lambda: site.model.running, what="a running turn")
                disk.fail()
                load.say("pullo")
                await _told(site, BEGUN)
            disk.mend()
            async with site.run():
                recovery = await load.settled()
            return await load.figures(
                tries=1, recovery=recovery, note="Caesar was told that it cannot be written"
            )


async def unwritable(folder: Path) -> Figures:
    """The castra may not be written at the start: refused with what to do; once it may be, all is well."""
    async with _camped(folder) as (site, load):
        load.say("vorenus")
        folders = [path for path in (site.castra.root, *site.castra.root.rglob("*")) if path.is_dir()]
        for path in folders:
            path.chmod(0o500)
        said = await refused("run", folder=folder, environment=site.environment, mortal=True)
        assert "cannot be locked (Permission denied)" in said, said
        assert "Make its folder writable" in said, said
        for path in folders:
            path.chmod(0o700)
        async with site.run():
            recovery = await load.settled()
        return await load.figures(tries=1, recovery=recovery, note="refused with what to do")


# --- the record ----------------------------------------------------------------------------------------


async def locked(folder: Path, *, seconds: float) -> Figures:
    """Another program holds the database while a turn ends and while Caesar writes."""
    async with _camped(folder) as (site, load), site.run():
        load.say("vorenus")
        await load.settled()
        load.say("vorenus", rule="slow 1 then")
        await until(lambda: site.model.running, what="a running turn")
        with contextlib.closing(sqlite3.connect(site.castra.database, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            load.say("pullo")
            load.say()
            await asyncio.sleep(seconds)
            assert len(load.open) == 3, "answered without a record"
            other.execute("ROLLBACK")
        recovery = await load.settled()
        told = any("cannot write" in message.text.plain for message in site.telegram.answers)
    return await load.figures(
        tries=1, recovery=recovery, note="Caesar was told" if told else "too short for a word to Caesar"
    )


class ShiftedClock(SystemClock):
    """The machine's clock, whose wall time somebody has set."""

    def __init__(self) -> None:
        self.shift = timedelta()

    def now(self) -> datetime:
        return super().now() + self.shift


async def clock_set_back(folder: Path) -> Figures:
    """The wall clock goes back an hour while a turn runs, and stays there over a restart."""
    clock = ShiftedClock()
    async with world(folder) as site:
        load = Load(site)
        async with _on(site, clock):
            load.say("vorenus", "pullo")
            await load.settled()
            load.say("vorenus", rule="slow 1 then")
            await until(lambda: site.model.running, what="a running turn")
            clock.shift = timedelta(hours=-1)
            load.say("vorenus")
            begun = time.monotonic()
            await load.settled()
            recovery = time.monotonic() - begun
            load.say("vorenus", rule="slow 6 then")
            await until(lambda: site.model.running, what="a running turn")
        async with _on(site, clock):
            load.say("pullo")
            await load.settled()
        async with open_praetorium(site.castra.database, clock) as praetorium:
            rows = await praetorium.database.rows(
                "SELECT text FROM nuntii WHERE sender = 'caesar' ORDER BY seq"
            )
        assert [row["text"] for row in rows] == [said.text for said in load.said], "the order did not hold"
        return await load.figures(tries=1, recovery=recovery, note="order kept, nothing expired")


# --- the files -----------------------------------------------------------------------------------------


async def edited(folder: Path) -> Figures:
    """A prompt is edited in mid-turn: the turn ends well, and the next one has the new prompt."""
    async with _camped(folder) as (site, load), site.run():
        load.say("vorenus", rule="slow 1 then")
        await until(lambda: site.model.running, what="a running turn")
        path = site.castra.prompt("vorenus")
        path.write_text(f"{path.read_text()}\nSpeak of the Rubicon.\n")
        await load.settled()
        assert "Rubicon" not in site.model.requests[-1].system
        load.say("vorenus")
        recovery = await load.settled()
        assert "Rubicon" in site.model.requests[-1].system
        path.write_text("no front matter")
        load.say("vorenus")
        await load.settled()
        assert any("vorenus/prompt.md" in end for end in _said(site)), "what is wrong was not said"
    return await load.figures(tries=2, recovery=recovery, note="a broken prompt is named to Caesar")


async def truncated(folder: Path) -> Figures:
    """Files of the memoria are cut off, to a half and to nothing: skipped, told, and left as they are."""
    async with _camped(folder) as (site, load), site.run():
        whole, half, empty = (site.castra.edicta / f"{name}.xml" for name in ("whole", "half", "empty"))
        for path in (whole, half, empty):
            path.write_text(ORDER)
        load.say("vorenus")
        await load.settled()
        half.write_text(ORDER[:30])
        empty.write_text("")
        load.say("vorenus")
        recovery = await load.settled()
        said = (await site.ask("@vorenus what do the edicta say"))[0]
        assert "half.xml" in said, said
        assert "empty.xml" in said, said
        assert "Be brief." in said, said
        assert (half.read_text(), empty.read_text()) == (ORDER[:30], ""), "a broken file was overwritten"
    return await load.figures(tries=2, recovery=recovery, note="named, skipped, and left as they are")


# --- hands ---------------------------------------------------------------------------------------------


@contextlib.asynccontextmanager
async def _camped(folder: Path) -> AsyncIterator[tuple[Station, Load]]:
    async with station(folder) as site:
        yield site, Load(site)


@contextlib.asynccontextmanager
async def _on(site: World, clock: ShiftedClock) -> AsyncIterator[None]:
    secrets = Secrets(None, Credential("ANTHROPIC_API_KEY", "scripted"))
    async with legion(Deployment(site.config, secrets, CAESAR, TOKEN, clock=clock)):
        yield


async def _told(site: Station, words: str) -> None:
    first = words.partition("{")[0]
    await until(
        lambda: any(first in text for text in _said(site)),
        deadline=TELLING_SECONDS,
        what=f"the word: {first}",
    )


def _said(site: Station) -> list[str]:
    return [message.text.plain for message in site.telegram.answers]


SCENARIOS = (
    Scenario(GROUP, "disk full", full, bound=10),
    Scenario(GROUP, "disk fails and becomes read-only", failing, bound=15),
    Scenario(GROUP, "castra not writable at the start", unwritable, bound=10, quick=True),
    Scenario(GROUP, "database locked for 5 s", partial(locked, seconds=5), bound=10),
    Scenario(GROUP, "database locked for 20 s", partial(locked, seconds=20), bound=15),
    Scenario(GROUP, "wall clock set back an hour", clock_set_back, bound=10),
    Scenario(GROUP, "prompt edited, then broken, in mid-turn", edited, bound=10, quick=True),
    Scenario(GROUP, "files of the memoria truncated", truncated, bound=10, quick=True),
)
