"""One message to one chat: how it is sent, and what it means when that fails.

A failure is one of two things: the message can never arrive as it is, or it is to be tried again, after a
while, and perhaps it has arrived already. What Telegram refuses for its decoration (entities, the message it
replies to) is sent again without it at once. When, how often and in which order is for the outbox to say.
"""

import asyncio
import io
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, assert_never

import httpx
from telegram import (
    Bot,
    InlineKeyboardButton,
    InlineKeyboardMarkup,
    InputFile,
    LinkPreviewOptions,
    MessageEntity,
    ReplyParameters,
)
from telegram.error import (
    BadRequest,
    ChatMigrated,
    Forbidden,
    InvalidToken,
    NetworkError,
    RetryAfter,
    TelegramError,
)

from legio.bot.payload import DocumentMessage, FileMessage, Message, Rows, TextMessage, decode, hushed
from legio.bot.piece import TEXT_UNITS, Entity, Piece, utf16_length
from legio.errors import LegioError
from legio.ports import Dispatch

DUPLICATE: Final = "♻️ may be a duplicate"
"""Stands above a message that may have arrived before; nobody can ask Telegram whether it did."""

PATIENCE: Final = 5
"""Tries after which an error that nobody foresaw ends a message, for it would hold up its chat for ever."""

NO_PREVIEW: Final = LinkPreviewOptions(is_disabled=True)

BEFORE_SENDING: Final = (
    httpx.ConnectError,
    httpx.ConnectTimeout,
    httpx.PoolTimeout,
    httpx.ProxyError,
    httpx.UnsupportedProtocol,
)
"""What fails before a byte of the request has left."""


@dataclass(frozen=True, slots=True)
class Delivered:
    """It arrived, as Telegram's `message`; not in the topic `astray` that it was meant for, which is gone."""

    message: int
    astray: int | None = None


@dataclass(frozen=True, slots=True)
class Postponed:
    """It is to be tried again, not before `seconds` if Telegram named them. `doubtful`: it may have arrived.

    `urgent` when it will never arrive unless a person does something.
    """

    error: str
    seconds: float | None = None
    doubtful: bool = False
    urgent: bool = False


@dataclass(frozen=True, slots=True)
class Undeliverable:
    """It will never arrive."""

    error: str


Outcome = Delivered | Postponed | Undeliverable


async def deliver(bot: Bot, dispatch: Dispatch, files: Path = Path(), *, quiet: bool = False) -> Outcome:
    """Send it, marked if it may be a duplicate, and when it is `quiet` without a sound unless it is urgent.

    Files lie below `files`. Raises CancelledError alone.
    """
    try:
        message = decode(dispatch.parcel.payload)
        message = hushed(message) if quiet else message
        parts = _marked(message) if dispatch.doubtful else (message,)
        sent = [await _send(bot, dispatch.parcel.chat, part, files) for part in parts]
        return sent[-1]
    except LegioError as error:
        return Undeliverable(str(error))
    except Exception as error:  # noqa: BLE001 - the border to Telegram: each failure becomes an outcome here
        return _outcome(error, said=str(error).replace(bot.token, "…"), tries=dispatch.tries)


def seconds_asked(error: RetryAfter) -> float:
    """How long Telegram asks to wait."""
    asked = error.retry_after
    return float(asked) if isinstance(asked, int | float) else asked.total_seconds()


def may_have_arrived(error: NetworkError) -> bool:
    """Whether Telegram may have taken the message although no answer says so.

    With an HTTP status (then nothing foreign is the cause) the server itself refused, unless a gateway spoke
    for it (502, 504); otherwise it depends on whether the request was on its way.
    """
    cause = error.__cause__
    if cause is None or isinstance(cause, TelegramError):
        return "gateway" in error.message.lower()
    return not isinstance(cause, BEFORE_SENDING)


async def _send(bot: Bot, chat: int, message: Message, files: Path) -> Delivered:
    meant = message.thread
    while True:
        try:
            if isinstance(message, FileMessage):
                sent = await _send_file(bot, chat, message, files)
            else:
                sent = await _send_as_it_is(bot, chat, message)
            return Delivered(sent, astray=None if message.thread == meant else meant)
        except BadRequest as error:
            plainer = _plainer(message, error.message.lower())
            if plainer is None:
                raise
            message = plainer


