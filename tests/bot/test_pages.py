import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from structlog.testing import capture_logs
from telegram import Update

from legio.bot.pace import BURST, Budget
from legio.bot.pages import GONE, Pages
from legio.errors import PraetoriumError
from legio.ports import Letter
from legio.praetorium import Praetorium
from tests.bot.updates import message, press
from tests.bot.wire import FakeTelegram, bot_on, refused
from tests.clocks import FakeClock, settled
from tests.praetorium.record import START, praetorium_in, said
from tests.scenes import scene, until

ZURICH = ZoneInfo("Europe/Zurich")


@dataclass
class Chat:
    """The presses' way, over a real record."""

    praetorium: Praetorium
    telegram: FakeTelegram
    clock: FakeClock
    pages: Pages
    passed: list[Update]
    woken: list[None]
    number: int = 0

    async def press(self, data: str, **more: Any) -> None:
        self.number += 1
        body = press(data) | more
        update = Update.de_json({"update_id": self.number, "callback_query": body}, bot_on(self.telegram))
        assert update is not None
        await self.praetorium.inbox.put(Letter(self.number, "{}", START))

        async def otherwise(passed: Update) -> None:
            self.passed.append(passed)

        await self.pages.before(otherwise, self.praetorium.inbox, lambda: self.woken.append(None))(update)

    async def toast(self, count: int) -> str:
        await until(lambda: len(self.telegram.of("answerCallbackQuery")) >= count)
        await settled()
        return str(self.telegram.of("answerCallbackQuery")[count - 1].parameters.get("text", ""))


@contextlib.asynccontextmanager
async def chat(folder: Path, nuntii: int = 12) -> AsyncIterator[Chat]:
    clock, telegram = FakeClock(), FakeTelegram()
    async with praetorium_in(folder) as praetorium:
        for number in range(nuntii):
            await praetorium.nuntii.post(said(f"tents {number}"))
        pages = Pages(praetorium.search, clock, Budget(clock), ZURICH)
        running = asyncio.create_task(pages.run())
        try:
            yield Chat(praetorium, telegram, clock, pages, [], [])
        finally:
            running.cancel()
            await asyncio.gather(running, return_exceptions=True)


@scene
async def test_a_page_is_turned_in_place_and_knows_only_what_was_said_before(tmp_path: Path) -> None:
    async with chat(tmp_path) as here:
        first = await here.pages.first("tents")
        data = first.buttons[1][-1].data
        await here.praetorium.nuntii.post(said("tents, said later"))
        await here.press(data)
        assert await here.toast(1) == "Page 2 of 3"
        await until(lambda: here.telegram.of("editMessageText"))
        edit = here.telegram.of("editMessageText")[0].parameters
        assert await here.praetorium.inbox.unfinished() == ()
    assert "12 found" in edit["text"]
    assert "6 · caesar" in edit["text"]
    assert "said later" not in edit["text"]
    assert "3/3" not in json.dumps(edit["reply_markup"])
    assert "2/3" in json.dumps(edit["reply_markup"])


@scene
async def test_a_number_quotes_its_nuntius_once_and_a_reply_to_that_finds_it(tmp_path: Path) -> None:
    async with chat(tmp_path, nuntii=2) as here:
        page = await here.pages.first("tents")
        await here.press(page.buttons[0][0].data)
        await here.toast(1)
        (dispatch,) = await here.praetorium.outbox.due()
        await here.praetorium.outbox.sent(dispatch, 700)
        quoted = await here.praetorium.nuntii.by_message(700)
    assert json.loads(dispatch.parcel.payload)["text"].endswith("\n\ntents 1")
    assert dispatch.parcel.chat == 77
    assert quoted is not None
    assert quoted.text == "tents 1"
    assert here.woken


