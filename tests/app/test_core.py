from pathlib import Path

from tests.app.parts import parts
from tests.scenes import scene


@scene
async def test_the_legion_is_that_of_the_castra_and_asleep(tmp_path: Path) -> None:
    async with parts(tmp_path) as made:
        assert made.core.roster.names() == ("brutus", "pullo", "vorenus")
        assert [session.name for session in made.core.sessions.all()] == []
        assert [name for name, _ in made.core.tasks] == ["reaper", "budget", "nightly", "steps"]


@scene
async def test_everybody_who_wakes_agents_wakes_the_same_ones(tmp_path: Path) -> None:
    async with parts(tmp_path) as made:
        assert made.core.legatus.sessions is made.core.recruiting.sessions is made.core.sessions
