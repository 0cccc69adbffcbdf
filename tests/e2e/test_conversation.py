"""The main job on real input, from Caesar's message to the answers in his chat."""

import asyncio
import json
from pathlib import Path

import pytest

from legio.clock import SystemClock
from legio.config import ClaudeConfig
from legio.local.botapi.message import Person
from legio.local.model import Answer
from legio.nuntius import Tally
from legio.praetorium import open_praetorium
from tests.e2e.world import CAESAR, World, body, speaker, world
from tests.scenes import scene, until

pytestmark = pytest.mark.cli


async def tally(made: World) -> Tally:
    async with open_praetorium(made.castra.database, SystemClock()) as praetorium:
        assert await praetorium.check() == ()
        return await praetorium.turns.tally()


@scene(deadline=60)
async def test_nobody_mentioned_one_several_and_all(tmp_path: Path) -> None:
    async with world(tmp_path) as made:
        async with made.legio():
            (legatus,) = await made.ask("ave")
            (vorenus,) = await made.ask("@Vorenus look")
            several = await made.ask("@vorenus and @pullo: compare", answers=2)
            everyone = await made.ask("@all report", answers=4)
        ends = await tally(made)
    assert (speaker(legatus), speaker(vorenus)) == ("legatus", "vorenus")
    assert sorted(map(speaker, several)) == ["pullo", "vorenus"]
    assert sorted(map(speaker, everyone)) == ["brutus", "legatus", "pullo", "vorenus"]
    assert "You said: “ave”" in body(legatus)
    assert (ends.received, ends.answered, ends.pending) == (8, 8, 0)
    assert not made.telegram.refused


@scene(deadline=60)
async def test_after_a_restart_the_legatus_still_knows_what_was_said(tmp_path: Path) -> None:
    async with world(tmp_path) as made:
        async with made.legio():
            await made.ask("the ford is deep")
        async with made.legio():
            (answer,) = await made.ask("what was said")
    assert "the ford is deep" in body(answer)
    assert sum("the ford is deep" in json.dumps(request.body) for request in made.requests("legatus")) == 2


@scene(deadline=60)
async def test_an_edited_prompt_takes_effect_while_the_thread_goes_on(tmp_path: Path) -> None:
    async with world(tmp_path) as made, made.legio():
        await made.ask("@pullo the ford is deep")
        prompt = made.castra.prompt("pullo")
        prompt.write_text(prompt.read_text() + "\nAlways mention the eagle.\n")
        (answer,) = await made.ask("@pullo what was said")
        last = made.requests("pullo")[-1]
    assert "Always mention the eagle." in last.system
    assert "the ford is deep" in body(answer)


@scene(deadline=60)
async def test_a_failing_centurio_stands_beside_an_answering_one(tmp_path: Path) -> None:
    async with world(tmp_path) as made:
        async with made.legio():
            made.castra.prompt("brutus").write_text("no front matter at all")
            told, answered = sorted(await made.ask("@brutus @vorenus echo here", answers=2), key=speaker)
            (failed,) = await made.ask("@pullo fail 529")
            (again,) = await made.ask("@pullo echo again")
        ends = await tally(made)
    assert told.text.plain.startswith("⛔ brutus: it cannot be started as it is set up.")
    assert "prompt.md" in told.text.plain
    assert body(answered) == "here"
    assert failed.text.plain == "⛔ pullo: the model is overloaded. Write again in a moment."
    assert body(again) == "again"
    assert (ends.answered, ends.failed) == (2, 2)


@scene(deadline=60)
async def test_agents_share_memoria_and_obey_an_edictum_from_the_next_turn_on(tmp_path: Path) -> None:
    async with world(tmp_path) as made, made.legio():
        await made.ask("@vorenus remember the ford is deep")
        (acta,) = await made.ask("@pullo what do the acta say")
        await made.ask("/edict Speak plainly.")
        await made.ask("@pullo ave")
        prompt = made.requests("pullo")[-1].system
        await made.ask("@brutus note I doubt it")
        (listed,) = await made.ask("/commentarii brutus")
    assert "the ford is deep" in body(acta)
    assert "Speak plainly." in prompt
    assert "doubt" in listed.text.plain


@scene(deadline=60)
async def test_the_legatus_dispatches_to_several_and_sums_up(tmp_path: Path) -> None:
    async with world(tmp_path) as made:
        async with made.legio():
            asking = asyncio.create_task(made.ask("ask vorenus and pullo to slow 4 then echo counted"))
            await until(lambda: made.model.running == 2, what="both at work at once", deadline=20)
            (answer,) = await asking
        ends = await tally(made)
    assert body(answer).count("counted") == 2
    assert (ends.received, ends.answered) == (3, 3)


@scene(deadline=60)
async def test_a_reply_to_an_agents_message_speaks_to_that_agent(tmp_path: Path) -> None:
    async with world(tmp_path) as made, made.legio():
        (answer,) = await made.ask("@pullo ave")
        (again,) = await made.ask("and more", reply_to=answer.id)
    assert speaker(again) == "pullo"
    assert again.reply is not None


@scene(deadline=60)
async def test_a_stranger_gets_nothing_and_costs_nothing(tmp_path: Path) -> None:
    async with world(tmp_path) as made:
        async with made.legio():
            made.telegram.say("let me in", user=Person(666, "Stranger"))
            await made.ask("ave")
            calls = [call for call in made.telegram.calls if str(call.arguments.get("chat_id")) == "666"]
        ends = await tally(made)
    assert calls == []
    assert len(made.model.requests) == 1
    assert ends.received == 1


