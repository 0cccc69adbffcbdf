import asyncio
import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from telegram import Update
from telegram.error import BadRequest, Forbidden, NetworkError, RetryAfter
from telegram.ext import ExtBot

from legio.bot.topics import LOOK_SECONDS, REMEMBERED, TROUBLE_SECONDS, Topics
from legio.ports import Letter
from tests.bot.updates import CAESAR, message, update
from tests.bot.wire import TOKEN, FakeTelegram
from tests.clocks import FakeClock, settled
from tests.fakes import MemorySettings
from tests.scenes import scene


def made(thread: int) -> tuple[int, bytes]:
    """Telegram's answer to a new topic."""
    return 200, b'{"ok": true, "result": {"message_thread_id": %d, "name": "x", "icon_color": 1}}' % thread


@dataclass
class Inbox:
    """What was finished."""

    finished: list[int] = field(default_factory=list)

    async def put(self, letter: Letter) -> bool:
        return True

    async def unfinished(self) -> tuple[Letter, ...]:
        return ()

    async def finish(self, update_id: int, parcels: object = ()) -> bool:
        self.finished.append(update_id)
        return True


@dataclass
class Scene:
    topics: Topics
    telegram: FakeTelegram
    settings: MemorySettings
    clock: FakeClock
    names: list[str]
    task: "asyncio.Task[None]"
    told: list[str]
    inbox: Inbox = field(default_factory=Inbox)
    taken: list[Update] = field(default_factory=list)

    async def wrote(self, number: int, thread: int | None, **more: Any) -> None:
        """Caesar writes, in a topic or out of any."""

        async def take(given: Update) -> None:
            self.taken.append(given)

        where = {} if thread is None else {"message_thread_id": thread, "is_topic_message": True}
        given = update("message", message(**({"text": "ave"} | more)) | where | {"message_id": number})
        await self.topics.before(take, self.inbox)(given)

    @property
    def created(self) -> list[object]:
        return [call.parameters["name"] for call in self.telegram.calls if call.method == "createForumTopic"]


@contextlib.asynccontextmanager
async def set_up(
    *answers: tuple[int, bytes] | BaseException,
    names: tuple[str, ...] = ("pullo", "vorenus"),
    settings: MemorySettings | None = None,
) -> AsyncIterator[Scene]:
    clock, telegram, told = FakeClock(), FakeTelegram(), list[str]()
    telegram.script["createForumTopic"].extend(answers)
    bot: ExtBot[None] = ExtBot(TOKEN, request=telegram, get_updates_request=telegram)
    settings = settings or MemorySettings()
    topics, known = Topics(bot, CAESAR, settings, clock), list(names)

    async def tell(text: str) -> None:
        told.append(text)

    await topics.load()
    task = asyncio.create_task(topics.run(lambda: known, tell), name="topics")
    await settled()
    try:
        yield Scene(topics, telegram, settings, clock, known, task, told)
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


@scene
async def test_each_centurio_has_a_topic_and_the_legatus_stays_in_the_chat() -> None:
    async with set_up(made(11), made(12)) as it:
        assert it.created == ["pullo", "vorenus"]
        assert [it.topics.where(name, None) for name in ("pullo", "vorenus", "legatus")] == [11, 12, None]
        assert it.topics.shared(["vorenus"]) == it.topics.shared(["vorenus", "vorenus"]) == 12
        assert (
            it.topics.shared(["vorenus", "pullo"])
            is it.topics.shared([])
            is it.topics.shared(["legatus"])
            is None
        )


@scene
async def test_what_stands_in_a_topic_is_said_to_whose_it_is_and_answered_there() -> None:
    async with set_up(made(11), made(12)) as it:
        await it.wrote(1, 12)
        await it.wrote(2, None)
        await it.wrote(3, 99)
        assert [it.topics.addressed(number) for number in (1, 2, 3, 4)] == ["vorenus", "", "", ""]
        assert it.topics.addressed(None) == ""
        assert it.topics.where("", 1) == 12, "a command is answered where it was written"
        assert it.topics.where("pullo", 1) == 11, "an agent answers in his own topic"
        assert it.topics.where("legatus", 1) is None, "and the Legatus in none of a centurio's"
        assert it.topics.where("legatus", 3) == 99, "but in one that Caesar made himself"
    assert len(it.taken) == 3


@scene
async def test_that_a_topic_was_made_or_renamed_is_no_message() -> None:
    async with set_up(made(11), made(12)) as it:
        await it.wrote(1, 12, text=None, forum_topic_edited={"name": "Vorenus"})
        await it.wrote(2, 50, text=None, forum_topic_created={"name": "mine", "icon_color": 1})
    assert it.taken == []
    assert it.inbox.finished == [1, 1]


@scene
async def test_only_so_many_places_are_remembered() -> None:
    async with set_up(made(11), made(12)) as it:
        for number in range(REMEMBERED + 1):
            await it.wrote(number, 12)
        assert it.topics.addressed(0) == ""
        assert it.topics.addressed(REMEMBERED) == "vorenus"


@scene
async def test_a_new_centurio_has_his_topic_soon_and_a_restart_makes_none_anew() -> None:
    async with set_up(made(11), made(12), made(13)) as it:
        it.names.append("brutus")
        await it.clock.run(LOOK_SECONDS + 1)
        assert it.topics.where("brutus", None) == 13
    async with set_up(names=("pullo", "vorenus", "brutus"), settings=it.settings) as again:
        assert again.created == []
        assert again.topics.where("vorenus", None) == 12


@scene
async def test_topics_of_another_chat_are_not_his() -> None:
    settings = MemorySettings()
    await settings.put("telegram.topics", '{"chat": 5, "threads": {"pullo": 1, "vorenus": 2}}')
    async with set_up(made(11), made(12), settings=settings) as it:
        assert it.topics.where("vorenus", None) == 12


@scene
async def test_a_topic_that_is_gone_is_made_anew_at_once() -> None:
    async with set_up(made(11), made(12), made(20)) as it:
        it.topics.lost(12)
        assert it.topics.where("vorenus", None) is None
        await settled()
        it.topics.lost(12)
        await settled()
        assert it.topics.where("vorenus", None) == 20
        assert it.topics.where("pullo", None) == 11
    assert it.created == ["pullo", "vorenus", "vorenus"]


@pytest.mark.parametrize("reason", ["the chat is not a forum", "not enough rights to create a topic"])
@scene
async def test_where_telegram_refuses_all_is_said_in_one_chat_and_caesar_is_told_once(reason: str) -> None:
    async with set_up(BadRequest(reason)) as it:
        await it.task
        assert it.topics.where("vorenus", None) is None
        (word,) = it.told
    assert f"({reason.capitalize()})" in word or f"({reason})" in word
    async with set_up(BadRequest(reason), settings=it.settings) as again:
        await again.task
        assert again.told == []
    async with set_up(made(11), made(12), settings=it.settings):
        pass
    async with set_up(BadRequest(reason), names=("brutus",), settings=it.settings) as later:
        await later.task
        assert len(later.told) == 1, "it was well in between"


@scene
async def test_what_is_only_trouble_is_waited_for() -> None:
    troubles = NetworkError("down"), RetryAfter(7), BadRequest("Chat not found"), Forbidden("blocked by him")
    async with set_up(*troubles, made(11), made(12)) as it:
        assert it.topics.where("pullo", None) is None
        await it.clock.run(3 * TROUBLE_SECONDS + 7 + 4 * LOOK_SECONDS + 1)
        assert it.topics.where("vorenus", None) == 12
    assert it.told == []