@scene
async def test_a_quotation_stands_in_the_topic_of_its_button_or_of_what_it_replies_to(tmp_path: Path) -> None:
    async with chat(tmp_path, nuntii=1) as here:
        await here.praetorium.turns.admit(said("tents at the ford"), ["pullo"], message=40)
        card = message("found", message_thread_id=6, is_topic_message=True)
        for seq in (1, 2):
            await here.press(f"found:{seq}", message=card)
        unknown, known = [json.loads(it.parcel.payload) for it in await here.praetorium.outbox.due()]
    assert (unknown["reply_to"], unknown["thread"]) == (None, 6)
    assert (known["reply_to"], known["thread"]) == (40, None)


@scene
async def test_what_is_gone_unknown_or_no_press_of_these_does_nothing(tmp_path: Path) -> None:
    async with chat(tmp_path, nuntii=6) as here:
        await here.pages.first("tents")
        told = {
            "search:99:1": GONE,
            "found:99": GONE,
            "search:1:9": "There is no such page any more.",
            f"search:{10**40}:{10**15}": GONE,
            f"found:{10**40}": GONE,
            f"search:1:{10**40}": "There is no such page any more.",
            "search:1": "This button is not one of Legio's.",
            "found:x": "This button is not one of Legio's.",
        }
        for count, (data, words) in enumerate(told.items(), 1):
            await here.press(data)
            assert await here.toast(count) == words, data
        await here.press("choice:token:0")
        assert await here.praetorium.outbox.due() == ()
        assert len(await here.praetorium.inbox.unfinished()) == 1
    assert [update.callback_query.data for update in here.passed if update.callback_query] == [
        "choice:token:0"
    ]
    assert not here.telegram.of("editMessageText")


@scene
async def test_words_that_an_earlier_legio_took_for_some_say_that_they_are_none(tmp_path: Path) -> None:
    async with chat(tmp_path) as here:
        sought = await here.praetorium.search.keep("@pullo")
        await here.press(f"search:{sought.id}:1")
        assert (await here.toast(1)).startswith("there is no word to look for.")


@scene
async def test_page_one_is_page_one_even_where_a_press_says_none(tmp_path: Path) -> None:
    async with chat(tmp_path) as here:
        await here.pages.first("tents")
        await here.press("search:1:0")
        assert await here.toast(1) == "Page 1 of 3"


@scene
async def test_presses_keep_to_the_chats_budget_and_a_refusal_is_no_harm(tmp_path: Path) -> None:
    async with chat(tmp_path) as here:
        await here.pages.first("tents")
        unchanged = refused(400, "Bad Request: message is not modified")
        here.telegram.script["editMessageText"].extend(
            [unchanged, refused(400, "Bad Request: message to edit not found"), refused(500, "Internal")]
        )
        with capture_logs() as logs:
            for _ in range(BURST + 1):
                await here.press("search:1:2")
            await here.toast(BURST + 1)
            await until(lambda: len(here.telegram.of("editMessageText")) == BURST)
            await here.clock.run_until(
                lambda: len(here.telegram.of("editMessageText")) > BURST, within=5, what="the last edit"
            )
    assert [line["event"] for line in logs] == ["page.unwritten", "page.unwritten"]


@scene
async def test_a_message_that_cannot_be_reached_is_answered_all_the_same(tmp_path: Path) -> None:
    async with chat(tmp_path) as here:
        await here.pages.first("tents")
        await here.press("search:1:2", message=None)
        assert await here.toast(1) == "Page 2 of 3"
        await here.press("found:1", message=None)
        await here.toast(2)
        assert await here.praetorium.outbox.due() == ()
    assert not here.telegram.of("editMessageText")


class BrokenSearch:
    """A record that cannot be read."""

    async def kept(self, _: int) -> None:
        raise PraetoriumError("the disk failed")


@scene
async def test_a_press_that_breaks_stays_open_for_the_next_start(tmp_path: Path) -> None:
    async with chat(tmp_path) as here:
        here.pages = Pages(BrokenSearch(), here.clock, Budget(here.clock), ZURICH)  # type: ignore[arg-type]
        with capture_logs() as logs:
            await here.press("search:1:2")
        assert [letter.id for letter in await here.praetorium.inbox.unfinished()] == [1]
    assert [line["event"] for line in logs] == ["update.broke"]