def _plainer(message: Message, refusal: str) -> Message | None:
    """The message without what was refused, or None when that was nothing that it could do without."""
    if message.reply_to is not None and "repl" in refusal and "not found" in refusal:
        return replace(message, reply_to=None)
    if message.thread is not None and ("thread not found" in refusal or "topic" in refusal):
        return replace(message, thread=None)
    if isinstance(message, TextMessage) and message.entities and "entit" in refusal:
        return replace(message, entities=())
    if isinstance(message, FileMessage) and message.picture:
        return replace(message, picture=False)  # no photo to Telegram: too large, too long, or broken
    return None


def _marked(message: Message) -> tuple[Message, ...]:
    """The message under its mark; a text that leaves no room for it gets a message of its own before it."""
    match message:
        case TextMessage():
            piece = Piece(message.text, message.entities).after(Piece(f"{DUPLICATE}\n"))
            if utf16_length(piece.text) > TEXT_UNITS:
                mark = TextMessage(DUPLICATE, reply_to=message.reply_to, silent=True, thread=message.thread)
                return (mark, message)
            return (replace(message, text=piece.text, entities=piece.entities),)
        case DocumentMessage() | FileMessage():
            return (replace(message, caption=f"{DUPLICATE}\n{message.caption}".rstrip()),)
        case _:
            assert_never(message)


async def _send_as_it_is(bot: Bot, chat: int, message: TextMessage | DocumentMessage) -> int:
    reply = _reply(message.reply_to)
    match message:
        case TextMessage():
            sent = await bot.send_message(
                chat,
                message.text,
                entities=[telegram_entity(entity) for entity in message.entities] or None,
                reply_parameters=reply,
                reply_markup=telegram_keyboard(message.buttons),
                disable_notification=message.silent,
                link_preview_options=NO_PREVIEW,
                message_thread_id=message.thread,
            )
        case DocumentMessage():
            sent = await bot.send_document(
                chat,
                InputFile(io.BytesIO(message.content.encode()), filename=message.file_name),
                caption=message.caption or None,
                reply_parameters=reply,
                disable_notification=message.silent,
                message_thread_id=message.thread,
            )
        case _:
            assert_never(message)
    return sent.message_id


async def _send_file(bot: Bot, chat: int, message: FileMessage, files: Path) -> int:
    try:
        content = await asyncio.to_thread((files / message.path).read_bytes)
    except OSError as error:
        raise LegioError(
            f"the file to be sent cannot be read ({error.strerror}).", where=message.path
        ) from error
    upload = InputFile(content, filename=message.file_name)
    caption, reply = message.caption or None, _reply(message.reply_to)
    send = bot.send_photo if message.picture else bot.send_document
    sent = await send(
        chat,
        upload,
        caption=caption,
        reply_parameters=reply,
        disable_notification=message.silent,
        message_thread_id=message.thread,
    )
    return sent.message_id


def _reply(message: int | None) -> ReplyParameters | None:
    """Caesar may delete what he asked; the answer has to come all the same."""
    return None if message is None else ReplyParameters(message, allow_sending_without_reply=True)


def telegram_entity(entity: Entity) -> MessageEntity:
    """The same as python-telegram-bot has it."""
    return MessageEntity(entity.type, entity.offset, entity.length, url=entity.url, language=entity.language)


def telegram_keyboard(rows: Rows) -> InlineKeyboardMarkup | None:
    """The buttons under a message; None for none."""
    keys = [[InlineKeyboardButton(it.label, callback_data=it.data) for it in row] for row in rows]
    return InlineKeyboardMarkup(keys) if keys else None


def _outcome(error: Exception, *, said: str, tries: int) -> Outcome:
    match error:
        case RetryAfter():
            return Postponed(said, seconds=seconds_asked(error))
        case InvalidToken():
            return Postponed(said, urgent=True)
        case Forbidden() | ChatMigrated() | BadRequest():
            return Undeliverable(said)
        case NetworkError():
            return Postponed(said, doubtful=may_have_arrived(error))
        case TelegramError():  # an answer that could not be read: Telegram did something with the request
            return Postponed(said, doubtful=True)
        case _ if tries < PATIENCE:
            return Postponed(f"{type(error).__name__}: {said}", doubtful=True, urgent=True)
        case _:
            return Undeliverable(f"{type(error).__name__}: {said}")
