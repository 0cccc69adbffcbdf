"""Presses of the buttons about turns: each does what it says once, also in a later process."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from structlog.testing import capture_logs
from telegram import Update
from telegram.ext import ExtBot

from legio.bot.presses import OVER, Presses, pressed
from legio.events import Fault
from legio.ports import Letter
from tests.bot.updates import message, update
from tests.bot.wire import FakeTelegram, bot_on, unconnected
from tests.camp import RECEIVED, Legion, legion
from tests.fakes import Stage
from tests.scenes import scene, until


@dataclass
class Thumb:
    """Caesar's thumb, and what it is told."""

    camp: Legion
    telegram: FakeTelegram
    bot: ExtBot[Any]
    presses: Presses
    passed: list[Update] = field(default_factory=list)

    async def press(self, data: str, *buttons: str) -> None:
        """Presses a button of a message with these buttons."""
        number = next(self.camp.updates) + 1000
        await self.camp.praetorium.inbox.put(Letter(number, "{}", RECEIVED))
        rows = [[{"text": each, "callback_data": each}] for each in buttons or (data, "other")]
        card = message("⛔", sender=1) | {"reply_markup": {"inline_keyboard": rows}}
        sender = {"id": 77, "is_bot": False, "first_name": "Caesar"}
        body = {"id": str(number), "from": sender, "chat_instance": "1", "data": data, "message": card}
        made = Update.de_json({"update_id": number, "callback_query": body}, self.bot)
        assert made is not None
        await self.presses.take(made)

    async def told(self, count: int) -> list[str]:
        await until(lambda: len(self.telegram.of("answerCallbackQuery")) >= count, what="an answer")
        return [call.parameters["text"] for call in self.telegram.of("answerCallbackQuery")]

    async def left(self) -> int:
        return len(await self.camp.praetorium.inbox.unfinished())


@contextlib.asynccontextmanager
async def thumb(tmp_path: Path, stage: Stage | None = None) -> AsyncIterator[Thumb]:
    async with legion(tmp_path / "castra", stage or Stage()) as camp:
        passed: list[Update] = []

        async def then(given: Update) -> None:
            passed.append(given)

        telegram = FakeTelegram()
        presses = Presses(camp.legatus, camp.praetorium.inbox, then)
        task = asyncio.create_task(presses.run(), name="presses")
        try:
            yield Thumb(camp, telegram, bot_on(telegram), presses, passed)
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)


async def for_ever(_: str) -> str:
    await asyncio.Event().wait()
    return ""


async def overloaded(_: str) -> str:
    raise LookupError(Fault.OVERLOADED.value)


@pytest.mark.parametrize(
    "data",
    [
        "",
        "turn",
        "turn:stop",
        "turn:jump:1",
        "turn:stop:x",
        "turn:stop:-1",
        "turn:stop:²",
        "turn:stop:1:2",
        "turn:stop:9223372036854775808",
        "turn:stop:" + "9" * 30,
        "choice:a:1",
    ],
)
def test_what_is_no_button_about_turns_is_none(data: str) -> None:
    assert pressed(data) is None


@scene
async def test_what_is_no_such_press_goes_on(tmp_path: Path) -> None:
    async with thumb(tmp_path) as it:
        await it.press("choice:abc:0")
        await it.presses.take(update("message", message("ave")))
        assert len(it.passed) == 2


@scene
async def test_one_of_several_is_stopped_and_the_others_go_on(tmp_path: Path) -> None:
    async with thumb(tmp_path, Stage(say=for_ever)) as it:
        vorenus, pullo = await it.camp.say("@vorenus @pullo hold")
        await it.press(f"turn:stop:{vorenus.id}")
        await it.camp.settled(1)
        assert await it.told(1) == ["Stopping vorenus."]
        assert [turn.agent for turn in it.camp.ended] == ["vorenus"]
        await it.press(f"turn:stop:{vorenus.id}")
        assert (await it.told(2))[1] == OVER
        assert it.camp.sessions.of("pullo").turns == (pullo,)
        assert await it.left() == 0


