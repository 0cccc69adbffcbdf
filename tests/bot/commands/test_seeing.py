import asyncio
import json
from pathlib import Path

from legio.bot.commands import Commands
from legio.nuntius import CAESAR
from legio.ports import Thread
from tests.bot.desks import desk
from tests.camp import Legion
from tests.fakes import Stage
from tests.scenes import scene, until


async def pressed(camp: Legion, buttons: object, label: str) -> str:
    assert isinstance(buttons, tuple)
    (data,) = [button.data for button in buttons if button.label == label]
    return await camp.decisions.press(data)


async def row(commands: Commands, line: str, begin: str, *, reply_to: int | None = None) -> str:
    lines = (await commands.run(line, reply_to=reply_to)).text.splitlines()
    (found,) = [each for each in lines if each.startswith(begin)]
    return found.removeprefix(begin).strip()


@scene
async def test_before_anything_was_said_a_session_says_so(tmp_path: Path) -> None:
    async with desk(tmp_path) as (commands, _, _):
        shown = (await commands.run("/session @Vorenus")).text
        every = (await commands.run("/session")).text
        unknown = (await commands.run("/session titus")).text
    assert "vorenus · asleep\nThread: none yet" in shown
    assert "Model: default (nobody named one)" in shown
    assert "Memory: none while asleep" in shown
    assert "Last active: never" in shown
    assert [line.split(":")[0] for line in every.splitlines()[:4]] == [
        "legatus",
        "brutus",
        "pullo",
        "vorenus",
    ]
    assert "nobody called 'titus'" in unknown


@scene
async def test_a_session_shows_thread_context_money_and_memory(tmp_path: Path) -> None:
    stage = Stage(context_tokens=61_500, megabytes=210)
    async with desk(tmp_path, stage) as (commands, camp, _):
        await camp.say("@pullo ave")
        await camp.settled(1)
        thread = await camp.praetorium.threads.load("pullo")
        shown = (await commands.run("/session pullo")).text
        every = (await commands.run("/session")).text
    assert thread is not None
    assert f"Thread: {thread.id}" in shown
    assert "Context: ▓▓▓▓░░░░░░ 41 % · 61,500 of 150,000 tokens" in shown
    assert "because this is its first use\nCarried over: nothing" in shown
    assert "Memory: 210 MB" in shown
    assert "Cost today: $0.0100" in shown
    assert "never" not in shown
    assert "pullo: awake for 0 s · ▓▓▓▓░░░░░░ 41 % · $0.01 today" in every


@scene
async def test_what_a_thread_was_told_when_it_was_begun_anew_is_shown(tmp_path: Path) -> None:
    async with desk(tmp_path, stage := Stage()) as (commands, camp, _):
        for number in range(3):
            await camp.say(f"@pullo @vorenus {number}")
        await camp.settled(6)
        thread = await camp.praetorium.threads.load("pullo")
        assert thread is not None
        assert thread.id is not None
        stage.lost.add(thread.id)
        await camp.sessions.of("pullo").rest()
        await camp.say("@pullo again")
        await camp.settled(7)
        shown = (await commands.run("/session pullo")).text
    assert "because the earlier thread could not be resumed" in shown
    assert "Carried over: 9 nuntii, from 20" in shown
    assert "Since then" not in shown


@scene
async def test_a_thread_of_an_earlier_legio_says_what_is_known_of_it(tmp_path: Path) -> None:
    async with desk(tmp_path) as (commands, camp, _):
        await camp.praetorium.threads.save(Thread("pullo", id="old", reason="Caesar reset it"))
        assert await row(commands, "/session pullo", "Last rebuilt:") == "Caesar reset it"


@scene
async def test_a_prompt_that_changed_is_told_beside_why_the_thread_began(tmp_path: Path) -> None:
    async with desk(tmp_path) as (commands, camp, _):
        await camp.say("@pullo ave")
        await camp.settled(1)
        prompt = camp.castra.prompt("pullo")
        prompt.write_text(prompt.read_text() + "\nBe brief.\n")
        await camp.say("@pullo ave")
        await camp.settled(2)
        assert "this is its first use" in await row(commands, "/session pullo", "Last rebuilt:")
        assert "the thread goes on" in await row(commands, "/session pullo", "Since then:")
        prompt.write_text("broken")
        assert "cannot be used" in (await commands.run("/session pullo")).text


@scene
async def test_sleep_lets_the_work_end_first(tmp_path: Path) -> None:
    held = asyncio.Event()

    async def say(_: str) -> str:
        await held.wait()
        return "done"

    async with desk(tmp_path, stage := Stage(say=say)) as (commands, camp, _):
        card = await commands.run("/session pullo")
        assert await pressed(camp, card.buttons, "Sleep") == "pullo is asleep already."
        await camp.say("@pullo ave")
        await camp.say("@pullo and more")
        await until(lambda: stage.asked)
        card = await commands.run("/session pullo")
        assert "Waiting: 1" in card.text
        assert "1 waiting" in (await commands.run("/session")).text
        assert "once his work is done" in await pressed(camp, card.buttons, "Sleep")
        held.set()
        await camp.settled(2)
        await until(lambda: stage.closed == ["pullo"])

        await camp.say("@pullo ave")
        await camp.settled(3)
        card = await commands.run("/session pullo")
        assert "his thread is kept" in await pressed(camp, card.buttons, "Sleep")
        await until(lambda: len(stage.closed) == 2)


