from dataclasses import replace
from pathlib import Path

from tests.bot.desks import desk
from tests.praetorium.record import said
from tests.scenes import scene


@scene
async def test_history_shows_the_last_messages_or_one_senders(tmp_path: Path) -> None:
    async with desk(tmp_path) as (commands, camp, _):
        await camp.say("@vorenus one")
        await camp.settled(1)
        await camp.say("@pullo two")
        await camp.settled(2)
        everything = (await commands.run("/history 50")).text
        last = (await commands.run("/history 1")).text
        vorenus = (await commands.run("/history 50 @vorenus")).text
        caesar = (await commands.run("/history @caesar")).text
    assert everything.count("→") == 4
    assert "pullo → caesar\npullo heard." in last
    assert "vorenus heard." not in last
    assert "vorenus heard." in vorenus
    assert "caesar →" not in vorenus
    assert caesar.count("caesar → ") == 2


@scene
async def test_history_shows_local_times_and_what_came_from_a_schedule(tmp_path: Path) -> None:
    async with desk(tmp_path) as (commands, camp, _):
        origin = "schedule 1 (once), set up by caesar."
        await camp.praetorium.nuntii.post(replace(said("survey"), origin=origin))
        shown = (await commands.run("/history")).text

    assert shown == f"11-21 04:04 caesar → legatus ({origin})\nsurvey"


@scene
async def test_why_is_asked_in_reply_to_an_answer(tmp_path: Path) -> None:
    async with desk(tmp_path) as (commands, camp, _):
        await camp.say("@vorenus one")
        await camp.settled(1)
        (dispatch,) = await camp.praetorium.outbox.due()
        await camp.praetorium.outbox.sent(dispatch, 900)
        reply = await commands.run("/why", reply_to=900)
    assert "Agent: vorenus" in reply.text
