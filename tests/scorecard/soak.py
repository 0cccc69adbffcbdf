"""Ten thousand turns in one life of Legio, by four agents in parallel: does its memory grow without end?

Each message to the Legatus makes him dispatch as often as the hop budget lets him: thirteen turns. The outbox
paces his answers for Caesar's phone and lags behind; so turns are counted in the record. A CLI grows with
each turn: what bounds it is `max_session_mb`, set here so low that it is reached long before the first look.
"""

import asyncio
import sqlite3
import time
from contextlib import closing
from dataclasses import dataclass, field
from itertools import cycle, islice
from pathlib import Path

import psutil

from legio.clock import SystemClock
from legio.dispatches import HOP_BUDGET
from legio.local.model import Answer, ModelRequest, ToolUse
from legio.local.model.conversation import read_conversation
from legio.praetorium import open_praetorium
from tests.processes import LegioProcess, Station, station
from tests.scorecard.counting import CENTURIONES, Load
from tests.scorecard.scenario import Figures, Scenario

TURNS = 10_000
LOOKS = (1_000, 5_000, 10_000)
WINDOW = 500
"""A look is the most that was seen in so many turns before it: one CLI more or less asleep is no growth."""
MOST_GROWTH = 1.2
"""How much more the last look may see than the first of all processes: each CLI is somewhere between 200 MB,
when it has just started, and the limit, so a look alone is off by some 6 % either way.
"""
MOST_GROWTH_OF_LEGIO = 1.1
"""The same of Legio's own process, which does not start anew: a leak of 1.2 kB a turn would be seen."""
SAMPLE_SECONDS = 0.5
IN_FLIGHT = 3 * (1 + HOP_BUDGET)
"""Turns that are asked for at once."""
MEGABYTE = 1024 * 1024
# The context is kept small for speed: a CLI sends its whole thread with each turn.
LIMITS = {"LEGIO_MAX_SESSION_MB": "300", "LEGIO_MAX_CONTEXT_TOKENS": "30000"}
DISPATCH = "mcp__legatus__dispatch_to_centurio"


@dataclass(frozen=True, slots=True)
class Sample:
    """Resident memory in MB after so many turns: Legio's own, and the whole tree's."""

    turns: int
    own: float
    tree: float


@dataclass
class Soak:
    """One run."""

    station: Station
    load: Load
    samples: list[Sample] = field(default_factory=list)

    async def run(self, process: LegioProcess, turns: int) -> None:
        """Keep all agents at work until so many turns have ended."""
        ended = 0
        while ended < turns:
            while len(self.load.said) * (1 + HOP_BUDGET) < min(ended + IN_FLIGHT, turns):
                self._ask()
            await asyncio.sleep(SAMPLE_SECONDS)
            ended = self._ended()
            self.samples.append(_sample(process, ended))

    def _ask(self) -> None:
        mark = self.load.dispatch(*CENTURIONES)
        calls = tuple(
            ToolUse(DISPATCH, {"name": name, "message": f"echo {mark}"})
            for name in islice(cycle(CENTURIONES), HOP_BUDGET)
        )

        def asked(request: ModelRequest) -> bool:
            return read_conversation(request).asked.endswith(f"to echo {mark}")

        self.station.model.script_next(Answer(calls=calls), match=asked)

    def _ended(self) -> int:
        address = f"file:{self.station.castra.database}?mode=ro"
        with closing(sqlite3.connect(address, uri=True)) as connection:
            (ended,) = connection.execute("SELECT count(*) FROM turns WHERE ended IS NOT NULL").fetchone()
        return int(ended)

    def look(self, turns: int) -> Sample:
        """The most that was seen in the window before so many turns."""
        window = [one for one in self.samples if turns - WINDOW <= one.turns <= turns + IN_FLIGHT]
        return Sample(turns, max(one.own for one in window), max(one.tree for one in window))


def _sample(process: LegioProcess, turns: int) -> Sample:
    sizes = {pid: _resident(pid) for pid in process.family()}
    return Sample(turns, sizes.get(process.pid, 0.0), sum(sizes.values()))


def _resident(pid: int) -> float:
    try:
        return float(psutil.Process(pid).memory_info().rss) / MEGABYTE
    except psutil.Error:
        return 0.0  # it ended a moment ago


async def soak(folder: Path, *, turns: int = TURNS, looks: tuple[int, ...] = LOOKS) -> Figures:
    """Raises `AssertionError` when the last look saw too much more than the first."""
    async with station(folder) as made:
        made.environment.update(LIMITS)
        one = Soak(made, Load(made))
        begun = time.monotonic()
        async with made.run() as process:
            await one.run(process, turns)
            seconds = time.monotonic() - begun
        async with open_praetorium(made.castra.database, SystemClock()) as praetorium:
            assert await praetorium.check() == ()
            tally = await praetorium.turns.tally()
    first, *_, last = seen = [one.look(after) for after in looks]
    sizes = ", ".join(f"{it.tree:.0f} ({it.own:.0f}) MB at {it.turns:,}" for it in seen)
    note = f"all processes (Legio's own): {sizes} turns; {1000 * seconds / turns:.0f} ms a turn"
    assert last.tree <= MOST_GROWTH * first.tree, note
    assert last.own <= MOST_GROWTH_OF_LEGIO * first.own, note
    return Figures(
        tries=1,
        received=tally.received,
        answered=tally.answered + tally.failed + tally.stopped + tally.expired,
        lost=tally.pending,
        doubled=0,
        recovery=0.0,
        note=note,
    )


SCENARIOS = (Scenario("Long life", "10,000 turns of four agents in parallel", soak, bound=1.0, long=True),)
