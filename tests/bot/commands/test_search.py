from pathlib import Path

from tests.bot.desks import desk
from tests.scenes import scene


@scene
async def test_what_was_said_is_found_with_buttons_to_quote_it(tmp_path: Path) -> None:
    async with desk(tmp_path) as (commands, camp, _):
        await camp.say("@pullo count the tents")
        await camp.settled(1)
        reply = await commands.run("/search tent")
        nothing = await commands.run("/search bridges")
    assert reply.shown is not None
    assert "1 found" in reply.text
    assert [button.data for row in reply.shown.buttons for button in row] == ["found:1"]
    assert nothing.text == "🔎 bridges\n\nNothing was found."


@scene
async def test_without_a_word_or_with_a_day_that_is_none_it_says_how(tmp_path: Path) -> None:
    async with desk(tmp_path) as (commands, _, _):
        assert "Usage: /search <words>" in (await commands.run("/search")).text
        assert "no word to look for" in (await commands.run("/search @pullo")).text
        assert "since:2026-11-01" in (await commands.run("/search tents since:monday")).text
