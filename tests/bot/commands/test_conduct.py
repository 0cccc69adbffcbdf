from pathlib import Path

from tests.bot.desks import desk
from tests.fakes import Stage
from tests.scenes import scene


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
