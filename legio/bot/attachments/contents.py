"""What a message holds, as text and files: captions, places, contacts, forwards, what it replies to.

Pure. Nothing is fetched here; a file is known by Telegram's name for it. What somebody else wrote stands as
his, and addresses nobody.
"""

import mimetypes
import re
from dataclasses import dataclass
from typing import Final, Protocol

from telegram import (
    Message,
    MessageOrigin,
    MessageOriginChannel,
    MessageOriginChat,
    MessageOriginHiddenUser,
    MessageOriginUser,
    Update,
)
from telegram.ext import filters

from legio.bot.source import source
from legio.legatus import Said
from legio.nuntius import CAESAR, PHOTO, Quote

VOICE: Final = "voice"
AUDIO: Final = "audio"
LEGIO: Final = "legio"
"""Who is quoted where the bot's own words are that no agent said."""
NAME_CHARACTERS: Final = 200
_ANY: Final = "application/octet-stream"
_MENTION: Final = re.compile(r"(?<![\w\\])@(?=\w)")


@dataclass(frozen=True, slots=True)
class Remote:
    """A file as Telegram has it; `size` is in bytes, None where that was not said."""

    id: str
    name: str
    media_type: str
    kind: str
    size: int | None = None


@dataclass(frozen=True, slots=True)
class Content:
    """What a message says, and the file that it carries."""

    text: str
    file: Remote | None = None


def content(message: Message) -> Content | None:
    """What `message` holds, or None if it is of a kind that Legio cannot read."""
    file = _file(message)
    text = _described(message) or source(message)
    if not text and file is None:
        return None
    if message.forward_origin is not None:
        text = _forwarded(message.forward_origin, text)
    return Content(text, file)


def passing(message: Message) -> bool:
    """Whether `message` says no more than that something in the chat has changed: a pin, a timer."""
    return bool(filters.StatusUpdate.ALL.check_update(Update(0, message=message)))


def quoted(message: Message) -> tuple[str, Quote | None]:
    """The words marked in what `message` replies to ("" for none), and what it replies to, if that says any.

    It may stand in another chat, from which only the marked words are known.
    """
    marked = message.quote.text if message.quote else ""
    if message.reply_to_message is not None:
        said = content(message.reply_to_message)
        words = (said.text or (said.file.name if said.file else "")) if said else ""
        whole = Quote(_author(message.reply_to_message), words or marked)
    elif message.external_reply is not None:
        whole = Quote(_name(message.external_reply.origin), marked)
    else:
        return "", None
    return marked, whole if whole.text else None


def said_in(message: Message, update_id: int, text: str) -> Said:
    """`text`, as Caesar said it in `message`."""
    quote, replied = quoted(message)
    return Said(
        text,
        update_id,
        message.message_id,
        message.reply_to_message.message_id if message.reply_to_message else None,
        quote=quote,
        replied=replied,
        sent=message.date,
    )


# --- files --------------------------------------------------------------------------------------------


class _Sent(Protocol):
    """What all that Telegram calls a file has."""

    @property
    def file_id(self) -> str: ...
    @property
    def file_size(self) -> int | None: ...


def _file(message: Message) -> Remote | None:
    if message.photo:
        largest = max(message.photo, key=lambda it: it.width * it.height)
        return _remote(message, largest, PHOTO, "image/jpeg")
    for kind, fallback in _KINDS:
        sent = getattr(message, kind)
        if sent is not None:
            said = getattr(sent, "mime_type", None) or _guessed(getattr(sent, "file_name", None))
            return _remote(message, sent, kind.replace("_", " "), said or fallback)
    return None


# Telegram gives an animation as a document too, so that comes first.
_KINDS: Final = (
    ("animation", "video/mp4"),
    (VOICE, "audio/ogg"),
    (AUDIO, "audio/mpeg"),
    ("video", "video/mp4"),
    ("video_note", "video/mp4"),
    ("document", _ANY),
)


def _remote(message: Message, sent: _Sent, kind: str, media_type: str) -> Remote:
    plain = media_type.partition(";")[0].strip().lower()
    given = " ".join((getattr(sent, "file_name", None) or "").split())[:NAME_CHARACTERS]
    name = given or f"{kind.replace(' ', '-')}-{message.message_id}{mimetypes.guess_extension(plain) or ''}"
    return Remote(sent.file_id, name, plain, kind, sent.file_size)


def _guessed(name: str | None) -> str | None:
    return mimetypes.guess_type(name, strict=False)[0] if name else None


# --- what is said without text ----------------------------------------------------------------------------


def _described(message: Message) -> str:
    """In words, what is neither a text nor a file; "" for anything else."""
    if message.venue is not None:
        venue = message.venue
        return f"📍 {venue.title}, {venue.address} ({_point(venue.location)})"
    if message.location is not None:
        radius = message.location.horizontal_accuracy
        return f"📍 {_point(message.location)}" + (f", to {radius:g} m" if radius else "")
    if message.contact is not None:
        contact = message.contact
        names = " ".join(filter(None, (contact.first_name, contact.last_name)))
        return f"👤 {names}, {contact.phone_number}"
    if message.sticker is not None:
        return message.sticker.emoji or "(a sticker)"
    if message.dice is not None:
        return f"{message.dice.emoji} {message.dice.value}"
    if message.poll is not None:
        return "\n".join([f"📊 {message.poll.question}", *(f"- {it.text}" for it in message.poll.options)])
    return ""


class _Point(Protocol):
    @property
    def latitude(self) -> float: ...
    @property
    def longitude(self) -> float: ...


def _point(place: _Point) -> str:
    """Degrees north and east; six digits are a hand's breadth."""
    return f"{place.latitude:.6f}, {place.longitude:.6f}"


# --- what others said -------------------------------------------------------------------------------------


def _forwarded(origin: MessageOrigin, text: str) -> str:
    """Whose words they are, and the words, in which no name is called: Caesar passes them on, no more."""
    head = f"Forwarded from {_name(origin)}"
    return f"{head}:\n\n{calling_nobody(text)}" if text else f"{head}."


def calling_nobody(text: str) -> str:
    """`text`, in which no name is called: it was not Caesar who wrote it."""
    return _MENTION.sub(r"\\@", text)


def _name(origin: MessageOrigin) -> str:
    match origin:
        case MessageOriginUser(sender_user=user):
            name = user.full_name
        case MessageOriginHiddenUser(sender_user_name=hidden):
            name = hidden
        case MessageOriginChat(sender_chat=chat) | MessageOriginChannel(chat=chat):
            name = chat.effective_name or ""
        case _:
            name = ""
    return calling_nobody(" ".join(name.split())) or "somebody"


def _author(message: Message) -> str:
    if message.forward_origin is not None:
        return _name(message.forward_origin)
    return LEGIO if message.from_user is not None and message.from_user.is_bot else CAESAR
