"""Presses under what was found: another page of it, edited in place, or one nuntius quoted in the chat.

All that a press needs stands in its button and in the record, so that it does the same after a restart. What
Telegram has to be told of it never holds up the next update.
"""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from datetime import tzinfo

import structlog
from telegram import CallbackQuery, Message, Update
from telegram.error import BadRequest, TelegramError

from legio.bot.pace import Budget
from legio.bot.payload import TextMessage, encode
from legio.bot.results import PAGE, PER_PAGE, QUOTE, pages, quotation, results
from legio.bot.sending import NO_PREVIEW, telegram_entity, telegram_keyboard
from legio.errors import LegioError
from legio.nuntius import CAESAR
from legio.ports import Clock, Inbox, Parcel, Search, Sought

log = structlog.get_logger()

Take = Callable[[Update], Awaitable[None]]

GONE = "This search is too old: /search again."


@dataclass(frozen=True, slots=True)
class _Answer:
    """What a press gets: a word in passing, and the page that its message is to show."""

    query: CallbackQuery
    toast: str = ""
    page: TextMessage | None = None


class Pages:
    """Takes the presses under results. `budget` is that of Caesar's chat, which edits draw on too."""

    def __init__(self, search: Search, clock: Clock, budget: Budget, zone: tzinfo) -> None:
        self._search = search
        self._clock = clock
        self._budget = budget
        self._zone = zone
        self._answers: asyncio.Queue[_Answer] = asyncio.Queue()

    async def first(self, words: str) -> TextMessage:
        """The first page of what is found for `words`; raises `Refused` where there is no word in them."""
        found = await self._search.find(CAESAR, words, limit=PER_PAGE)
        sought = await self._search.keep(words) if found.total else Sought(0, words, 0)
        return results(sought, found, 1, self._zone)

    def before(self, take: Take, inbox: Inbox, wake: Callable[[], None]) -> Take:
        """`take`, but for the presses that are meant here: those end with what they send out."""

        async def taken(update: Update) -> None:
            query = update.callback_query
            if query is None or not (query.data or "").startswith((f"{PAGE}:", f"{QUOTE}:")):
                return await take(update)
            try:
                parcels = await self.press(query)
            except (
                Exception
            ):  # the border of one update: its row stays open and is taken up at the next start
                log.exception("update.broke", update=update.update_id)
            else:
                await inbox.finish(update.update_id, parcels)
                wake()

        return taken

    async def press(self, query: CallbackQuery) -> tuple[Parcel, ...]:
        """Take the press; returns what has to go out for it."""
        match (query.data or "").split(":"):
            case [prefix, number, page] if prefix == PAGE and number.isdecimal() and page.isdecimal():
                self._answers.put_nowait(await self._turned(query, int(number), int(page)))
                return ()
            case [prefix, seq] if prefix == QUOTE and seq.isdecimal():
                return await self._quoted(query, int(seq))
            case _:
                self._answers.put_nowait(_Answer(query, "This button is not one of Legio's."))
                return ()

    async def run(self) -> None:
        """Answer the presses, for ever: the body of a guarded task."""
        while True:
            answer = await self._answers.get()
            with contextlib.suppress(TelegramError):
                await answer.query.answer(answer.toast)
            if answer.page is not None:
                await self._show(answer.query, answer.page)

    async def _turned(self, query: CallbackQuery, number: int, page: int) -> _Answer:
        sought = await self._search.kept(number)
        if sought is None:
            return _Answer(query, GONE)
        try:
            return await self._page(query, sought, max(1, page))
        except LegioError as error:
            return _Answer(query, str(error))

    async def _page(self, query: CallbackQuery, sought: Sought, page: int) -> _Answer:
        hits = await self._search.find(
            CAESAR, sought.words, limit=PER_PAGE, offset=(page - 1) * PER_PAGE, last=sought.last
        )
        if not hits.found:
            return _Answer(query, "There is no such page any more.")
        shown = results(sought, hits, page, self._zone)
        return _Answer(query, f"Page {page} of {pages(hits.total)}", shown)

    async def _quoted(self, query: CallbackQuery, seq: int) -> tuple[Parcel, ...]:
        found = await self._search.shown(seq)
        self._answers.put_nowait(_Answer(query, "" if found else GONE))
        if found is None or query.message is None:
            return ()
        shown = quotation(found, self._zone)
        if shown.reply_to is None:  # else it stands in the topic of what it replies to
            shown = replace(shown, thread=_topic(query))
        return (Parcel(query.message.chat.id, encode(shown), seq),)

    async def _show(self, query: CallbackQuery, page: TextMessage) -> None:
        if not isinstance(query.message, Message):
            return
        while not self._budget.messages.take():
            await self._clock.sleep(self._budget.messages.delay())
        try:
            await query.edit_message_text(
                page.text,
                entities=[telegram_entity(entity) for entity in page.entities],
                reply_markup=telegram_keyboard(page.buttons),
                link_preview_options=NO_PREVIEW,
            )
        except BadRequest as error:
            if "not modified" not in error.message.lower():  # a thumb that comes twice changes nothing
                log.warning("page.unwritten", message=query.message.message_id, error=str(error))
        except TelegramError as error:
            log.warning("page.unwritten", message=query.message.message_id, error=str(error))


def _topic(query: CallbackQuery) -> int | None:
    """The topic in which the button stands, if it stands in one."""
    message = query.message
    return message.message_thread_id if isinstance(message, Message) and message.is_topic_message else None
