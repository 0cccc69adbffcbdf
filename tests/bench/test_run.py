"""The whole bench with counts so small that it says nothing, but for that it runs."""

import pytest

from tests.bench.run import Counts, measure
from tests.scenes import scene

pytestmark = pytest.mark.cli

TINY = Counts(
    starts=1,
    warm=1,
    pairs=1,
    centuriones=2,
    rounds=1,
    nuntii=10_000,
    reads=10,
    posts=2,
    signs=1,
    stops=1,
    streaming=3.0,
    paints=1,
    entries=400,
)


@scene(deadline=120)
async def test_a_run_gives_every_figure_its_bound_and_its_verdict() -> None:
    said: list[str] = []

    report = await measure(TINY, say=said.append)

    assert [figure.name.partition(",")[0] for figure in report.figures] == [
        "start of the process to its first poll",
        "bare SDK turn",
        "the same SDK under a minimal bot",
        "Legio turn",
        "2 centuriones at once",
        "update to the first visible sign",
        "/stop to stopped",
        "messages and edits in a minute",
        "429 from the server that enforces its limits",
        "edits after the last answer",
        "resident memory of the Python process",
        "resident memory of the Python process",
        "last 50 visible of 10",
        "first page of 10",
        "nuntii written a second",
        "updates admitted a second: letter",
        "first paint of the page",
        "a frame while a feed of 400 is scrolled",
    ]
    bounded = [bool(figure.bound) for figure in report.figures]
    assert bounded == [figure.met is not None for figure in report.figures]
    assert sum(bounded) == (13 if report.figures[-1].met is not None else 11)
    assert "cores" in report.machine
    assert len(said) == 8
