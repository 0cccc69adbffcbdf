"""The roll-call on Caesar's phone: who was called, what each does, and his thumb on it; through restarts."""

import signal
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from legio.bot.presses import OVER
from legio.local.botapi.faults import FloodLimit
from legio.local.botapi.message import Message
from legio.local.botapi.state import BotApiState, Call
from legio.local.model import Answer
from tests.e2e.world import SECONDS, World, body, speaker, world
from tests.processes import DEADLINE_SECONDS, station
from tests.rollcalls import is_roll_call
from tests.scenes import scene, until

pytestmark = pytest.mark.cli


def rolls(telegram: BotApiState) -> list[Message]:
    return [message for message in telegram.answers if is_roll_call(message.text.plain)]


async def roll(telegram: BotApiState, holds: Callable[[str], bool], what: str) -> Message:
    """The newest roll-call, once its text is so."""

    def found() -> list[Message]:
        return [message for message in rolls(telegram)[-1:] if holds(message.text.plain)]

    await until(found, deadline=SECONDS, what=what)
    return found()[0]


def thumb(telegram: BotApiState, message: Message, label: str) -> None:
    """Caesar presses a button."""
    (data,) = [button.value for row in message.keyboard for button in row if button.label == label]
    telegram.press(message.id, data)


async def toast(made: World, text: str) -> None:
    await made.called("answerCallbackQuery", lambda said: said.get("text") == text)


def edits(telegram: BotApiState, message: Message) -> list[Call]:
    return [
        call
        for call in telegram.calls
        if call.method == "editMessageText" and str(call.arguments.get("message_id")) == str(message.id)
    ]


@scene(deadline=120)
async def test_one_fails_one_is_stopped_by_thumb_and_one_goes_on_after_a_restart(tmp_path: Path) -> None:
    async with world(tmp_path) as made:
        made.telegram.flood = FloodLimit(made.telegram.clock)
        prompt = made.castra.prompt("brutus")
        sound = prompt.read_text()
        async with made.legio():
            prompt.write_text("no front matter at all")
            standing = await all_are_called(made)
            await one_is_stopped(made, standing)
        (paused,) = rolls(made.telegram)
        assert paused.text.plain.startswith("⏸ vorenus goes on when Legio is back · ⏹ pullo stopped")

        prompt.write_text(sound)
        async with made.legio():
            folded = await the_other_goes_on_and_is_stopped(made, standing)
            changed = len(edits(made.telegram, folded))
            await who_failed_is_asked_again(made)
            made.telegram.press(folded.id, "turn:stopall:1")
            await toast(made, OVER)
            assert len(edits(made.telegram, folded)) == changed
    assert [it for it in made.telegram.refused if it.code == 429] == []


async def all_are_called(made: World) -> Message:
    """One silent message stands, in reply to nothing, with a button for each."""
    made.telegram.say("@vorenus @pullo @brutus slow 60")
    standing = await roll(made.telegram, lambda it: "⛔ brutus cannot be started" in it, "brutus")
    assert standing.text.plain.startswith("⏳ vorenus ")
    labels = [button.label for row in standing.keyboard for button in row]
    assert labels == ["⏹ vorenus", "⏹ pullo", "🔁 brutus", "⏹ Stop all"]
    first = next(it for it in made.telegram.calls if is_roll_call(str(it.arguments.get("text", ""))))
    assert first.arguments["disable_notification"] in {True, "true"}
    assert "reply_parameters" not in first.arguments
    return standing


async def one_is_stopped(made: World, standing: Message) -> None:
    """And the other one is not."""
    thumb(made.telegram, standing, "⏹ pullo")
    await roll(made.telegram, lambda it: "⏹ pullo stopped" in it, "pullo to be stopped")
    await toast(made, "Stopping pullo.")


