"""One run: every figure, one after another, against the same loopback model."""

import os
import platform
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.bench.camp import CENTURIONES, Bot, Camp, camp, legio
from tests.bench.painting import paint_figure, paints
from tests.bench.parallel import parallel_figure, rounds
from tests.bench.record import record, record_figures
from tests.bench.report import Figure, Sample
from tests.bench.scrolling import frames, scroll_figure
from tests.bench.signs import sign_figure, signs
from tests.bench.stopping import stop_figure, stops
from tests.bench.streaming import streaming, streaming_figures
from tests.bench.turns import turn_figures, turns

MOST_RESIDENT = 120_000_000
FSYNCS = 100


@dataclass(frozen=True, slots=True)
class Counts:
    """How often each thing is done. Legio has had `warm + pairs` turns when it is weighed again.

    All centuriones stream at once for `streaming` seconds.
    """

    starts: int
    warm: int
    pairs: int
    centuriones: int
    rounds: int
    nuntii: int
    reads: int
    posts: int
    signs: int
    stops: int
    streaming: float
    paints: int
    entries: int


FULL = Counts(
    starts=5,
    warm=5,
    pairs=45,
    centuriones=8,
    rounds=7,
    nuntii=1_000_000,
    reads=5_000,
    posts=2_000,
    signs=20,
    stops=20,
    streaming=60.0,
    paints=20,
    entries=10_000,
)


@dataclass(frozen=True, slots=True)
class Report:
    """What was measured, and on what."""

    machine: str
    figures: tuple[Figure, ...]


async def measure(counts: Counts, *, say: Callable[[str], None]) -> Report:
    """Take every figure; `say` is told what is going on."""
    async with camp() as ground:
        machine = _machine(ground.folder)
        say(f"{counts.starts} starts of the process …")
        starts = await _starts(ground, counts.starts)
        figures = [Figure("start of the process to its first poll", "", str(starts))]
        async with legio(ground) as bot:
            await bot.ready()
            figures += await _at_work(ground, bot, counts, say)
        say(f"a praetorium of {counts.nuntii:,} nuntii …")
        figures += record_figures(
            *await record(ground.folder, nuntii=counts.nuntii, reads=counts.reads, posts=counts.posts)
        )
        say(f"{counts.paints} visits of the page …")
        figures.append(paint_figure(await paints(count=counts.paints)))
        say(f"a feed of {counts.entries:,} entries …")
        figures.append(scroll_figure(await frames(ground.folder, entries=counts.entries), counts.entries))
        return Report(machine, tuple(figures))


async def _starts(ground: Camp, count: int) -> Sample:
    seconds = []
    for _ in range(count):
        async with legio(ground) as bot:
            seconds.append(await bot.polled())
            await bot.ready()
    return Sample(tuple(seconds))


async def _at_work(ground: Camp, bot: Bot, counts: Counts, say: Callable[[str], None]) -> list[Figure]:
    """The figures that one Legio gives: its turns, its weight before and after, its centuriones."""
    names = CENTURIONES[: counts.centuriones]
    weights = [bot.child.resident()]
    say(f"{counts.warm} + {counts.pairs} turns of Legio, of the bare SDK and of a minimal bot …")
    seen = await turns(ground, bot, pairs=counts.pairs, warm=counts.warm)
    weights.append(bot.child.resident())
    say(f"{counts.rounds} rounds of {len(names)} centuriones …")
    parallel = await rounds(ground, bot, names, count=counts.rounds)
    say(f"{counts.signs} first signs, and {len(names)} centuriones who stream for {counts.streaming:.0f} s …")
    seen_signs = await signs(ground, bot, count=counts.signs)
    say(f"{counts.stops} times /stop …")
    stopped = await stops(bot, names[0], count=counts.stops)
    streamed = await streaming(ground, bot, names, seconds=counts.streaming)
    return [
        *turn_figures(seen),
        parallel_figure(parallel, names),
        sign_figure(seen_signs),
        stop_figure(stopped),
        *streaming_figures(streamed),
        *_weight_figures(weights, turns=counts.warm + counts.pairs),
    ]


def _weight_figures(weights: list[int], *, turns: int) -> list[Figure]:
    moments = ("after the start", f"after {turns} turns")
    bound = f"{MOST_RESIDENT / 1e6:.0f} MB"
    return [
        Figure(
            f"resident memory of the Python process, {moment}",
            bound,
            f"{weight / 1e6:.1f} MB",
            weight <= MOST_RESIDENT,
        )
        for moment, weight in zip(moments, weights, strict=True)
    ]


def _machine(folder: Path) -> str:
    """What the figures are taken on, and how busy others keep it; the spread of each figure is its noise."""
    load = ", ".join(f"{average:.1f}" for average in os.getloadavg())
    return (
        f"{os.cpu_count()} cores, load before the run {load}; {platform.system()} {platform.machine()},"
        f" Python {platform.python_version()}; one fsync of 4 kB: {_fsync(folder)}."
        "\nEach figure: median (least to most, number)."
    )


def _fsync(folder: Path) -> Sample:
    with tempfile.TemporaryFile(dir=folder) as file:
        return Sample(tuple(_synced(file.fileno()) for _ in range(FSYNCS)))


def _synced(descriptor: int) -> float:
    began = time.perf_counter()
    os.write(descriptor, bytes(4096))
    os.fsync(descriptor)
    return time.perf_counter() - began
