"""While an agent is busy messages wait, are gathered, interrupt and are edited; and a stop is a stop."""

from dataclasses import replace
from pathlib import Path

import pytest

from legio.local.botapi.message import Message, Reply
from tests.e2e.test_conversation import tally
from tests.e2e.world import World, body, speaker, world
from tests.scenes import scene, until

pytestmark = pytest.mark.cli

HALF_A_MINUTE = 30.0


def seen(made: World, message: Message) -> bool:
    """Whether 👀 stands under Caesar's message."""
    return made.now(message).reactions == ("👀",)


async def busy(made: World, agent: str) -> Message:
    """The agent is in the middle of a model call that takes a minute."""
    update = made.telegram.say(f"@{agent} slow 60 then echo at last")
    await until(lambda: made.model.running, deadline=HALF_A_MINUTE, what=f"{agent} at work")
    return made.telegram.chat.messages[update["message"]["message_id"]]


def wrote(made: World, text: str) -> Message:
    update = made.telegram.say(text)
    return made.telegram.chat.messages[update["message"]["message_id"]]


@scene(deadline=120)
async def test_two_quick_messages_wait_for_a_busy_agent_and_an_urgent_one_does_not(tmp_path: Path) -> None:
    async with world(tmp_path, gather=HALF_A_MINUTE) as made:
        async with made.legio():
            await made.ask("@vorenus echo awake")
            running = await busy(made, "vorenus")
            before = {message.id for message in made.telegram.messages}
            first, second = wrote(made, "@vorenus echo one"), wrote(made, "@vorenus and two")
            await until(lambda: seen(made, first) and seen(made, second), deadline=HALF_A_MINUTE, what="👀")
            assert not seen(made, running)
            wrote(made, "/stop vorenus")
            words = {message.text.plain for message in await made.answers(before, 3)}
            assert words == {"Stopping vorenus.", "⏹ vorenus: stopped."}

            before = {message.id for message in made.telegram.messages}
            await busy(made, "vorenus")
            third, fourth = wrote(made, "@vorenus echo three"), wrote(made, "@vorenus and four")
            await until(lambda: seen(made, fourth), deadline=HALF_A_MINUTE, what="👀")
            made.telegram.say("!@pullo echo at once")
            (pullo,) = await made.answers(before, 1)
            assert (speaker(pullo), body(pullo)) == ("pullo", "at once"), "others are left alone"

            before = {message.id for message in made.telegram.messages}
            urgent = wrote(made, "!@vorenus echo now")
            words_and_answer = await made.answers(before, 3)
            assert [word.text.plain for word in words_and_answer if not speaker(word)] == [
                "⏹ vorenus: stopped for your new message."
            ] * 2
            (answer,) = [word for word in words_and_answer if speaker(word)]
            assert (body(answer), answer.reply) == ("now", Reply(urgent.id))
            await until(lambda: not seen(made, third) and not seen(made, fourth), deadline=HALF_A_MINUTE)
        ends = await tally(made)
    assert (ends.received, ends.answered, ends.stopped, ends.pending) == (7, 3, 4, 0)
    assert not made.telegram.refused


@scene(deadline=120)
async def test_what_is_gathered_and_edited_while_it_waits_is_answered_once_as_it_stands(
    tmp_path: Path,
) -> None:
    async with world(tmp_path, gather=HALF_A_MINUTE) as made:
        async with made.legio():
            await made.ask("@vorenus echo awake")
            made.telegram.say("@vorenus slow 3 then echo done")
            await until(lambda: made.model.running, deadline=HALF_A_MINUTE)
            before = {message.id for message in made.telegram.messages}
            wrote(made, "@vorenus echo one")
            second = wrote(made, "@vorenus and tow")
            made.telegram.edit(second.id, "@vorenus and two")
            taken, _, answer = await made.answers(before, 3)
        ends = await tally(made)
    assert taken.text.plain == "✏️ Taken: it waits for vorenus as it stands now."
    assert body(answer) == "one\n@vorenus and two"
    assert (ends.received, ends.answered) == (3, 3)
    assert not any("tow" in str(request.body) for request in made.requests("vorenus"))


@scene(deadline=120)
async def test_an_edit_of_what_runs_and_of_what_was_answered_is_answered_in_its_place(tmp_path: Path) -> None:
    async with world(tmp_path) as made:
        async with made.legio():
            await made.ask("@vorenus echo awake")
            running = await busy(made, "vorenus")
            before = {message.id for message in made.telegram.messages}
            made.telegram.edit(running.id, "@vorenus echo quick")
            taken, answer = await made.answers(before, 2)
            assert taken.text.plain == "✏️ Taken: vorenus asked again, with your edit."
            assert body(answer).endswith("This takes its place: @vorenus echo quick”")

            before = {message.id for message in made.telegram.messages}
            made.telegram.edit(running.id, "@vorenus echo quick")
            made.telegram.edit(running.id, "@vorenus echo quicker")
            taken, answer = await made.answers(before, 2)
            assert body(answer).endswith("This takes its place: @vorenus echo quicker”")
            assert answer.reply == Reply(running.id)
        ends = await tally(made)
    assert (ends.received, ends.answered, ends.stopped) == (4, 3, 1)


@scene(deadline=120)
async def test_a_stop_takes_effect_while_an_agent_starts_and_while_the_model_is_tried_again(
    tmp_path: Path,
) -> None:
    async with world(tmp_path) as made:
        made.config = replace(made.config, claude=replace(made.config.claude, max_retries=9))
        async with made.legio():
            before = {message.id for message in made.telegram.messages}
            made.telegram.say("@pullo echo never")
            made.telegram.say("/stop")
            words = {message.text.plain for message in await made.answers(before, 2)}
            assert words == {"Stopping pullo.", "⏹ pullo: stopped."}
            (awake,) = await made.ask("@pullo echo awake")
            assert body(awake) == "awake"

            before = {message.id for message in made.telegram.messages}
            made.telegram.say("@pullo fail 529")
            asked = len(made.requests("pullo"))
            await until(lambda: len(made.requests("pullo")) > asked, deadline=HALF_A_MINUTE)
            made.telegram.say("/stop pullo")
            words = {message.text.plain for message in await made.answers(before, 2)}
        ends = await tally(made)
    assert words == {"Stopping pullo.", "⏹ pullo: stopped."}
    assert (ends.received, ends.answered, ends.stopped) == (3, 1, 2)
