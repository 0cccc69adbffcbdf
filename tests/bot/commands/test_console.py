"""The way to the console's page, asked for in the chat."""

from dataclasses import replace
from pathlib import Path

from legio.bot.commands import Commands
from legio.clock import SystemClock
from legio.memoria.store import FileMemoria
from tests.bot.desks import desk, desk_of
from tests.camp import legion
from tests.fakes import Stage
from tests.scenes import scene


async def invited() -> str:
    return "Open https://camp.example.org"


@scene
async def test_the_way_is_told(tmp_path: Path) -> None:
    async with legion(tmp_path / "castra", Stage()) as camp:
        made = replace(desk_of(camp, FileMemoria(camp.castra, SystemClock())), invitation=invited)
        reply = await Commands(made).run("/console")
    assert reply.text == "Open https://camp.example.org"


@scene
async def test_where_no_console_is_served_that_is_said(tmp_path: Path) -> None:
    async with desk(tmp_path) as (commands, _, _):
        reply = await commands.run("/console")
    assert reply.text.startswith("the console is not served. Set [console] port in legio.toml")