@scene
async def test_a_reset_from_the_card_asks_once_more(tmp_path: Path) -> None:
    async with desk(tmp_path) as (commands, camp, _):
        await camp.say("@pullo ave")
        await camp.settled(1)
        before = len(await camp.sent())
        card = await commands.run("/session pullo")
        assert await pressed(camp, card.buttons, "Reset") == "You are asked below."
        asked = await camp.card(before)
        offered = dict(asked["buttons"])  # type: ignore[call-overload]
        assert await camp.decisions.press(offered["Reset pullo"]) == "pullo is being reset."
        told = json.dumps(await camp.card(before + 1), ensure_ascii=False)
        assert "pullo begins afresh" in told
        assert "Caesar reset it" in await row(commands, "/session pullo", "Last rebuilt:")


@scene
async def test_who_sees_a_message_and_who_has_been_told(tmp_path: Path) -> None:
    async with desk(tmp_path) as (commands, camp, _):
        (turn,) = await camp.say("@pullo ave")
        await camp.settled(1)
        assert turn.message is not None
        shown = (await commands.run("/whosees", reply_to=turn.message)).text
        assert "Nuntius 1 of caesar" in shown
        assert "May be seen by: caesar (sees everything), legatus (sees everything), pullo (named)" in shown
        assert "pullo: has been told" in shown
        assert "legatus: will be told at his next turn, when his thread begins" in shown
        assert "Not by: brutus, vorenus" in shown

        await camp.say("legatus, hear")
        await camp.settled(2)
        assert await row(commands, "/whosees", "legatus:", reply_to=turn.message) == "has been told"

        everyone = await camp.say("@all hear")
        await camp.settled(6)
        shown = (await commands.run("/whosees", reply_to=everyone[0].message)).text
        assert "May be seen by: everyone" in shown
        assert "Not by" not in shown


@scene
async def test_what_lies_behind_a_reset_or_before_a_later_thread_is_told_to_nobody(tmp_path: Path) -> None:
    async with desk(tmp_path) as (commands, camp, _):
        (turn,) = await camp.say("@pullo ave")
        await camp.settled(1)
        last = (await camp.praetorium.nuntii.latest(CAESAR, 1))[-1].seq
        kept = Thread("pullo", id="new", cursor=last, since=last)

        async def told(thread: Thread) -> str:
            await camp.praetorium.threads.save(thread)
            return await row(commands, "/whosees", "pullo:", reply_to=turn.message)

        assert "reset after it" in await told(kept)
        assert "begun later" in await told(
            Thread("pullo", id="new", cursor=last, carried=1, carried_from=last)
        )
        assert "at his next turn" in await told(Thread("pullo", id="new", cursor=0))
        reply = await camp.praetorium.nuntii.get(last)
        assert reply is not None
        assert reply.sender == "pullo"


@scene
async def test_what_lies_behind_too_much_else_will_not_be_told(tmp_path: Path) -> None:
    async with desk(tmp_path) as (commands, camp, _):
        prompt = camp.castra.prompt("pullo")
        prompt.write_text(prompt.read_text().replace("---\n", "---\nhistory_window: 2\n", 1))
        turns = [(await camp.say(f"@pullo {number}"))[0] for number in range(3)]
        await camp.settled(3)
        await camp.praetorium.threads.save(Thread("pullo", id="late"))

        async def told(number: int) -> str:
            return await row(commands, "/whosees", "pullo:", reply_to=turns[number].message)

        assert await told(0) == "will not be told it: too much was said since"
        assert await told(1) == "will be told at his next turn"
        prompt.write_text("broken")
        assert await told(0) == "will be told at his next turn"


@scene
async def test_his_own_words_need_not_be_told_to_an_agent(tmp_path: Path) -> None:
    async with desk(tmp_path) as (commands, camp, _):
        await camp.say("@pullo ave")
        await camp.settled(1)
        (first, *_) = await camp.praetorium.outbox.due()
        await camp.praetorium.outbox.sent(first, 900)
        assert await row(commands, "/whosees", "pullo:", reply_to=900) == "said it himself"


@scene
async def test_without_a_nuntius_there_is_nobody_to_see_it(tmp_path: Path) -> None:
    async with desk(tmp_path) as (commands, _, _):
        assert "in reply to a message" in (await commands.run("/whosees")).text
        assert "no nuntius" in (await commands.run("/whosees", reply_to=999)).text