async def the_other_goes_on_and_is_stopped(made: World, standing: Message) -> Message:
    """In the same message, which is folded then."""
    again = await roll(made.telegram, lambda it: it.startswith("⏳ vorenus "), "vorenus to go on")
    assert again.id == standing.id
    assert "⛔ brutus failed" in again.text.plain
    thumb(made.telegram, again, "⏹ vorenus")
    folded = await roll(made.telegram, lambda it: "⏳" not in it, "the fold")
    assert folded.text.plain == "⏹ vorenus stopped · ⏹ pullo stopped · ⛔ brutus failed"
    assert folded.keyboard == ()
    return folded


async def who_failed_is_asked_again(made: World) -> None:
    """By the button of an earlier process, once; the answer is to the same message."""
    (told,) = [it for it in made.telegram.answers if it.text.plain.startswith("⛔ brutus: ")]
    made.model.script_next(Answer("I am here."))
    thumb(made.telegram, told, "🔁 Ask again")
    await until(lambda: "I am here." in map(body, made.telegram.answers), deadline=SECONDS)
    (answer,) = [it for it in made.telegram.answers if body(it) == "I am here."]
    assert speaker(answer) == "brutus"
    assert answer.reply is not None
    assert answer.reply == told.reply
    await until(lambda: not made.now(told).keyboard, deadline=SECONDS)
    made.telegram.press(told.id, "turn:retry:3")
    await toast(made, OVER)


@scene(deadline=90)
async def test_an_answer_is_seen_while_it_is_written_and_comes_whole(tmp_path: Path) -> None:
    text = "**The ford** is deep.\n\n" + "word " * 60 + "end."
    async with world(tmp_path) as made:
        async with made.legio():
            await made.ask("@vorenus ave")
            made.model.script_next(Answer(text, pace=0.2))
            (answer,) = await made.ask("@vorenus speak")
            folded = await roll(made.telegram, lambda it: it.startswith("✅ vorenus "), "the fold")
        shown = [call for call in made.telegram.calls if is_roll_call(str(call.arguments.get("text", "")))]
        written = [str(call.arguments["text"]) for call in shown]
        assert body(answer).startswith("The ford is deep.")
        assert body(answer).endswith("end.")
        assert any("writing" in it and "\nThe ford is deep." in it for it in written)
        assert written[-1] == folded.text.plain
        assert "\n" not in folded.text.plain

        made.config = replace(made.config, telegram=replace(made.config.telegram, streaming="draft"))
        async with made.legio():
            await made.ask("@vorenus ave")
            made.model.script_next(Answer(text, pace=0.2))
            await made.ask("@vorenus speak")
            drafts = [call for call in made.telegram.calls if call.method == "sendMessageDraft"]
            await roll(made.telegram, lambda it: it.startswith("✅ vorenus "), "the fold")
        assert drafts
        assert all(str(call.arguments["text"]).startswith("⚔️ vorenus\n") for call in drafts)
        assert made.telegram.chat.drafts == {}
    assert not made.telegram.refused


@scene(deadline=120)
async def test_after_a_hard_kill_no_roll_call_is_left_standing(tmp_path: Path) -> None:
    async with station(tmp_path) as made:
        async with made.run() as process:
            made.telegram.say("@vorenus @pullo slow 300")
            standing = await roll(made.telegram, lambda it: it.count("⏳") == 2, "the roll-call")
            # It is written down right behind the sending: a press that is answered comes after that.
            made.telegram.press(standing.id, "turn:stop:0")
            await until(
                lambda: any(it.method == "answerCallbackQuery" for it in made.telegram.calls),
                deadline=DEADLINE_SECONDS,
            )
            process.signal(signal.SIGKILL)
            await process.ends()
        before = len(edits(made.telegram, standing))
        async with made.run():
            await until(lambda: len(edits(made.telegram, standing)) > before, deadline=DEADLINE_SECONDS)
            made.telegram.press(standing.id, "turn:stopall:1")
            folded = await roll(made.telegram, lambda it: "⏳" not in it, "the fold")
        assert folded.id == standing.id
        assert folded.text.plain == "⏹ vorenus stopped · ⏹ pullo stopped"
        assert len(rolls(made.telegram)) == 1
