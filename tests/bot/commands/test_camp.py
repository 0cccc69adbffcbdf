import asyncio
from pathlib import Path

from tests.bot.desks import desk
from tests.fakes import Stage
from tests.scenes import scene, until


@scene
async def test_start_names_whom_one_can_address(tmp_path: Path) -> None:
    async with desk(tmp_path) as (commands, _, _):
        reply = await commands.run("/start")
    assert "@brutus, @pullo, @vorenus" in reply.text


@scene
async def test_a_created_centurio_is_there_at_once_and_a_removed_one_keeps_his_files(tmp_path: Path) -> None:
    async with desk(tmp_path) as (commands, camp, _):
        created = await commands.run("/create titus knows about bridges")
        assert "Write @titus to address him." in created.text
        await camp.say("@titus how wide")
        await camp.settled(1)
        asked = await commands.run("/remove @Titus")
        assert camp.roster.names() == ("brutus", "pullo", "titus", "vorenus"), "not before Caesar's thumb"
        outcome = await camp.decisions.press(asked.buttons[0].data)
        assert "titus has been removed" in outcome
        assert camp.roster.names() == ("brutus", "pullo", "vorenus")
        assert list((camp.castra.centuriones / ".removed").glob("titus-*/prompt.md"))


@scene
async def test_the_list_says_who_is_granted_a_tool_that_may_be_misspelt(tmp_path: Path) -> None:
    async with desk(tmp_path) as (commands, camp, _):
        camp.castra.prompt("pullo").write_text("---\ndescription: builds\ntools: [Raed]\n---\nYou build.\n")
        reply = await commands.run("/list")
    assert "@pullo — builds" in reply.text
    assert reply.text.endswith("⚠️ pullo: the CLI is not known to have a tool 'Raed'. Did you mean 'Read'?")


@scene
async def test_a_centurio_stays_when_caesar_says_so(tmp_path: Path) -> None:
    async with desk(tmp_path) as (commands, camp, _):
        asked = await commands.run("/remove brutus")
        assert await camp.decisions.press(asked.buttons[1].data) == "brutus stays."
        assert "brutus" in camp.roster.names()


@scene
async def test_stop_names_whom_it_stops_and_status_shows_him_at_work(tmp_path: Path) -> None:
    async def never(_: str) -> str:
        await asyncio.Event().wait()
        return ""

    stage = Stage(say=never)
    async with desk(tmp_path, stage) as (commands, camp, _):
        await camp.say("@vorenus one")
        await until(lambda: stage.asked)
        status = await commands.run("/status")
        stopped = await commands.run("/stop vorenus")
        await camp.settled(1)
    assert "vorenus: at work for 0 s" in status.text
    assert "+ 1 pending" in status.text
    assert stopped.text == "Stopping vorenus."


@scene
async def test_status_points_to_what_never_arrived(tmp_path: Path) -> None:
    async with desk(tmp_path) as (commands, camp, _):
        await camp.legatus.tell("one")
        (dispatch,) = await camp.praetorium.outbox.due()
        before = await commands.run("/status")
        await camp.praetorium.outbox.failed(dispatch, "blocked", final=True, doubtful=False)
        after = await commands.run("/status")
    assert "/undelivered" not in before.text
    assert "⚠️ Some messages never reached you: /undelivered." in after.text
