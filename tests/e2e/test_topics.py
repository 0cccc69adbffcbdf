"""A topic for each centurio: what is said where, one that is deleted, and a Telegram that refuses."""

from dataclasses import replace
from pathlib import Path

import pytest

from legio.local.botapi.message import Message
from tests.e2e.world import SECONDS, World, lasting, speaker, world
from tests.scenes import scene, until

pytestmark = pytest.mark.cli


def with_topics(made: World) -> World:
    made.telegram.topics_enabled = True
    made.config = replace(made.config, telegram=replace(made.config.telegram, topics=True))
    return made


async def topics(made: World) -> dict[str, int]:
    """The topics by whose they are, once all three are there."""
    await until(lambda: len(made.telegram.chat.topics) >= 3, deadline=SECONDS, what="the topics")
    return {name: thread for thread, name in made.telegram.chat.topics.items()}


async def ask(made: World, text: str, thread: int | None, word: str) -> Message:
    """Caesar writes in a topic; the message of the bot that ends with `word`."""

    def found() -> list[Message]:
        fresh = [it for it in made.telegram.answers if it.id > last and lasting(it)]
        return [it for it in fresh if it.text.plain.endswith(word)]

    last = max((it.id for it in made.telegram.messages), default=0)
    made.telegram.topic = thread
    made.telegram.say(text)
    await until(found, deadline=SECONDS, what=f"an answer with {word}")
    return found()[0]


@scene(deadline=120)
async def test_a_centurio_is_spoken_to_in_his_topic_and_answers_there_also_when_it_was_deleted(
    tmp_path: Path,
) -> None:
    async with world(tmp_path) as made:
        async with with_topics(made).legio():
            his = await topics(made)
            there = await ask(made, "slow 1 then echo here", his["vorenus"], "here")
            status = [it for it in made.telegram.answers if not lasting(it)]
            elsewhere = await ask(made, "@pullo echo also", his["vorenus"], "also")
            above = await ask(made, "echo flat", None, "flat")
            card = await ask(made, "/remove brutus", his["vorenus"], "centuriones/.removed.")
            calls = [call for call in made.telegram.calls if call.method == "sendChatAction"]
            made.telegram.delete_topic(his["pullo"])
            fallen = await ask(made, "@pullo echo again", None, "again")
            await until(
                lambda: "pullo" in made.telegram.chat.topics.values(), deadline=SECONDS, what="a new one"
            )
        async with made.legio():
            anew = {name: thread for thread, name in made.telegram.chat.topics.items()}
            back = await ask(made, "@pullo echo back", None, "back")

    assert (speaker(there), there.thread) == ("vorenus", his["vorenus"])
    assert {it.thread for it in status} == {his["vorenus"]}, "what he is at stands there as well"
    assert (speaker(elsewhere), elsewhere.thread) == ("pullo", his["pullo"])
    assert (speaker(above), above.thread) == ("legatus", None)
    assert card.thread == his["vorenus"], "a command is answered where it was written"
    assert str(his["vorenus"]) in {str(call.arguments.get("message_thread_id")) for call in calls}
    assert (speaker(fallen), fallen.thread) == ("pullo", None)
    assert (speaker(back), back.thread) == ("pullo", anew["pullo"])
    assert anew.keys() == his.keys(), "a restart makes none anew"
    assert len(anew) == len(made.telegram.chat.topics)


@scene(deadline=60)
async def test_where_telegram_has_no_topics_all_is_said_in_one_chat_and_caesar_knows(tmp_path: Path) -> None:
    async with world(tmp_path) as made:
        with_topics(made).telegram.topics_enabled = False
        async with made.legio():
            await until(lambda: made.telegram.answers, deadline=SECONDS, what="the word")
            answer = await ask(made, "@vorenus echo flat", None, "flat")
        async with made.legio():
            await ask(made, "/version", None, "0.1.0")
        told = [it.text.plain for it in made.telegram.answers if "makes no topics" in it.text.plain]
    assert (speaker(answer), answer.thread) == ("vorenus", None)
    assert len(told) == 1
    assert "Turn on topics" in told[0]