@scene(deadline=60)
async def test_a_slow_turn_shows_what_it_does_and_stops_when_told(tmp_path: Path) -> None:
    async with world(tmp_path) as made, made.legio():
        await made.ask("@vorenus ave")
        made.telegram.say("@vorenus slow 60")
        await made.called("sendMessage", lambda sent: str(sent.get("text")).startswith("⏳ vorenus "))
        words = {message.text.plain for message in await made.ask("/stop", answers=2)}
        await until(lambda: not any("⏳" in message.text.plain for message in made.telegram.answers))
        (again,) = await made.ask("@vorenus echo awake")
        typing = [call for call in made.telegram.calls if call.method == "sendChatAction"]
    assert words == {"Stopping vorenus.", "⏹ vorenus: stopped."}
    assert body(again) == "awake"
    assert typing


@scene(deadline=60)
async def test_a_centurio_comes_and_goes_and_every_press_is_written_on_its_card(tmp_path: Path) -> None:
    async with world(tmp_path) as made, made.legio():
        (joined,) = await made.ask("/create titus knows about bridges")
        (answer,) = await made.ask("@titus ave")
        (card,) = await made.ask("/remove titus")
        outcome = await made.press(card, "Remove titus")
        made.telegram.press(card.id, "choice:used:0")
        (listed,) = await made.ask("/list")
    assert "titus has joined" in joined.text.plain
    assert speaker(answer) == "titus"
    assert "→ titus has been removed." in outcome.text.plain
    assert "titus" not in listed.text.plain


@scene(deadline=60)
async def test_a_tool_granted_on_caesars_word_waits_for_his_thumb(tmp_path: Path) -> None:
    async with world(tmp_path, claude=ClaudeConfig(unsandboxed_bash=True)) as made, made.legio():
        prompt = made.castra.prompt("pullo")
        prompt.write_text(prompt.read_text().replace("---\n", "---\nask: [Bash]\n", 1))
        command = json.dumps({"command": "touch built.txt"})
        (card,) = await made.ask(f"@pullo tool Bash {command}")
        assert "touch built.txt" in card.text.plain
        before = {message.id for message in made.telegram.messages}
        await made.press(card, "Allow once")
        await made.answers(before, 1)
        assert (made.castra.workspace("pullo") / "built.txt").exists()


@scene(deadline=60)
async def test_a_long_answer_comes_whole(tmp_path: Path) -> None:
    async with world(tmp_path) as made, made.legio():
        made.model.script_next(Answer("legion " * 1500))
        long = await made.ask("@vorenus speak", answers=3)
        made.model.script_next(Answer("legion " * 3200))
        first, document = await made.ask("@vorenus speak on", answers=2)
    assert all(len(message.text.plain) <= 4096 for message in long)
    assert sum(message.text.plain.count("legion") for message in long) == 1500
    assert first.media is None
    assert document.media is not None


@scene(deadline=60)
async def test_what_is_sent_while_legio_is_down_is_answered_when_it_is_up(tmp_path: Path) -> None:
    async with world(tmp_path) as made:
        async with made.legio():
            await made.ask("ave")
        before = {message.id for message in made.telegram.messages}
        for number in range(3):
            made.telegram.say(f"echo sent while down {number}")
        async with made.legio():
            answers = await made.answers(before, 3)
    assert [body(message) for message in answers] == [f"sent while down {number}" for number in range(3)]


@scene(deadline=60)
async def test_a_running_turn_that_was_cut_off_is_taken_up_after_the_restart(tmp_path: Path) -> None:
    async with world(tmp_path) as made:
        async with made.legio():
            await made.ask("ave")
            before = {message.id for message in made.telegram.messages}
            made.model.script_next(Answer("too late", delay=60))
            made.telegram.say("echo done at last")
            await until(lambda: made.model.running)
        async with made.legio():
            told, answer = await made.answers(before, 2)
        ends = await tally(made)
    assert told.text.plain == "♻️ Legio was restarted and takes up again:\n· legatus: echo done at last"
    assert (speaker(answer), body(answer)) == ("legatus", "done at last")
    assert (ends.received, ends.answered, ends.pending) == (2, 2, 0)


@scene(deadline=60)
async def test_the_menu_is_set_for_caesars_chat_alone(tmp_path: Path) -> None:
    async with world(tmp_path) as made, made.legio():
        ((scope, _),) = made.telegram.commands
        (commands,) = made.telegram.commands.values()
    assert str(CAESAR) in scope
    assert {"help", "stop", "cost"} <= {command["command"] for command in commands}


@scene(deadline=60)
async def test_the_record_holds_when_everyone_is_asked_twice_at_once(tmp_path: Path) -> None:
    async with world(tmp_path) as made:
        async with made.legio():
            before = {message.id for message in made.telegram.messages}
            made.telegram.say("@all echo one")
            made.telegram.say("@all echo two")
            answers = await made.answers(before, 8)
        ends = await tally(made)
    assert sorted(body(message) for message in answers) == ["one"] * 4 + ["two"] * 4
    assert (ends.received, ends.answered) == (8, 8)
