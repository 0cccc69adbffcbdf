from pathlib import Path

from tests.app.parts import parts
from tests.scenes import scene


@scene
async def test_what_speaks_to_caesar_runs_as_long_as_legio_does(tmp_path: Path) -> None:
    async with parts(tmp_path) as made:
        names = [name for name, _ in made.front.tasks]
    assert names == ["courier", "roll-call", "reactions", "cards", "decisions", "outcry"]


@scene
async def test_nothing_is_sent_before_the_line_is_open(tmp_path: Path) -> None:
    async with parts(tmp_path) as made:
        assert not made.front.application.running
