"""What happens to the CLIs: killed, left behind by an earlier Legio, and more wanted than may live."""

import asyncio
import contextlib
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from functools import partial
from pathlib import Path

import psutil

from tests.processes import LegioProcess, Station, station
from tests.scenes import until
from tests.scorecard.castra import GROUP, ORDER
from tests.scorecard.counting import CENTURIONES, Load
from tests.scorecard.scenario import Figures, Scenario

KILLS = 3
CEILING = 4
AGENTS = 20
LOOK_SECONDS = 0.02
SETTLING_SECONDS = 120.0


async def killed_idle(folder: Path) -> Figures:
    """A CLI is killed between two turns: the next question is answered by a new one."""
    recovery = 0.0
    async with station(folder) as site:
        load = Load(site)
        async with site.run() as legio:
            for _ in range(KILLS):
                load.say("vorenus")
                await load.settled()
                _kill_clis(legio)
                load.say("vorenus")
                recovery = max(recovery, await load.settled())
        assert not any(end.told for end in load.ends), "Caesar had to ask again"
        return await load.figures(tries=KILLS, recovery=recovery, note="Caesar notices nothing")


async def killed_in_mid_turn(folder: Path) -> Figures:
    """A CLI is killed while the model answers: Caesar is told, and the next question is answered."""
    recovery = told = 0.0
    async with station(folder) as site:
        load = Load(site)
        async with site.run() as legio:
            for _ in range(KILLS):
                mark = load.say("vorenus", rule="slow 20 then")
                # One that dies before it has written the question down was told nothing, and is asked again.
                await until(partial(_recalled, site, "vorenus", mark), what="a question in the transcript")
                _kill_clis(legio)
                told = max(told, await load.settled())
                load.say("vorenus")
                recovery = max(recovery, await load.settled())
        assert sum(end.told for end in load.ends) == KILLS, "a turn that was killed was not told so"
        return await load.figures(tries=KILLS, recovery=recovery, note=f"told after {told:.1f} s at most")


async def orphaned(folder: Path) -> Figures:
    """A CLI of an earlier Legio lives at the start, and an innocent process has another CLI's old pid."""
    async with station(folder) as site:
        load = Load(site)
        async with site.run():
            load.say("vorenus", "pullo")
            await load.settled()
        with _process() as orphan, _process() as innocent:
            _write_down(site, "vorenus", orphan.pid, psutil.Process(orphan.pid).create_time())
            _write_down(site, "pullo", innocent.pid, psutil.Process(innocent.pid).create_time() - 60)
            load.say("vorenus", "pullo")
            begun = time.monotonic()
            async with site.run():
                assert orphan.wait(10) == -signal.SIGKILL
                await load.settled()
                recovery = time.monotonic() - begun
                assert innocent.poll() is None, "an innocent process was killed"
        return await load.figures(tries=1, recovery=recovery, note="the orphan ended, the innocent one lives")


async def crowded(folder: Path) -> Figures:
    """Twenty agents on a ceiling of four, three times; an edictum changes all prompts before the last."""
    async with station(folder) as site:
        names = [*CENTURIONES, *(f"miles{number}" for number in range(AGENTS - 1 - len(CENTURIONES)))]
        for name in names[len(CENTURIONES) :]:
            site.castra.post(name).mkdir()
            site.castra.prompt(name).write_text(f"---\ndescription: soldier\n---\nYou are {name}.\n")
        load = Load(site, centuriones=names)
        limits = {"LEGIO_MAX_LIVE_SESSIONS": str(CEILING), "LEGIO_MAX_CENTURIONES": str(AGENTS)}
        recovery = 0.0
        async with site.run(**limits) as legio, _census(legio) as counts:
            for changed in (False, False, True):
                if changed:
                    (site.castra.edicta / "brevity.xml").write_text(ORDER)
                load.say("all", rule="slow 0.2 then")
                recovery = max(recovery, await load.settled(seconds=SETTLING_SECONDS))
        assert max(counts) <= CEILING, f"{max(counts)} CLIs lived at once"
        assert not any(end.told for end in load.ends), "somebody was not answered"
        return await load.figures(tries=3, recovery=recovery, note=f"{max(counts)} CLIs at once, at most")


# --- hands ---------------------------------------------------------------------------------------------


def _groups(legio: LegioProcess) -> set[int]:
    """The process groups of the CLIs: each leads one of its own."""
    groups = set()
    for pid in legio.family():
        with contextlib.suppress(ProcessLookupError):
            groups.add(os.getpgid(pid))
    return groups - {legio.pid}


def _recalled(site: Station, agent: str, mark: str) -> bool:
    """Whether a transcript of the agent's holds the mark, and the model is asked."""
    transcripts = site.castra.home(agent).glob("projects/*/*.jsonl")
    return bool(site.model.running) and any(mark in path.read_text(errors="replace") for path in transcripts)


def _kill_clis(legio: LegioProcess) -> None:
    groups = _groups(legio)
    assert groups, "there is no CLI to be killed"
    for group in groups:
        os.killpg(group, signal.SIGKILL)


@contextlib.asynccontextmanager
async def _census(legio: LegioProcess) -> AsyncIterator[list[int]]:
    """How many CLIs live, looked at again and again while inside."""
    counts = [0]

    async def look() -> None:
        while True:
            counts.append(len(_groups(legio)))
            await asyncio.sleep(LOOK_SECONDS)

    looking = asyncio.create_task(look(), name="census")
    try:
        yield counts
    finally:
        looking.cancel()
        await asyncio.gather(looking, return_exceptions=True)


@contextlib.contextmanager
def _process() -> Iterator["subprocess.Popen[bytes]"]:
    """A process that does nothing, in a group of its own as a CLI is."""
    with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"], process_group=0) as made:
        try:
            yield made
        finally:
            made.kill()


def _write_down(site: Station, agent: str, pid: int, started: float) -> None:
    """Make the record say that the agent's CLI is that process."""
    with contextlib.closing(sqlite3.connect(site.castra.database, isolation_level=None)) as record:
        record.execute("UPDATE sessions SET pid = ?, started = ? WHERE agent = ?", (pid, started, agent))


SCENARIOS = (
    Scenario(GROUP, "CLI killed while idle", killed_idle, bound=10, quick=True),
    Scenario(GROUP, "CLI killed in mid-turn", killed_in_mid_turn, bound=10, quick=True),
    Scenario(GROUP, "orphan at the start, beside an innocent process", orphaned, bound=15, quick=True),
    Scenario(GROUP, f"{AGENTS} agents on a ceiling of {CEILING}", crowded, bound=60),
)
