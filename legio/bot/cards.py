"""Cards: messages with buttons. What became of one is written on it: the press, or why none is waited for.

A card is known by the token in its buttons from the moment the courier has sent it. One that is sent when its
question is over already, as after a restart, says so at once.
"""

import asyncio
import contextlib
from collections.abc import Awaitable, Sequence
from dataclasses import dataclass

import structlog
from telegram import Bot, CallbackQuery, Message, MessageEntity
from telegram.error import TelegramError

from legio.bot.payload import TextMessage, decode
from legio.bot.piece import TEXT_UNITS, Entity, Piece, utf16_length
from legio.bot.render import cut
from legio.decisions import PREFIX, Decisions, token_of
from legio.errors import LegioError
from legio.ports import Parcel

log = structlog.get_logger()

LONGEST_TOAST = 200
LONGEST_OUTCOME = 1000
MOST_ENDED = 400
OVER = "This is not asked any more: nothing was done."


@dataclass(frozen=True, slots=True)
class _Card:
    """A card in Caesar's chat."""

    chat: int
    message: int
    piece: Piece


@dataclass(frozen=True, slots=True)
class _Outcome:
    """What is to be written on a card; a press that led to it is answered by `toast`."""

    said: str
    card: _Card | None
    query: CallbackQuery | None = None
    toast: str = ""


class Cards:
    """Takes presses to the decisions. What Telegram has to be told of them never holds up the next update."""

    def __init__(self, decisions: Decisions, bot: Bot) -> None:
        self._decisions = decisions
        self._bot = bot
        self._placed: dict[str, _Card] = {}
        self._last_words: dict[str, str] = {}
        self._outcomes: asyncio.Queue[_Outcome] = asyncio.Queue()
        decisions.listen(self._end)

    async def press(self, query: CallbackQuery) -> None:
        """Decide; a dead button does nothing and says so."""
        token = token_of(query.data or "") or ""
        try:
            toast = await self._decisions.press(query.data or "")
            said = self._remember(token, toast)
        except LegioError as error:
            toast = str(error)
            # A thumb that comes twice must not write over what the first press has done.
            said = self._last_words.get(token, toast)
        self._placed.pop(token, None)
        self._outcomes.put_nowait(_Outcome(said, _pressed(query), query, toast))

    def placed(self, parcel: Parcel, message: int) -> None:
        """A parcel was sent as Telegram's `message`: remembered, if it is a card whose question is open."""
        if f'"{PREFIX}:' not in parcel.payload:
            return
        sent = decode(parcel.payload)
        if not isinstance(sent, TextMessage):
            return
        card = _Card(parcel.chat, message, Piece(sent.text, sent.entities))
        for token in {token_of(button.data) for row in sent.buttons for button in row} - {None}:
            if token is not None and self._decisions.is_open(token):
                self._placed[token] = card
            elif token is not None:
                self._outcomes.put_nowait(_Outcome(self._last_words.get(token, OVER), card))

    async def run(self) -> None:
        """Write the outcomes, for ever: the body of a guarded task."""
        while True:
            outcome = await self._outcomes.get()
            try:
                await self._show(outcome)
            finally:
                self._outcomes.task_done()

    async def flush(self, seconds: float) -> None:
        """Wait until all that is known is written, or the time has passed. `run` has to be running."""
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._outcomes.join(), seconds)

    def _end(self, token: str, said: str) -> None:
        """A question is over without a press; its card may not have been sent yet."""
        self._remember(token, said)
        card = self._placed.pop(token, None)
        if card is not None:
            self._outcomes.put_nowait(_Outcome(said, card))

    def _remember(self, token: str, said: str) -> str:
        while len(self._last_words) >= MOST_ENDED:
            del self._last_words[next(iter(self._last_words))]
        self._last_words[token] = said
        return said

    async def _show(self, outcome: _Outcome) -> None:
        # Both are a courtesy: the decision itself is done, and the network's failure does not undo it.
        if outcome.query is not None:
            await _attempt(outcome.query.answer(outcome.toast[:LONGEST_TOAST]))
        card = outcome.card
        if card is None:
            return
        shown = _written(card.piece, outcome.said)
        error = await _attempt(
            self._bot.edit_message_text(
                shown.text,
                chat_id=card.chat,
                message_id=card.message,
                entities=[_entity(entity) for entity in shown.entities],
            )
        )
        if error is not None:
            log.warning("card.unwritten", message=card.message, error=str(error))


async def _attempt(call: Awaitable[object]) -> TelegramError | None:
    try:
        await call
    except TelegramError as error:
        return error
    return None


def _pressed(query: CallbackQuery) -> _Card | None:
    message = query.message
    if not isinstance(message, Message):
        return None
    return _Card(message.chat.id, message.message_id, Piece(message.text or "", _entities(message.entities)))


def _written(asked: Piece, said: str) -> Piece:
    """What was asked, as far as there is room, and what became of it."""
    outcome = Piece(f"\n\n→ {said[:LONGEST_OUTCOME]}")
    pieces = cut(asked, units=TEXT_UNITS - utf16_length(outcome.text))
    return outcome.after(pieces[0]) if pieces else outcome


def _entities(found: Sequence[MessageEntity]) -> tuple[Entity, ...]:
    return tuple(Entity(it.type, it.offset, it.length, it.url, it.language) for it in found)


def _entity(entity: Entity) -> MessageEntity:
    return MessageEntity(entity.type, entity.offset, entity.length, url=entity.url, language=entity.language)