@scene
async def test_all_of_one_nuntius_are_stopped_and_those_of_another_go_on(tmp_path: Path) -> None:
    async with thumb(tmp_path, Stage(say=for_ever)) as it:
        vorenus, _ = await it.camp.say("@vorenus @pullo hold")
        (brutus,) = await it.camp.say("@brutus hold")
        await it.press(f"turn:stopall:{vorenus.root}")
        await it.camp.settled(2)
        assert await it.told(1) == ["Stopping pullo, vorenus."]
        assert it.camp.sessions.of("brutus").turns == (brutus,)


@scene
async def test_who_failed_is_asked_again_once_in_reply_to_the_same_message(tmp_path: Path) -> None:
    stage = Stage(say=overloaded)
    async with thumb(tmp_path, stage) as it:
        (turn,) = await it.camp.say("@vorenus look")
        await it.camp.settled(1)
        (notice,) = await it.camp.sent()
        assert notice["buttons"] == [["🔁 Ask again", f"turn:retry:{turn.id}"]]
        stage.say = None
        await it.press(f"turn:retry:{turn.id}")
        await it.press(f"turn:retry:{turn.id}")
        await it.camp.settled(2)
        assert await it.told(2) == ["vorenus is asked again.", OVER]
        _, answer = await it.camp.sent()
        assert (answer["text"], answer["reply_to"]) == ("vorenus heard.", turn.message)
        assert len(stage.asked) == 2
        assert await it.left() == 0


@scene
async def test_a_button_of_an_earlier_process_still_works(tmp_path: Path) -> None:
    async with thumb(tmp_path, Stage(say=overloaded)) as it:
        (turn,) = await it.camp.say("@vorenus look")
        await it.camp.settled(1)
    async with thumb(tmp_path) as it:
        await it.press(f"turn:stop:{turn.id}")
        await it.press(f"turn:retry:{turn.id}")
        assert await it.told(2) == [OVER, "vorenus is asked again."]
        await it.camp.settled(1)


@scene
async def test_a_lone_button_goes_when_it_was_pressed_and_one_among_others_stays(tmp_path: Path) -> None:
    async with thumb(tmp_path) as it:
        await it.press("turn:retry:1", "turn:retry:1")
        await it.press("turn:retry:1", "turn:retry:1", "turn:stop:2")
        await it.press("turn:stop:1", "turn:stop:1")
        await it.told(3)
        assert len(it.telegram.of("editMessageReplyMarkup")) == 1


@scene
async def test_a_network_that_is_down_ends_nothing(tmp_path: Path) -> None:
    async with thumb(tmp_path, Stage(say=for_ever)) as it:
        it.telegram.script["answerCallbackQuery"].append(unconnected())
        it.telegram.script["editMessageReplyMarkup"].append(unconnected())
        await it.press("turn:retry:1", "turn:retry:1")
        (vorenus,) = await it.camp.say("@vorenus hold")
        await it.press(f"turn:stop:{vorenus.id}")
        await it.camp.settled(1)
        assert (await it.told(2))[1] == "Stopping vorenus."


@scene
async def test_a_press_that_breaks_stays_open_and_is_logged(tmp_path: Path) -> None:
    async with thumb(tmp_path) as it:
        number = 7  # was never put into the inbox
        body = {"id": "1", "from": {"id": 77, "is_bot": False, "first_name": "C"}, "chat_instance": "1"}
        made = Update.de_json(
            {"update_id": number, "callback_query": body | {"data": "turn:retry:1"}}, it.bot
        )
        assert made is not None
        with capture_logs() as logs:
            await it.presses.take(made)
        assert [entry["event"] for entry in logs] == ["update.broke"]
        assert it.telegram.calls == []
