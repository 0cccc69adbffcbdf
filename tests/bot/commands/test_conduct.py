import asyncio
from pathlib import Path

from legio.bot.commands.conduct import REMEMBERED
from tests.bot.desks import desk
from tests.fakes import Stage
from tests.scenes import scene, until


@scene
async def test_reset_asks_first_and_then_begins_afresh(tmp_path: Path) -> None:
    stage = Stage()
    async with desk(tmp_path, stage) as (commands, camp, _):
        await camp.say("@vorenus one")
        await camp.settled(1)
        asked = await commands.run("/reset vorenus")
        assert len(stage.closed) == 0
        assert "is being reset" in await camp.decisions.press(asked.buttons[0].data)
        told = await camp.card(1)
        await camp.say("@vorenus two")
        await camp.settled(2)
    assert stage.briefs[1].thread != stage.briefs[0].thread
    assert "vorenus begins afresh, and answers" in str(told["text"])


@scene
async def test_stop_says_whom_it_stops_and_that_nobody_runs(tmp_path: Path) -> None:
    stage = Stage(gate=asyncio.Event())
    async with desk(tmp_path, stage) as (commands, camp, _):
        assert (await commands.run("/stop", update_id=1)).text == "Nothing was running."
        await camp.say("@vorenus @pullo one")
        await until(lambda: len(stage.starting) == 2)
        commands.hasten("/stop @Pullo", 101)
        commands.hasten("/stop @Pullo", 101)
        assert (await commands.run("/stop @Pullo", update_id=101)).text == "Stopping pullo."
        assert (await commands.run("/stop", update_id=102)).text == "Stopping vorenus."
        await camp.settled(2)
        assert "nobody called" in (await commands.run("/stop titus", update_id=103)).text


@scene
async def test_only_so_many_stops_are_remembered(tmp_path: Path) -> None:
    async with desk(tmp_path, Stage()) as (commands, _, __):
        for number in range(REMEMBERED + 1):
            commands.hasten("/stop", number + 1)
        assert (await commands.run("/stop", update_id=1)).text == "Nothing was running."
