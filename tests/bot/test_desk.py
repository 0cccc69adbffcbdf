"""What a command works with."""

from pathlib import Path

import pytest

from legio.bot.desk import unserved
from legio.clock import SystemClock
from legio.errors import Refused
from legio.memoria.store import FileMemoria
from tests.bot.desks import desk_of
from tests.camp import legion
from tests.fakes import Stage
from tests.scenes import scene


@scene
async def test_a_console_that_is_not_there_has_no_link() -> None:
    with pytest.raises(Refused, match=r"the console is not served\. Set \[console\] port"):
        await unserved()


@scene
async def test_a_look_at_the_agents_is_over_the_same_camp(tmp_path: Path) -> None:
    async with legion(tmp_path / "castra", Stage()) as camp:
        desk = desk_of(camp, FileMemoria(camp.castra, SystemClock()))
        assert desk.survey.sessions is desk.sessions
        assert desk.survey.clock is desk.sight.clock
