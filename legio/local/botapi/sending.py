"""The methods by which a bot sends: messages, drafts, files, albums, and the sign that it is at work."""

import secrets
from dataclasses import replace
from typing import Any

from legio.local.botapi.arguments import (
    caption,
    refuse_parse_mode,
    reply,
    sent_caption,
    sent_text,
    thread,
    writable_chat,
)
from legio.local.botapi.chats import Chat
from legio.local.botapi.files import Upload, media
from legio.local.botapi.markup import keyboard
from legio.local.botapi.message import Media, Message
from legio.local.botapi.parameters import Parameters
from legio.local.botapi.state import BotApiState, Method
from legio.local.botapi.wire import Wire, bad_request

WRONG_FILE = "wrong file identifier/HTTP URL specified"
ALBUM_LEAST, ALBUM_MOST = 2, 10
ACTIONS = frozenset(
    {
        "typing", "upload_photo", "record_video", "upload_video", "record_voice", "upload_voice",
        "upload_document", "choose_sticker", "find_location", "record_video_note", "upload_video_note",
    }
)  # fmt: skip


async def send_message(state: BotApiState, parameters: Parameters) -> Wire:
    """A text."""
    chat = writable_chat(state, parameters)
    text = sent_text(parameters)
    if not text.plain:
        raise bad_request("message text is empty")
    return _publish(state, chat, replace(_blank(state, chat, parameters), text=text))


async def send_message_draft(state: BotApiState, parameters: Parameters) -> bool:
    """The text that is being written; an empty one says that the bot thinks."""
    chat = writable_chat(state, parameters)
    text = sent_text(parameters)
    draft_id = parameters.integer("draft_id")
    if not draft_id:
        raise bad_request("RANDOM_ID_INVALID")
    thread(chat, parameters)
    if state.flood:
        state.flood.edit(chat.person.id)
    state.chats.draft(chat, draft_id, text)
    return True


async def send_document(state: BotApiState, parameters: Parameters) -> Wire:
    """A file of any type."""
    return _send_file(state, parameters, "document")


async def send_photo(state: BotApiState, parameters: Parameters) -> Wire:
    """A picture."""
    return _send_file(state, parameters, "photo")


async def send_media_group(state: BotApiState, parameters: Parameters) -> list[Wire]:
    """Two to ten photos, or as many documents, as one album: all or none."""
    chat = writable_chat(state, parameters)
    items = parameters.sequence("media") or []
    if not items:
        raise bad_request("there are no messages to send")
    if len(items) > ALBUM_MOST:
        raise bad_request("too many messages to send as an album")
    if len(items) < ALBUM_LEAST:
        raise bad_request("media must include 2-10 items")
    if len({item.get("type") for item in items if isinstance(item, dict)}) > 1:
        raise bad_request("document can't be mixed with other media types")
    blank = replace(_blank(state, chat, parameters), album=str(secrets.randbits(53)), keyboard=())
    messages = [_album_item(state, parameters, item, blank) for item in items]
    if state.flood:
        state.flood.message(chat.person.id, len(messages))
    state.chats.end_drafts(chat)
    return [
        state.chats.wire(state.chats.add(replace(message, id=state.chats.number()))) for message in messages
    ]


async def send_chat_action(state: BotApiState, parameters: Parameters) -> bool:
    """The bot is at work; Telegram shows it for five seconds."""
    chat = writable_chat(state, parameters)
    action = parameters.string("action")
    if action not in ACTIONS:
        raise bad_request("wrong parameter action in request")
    thread(chat, parameters)
    state.chats.tell(chat, "action", {"action": action})
    return True


def _blank(state: BotApiState, chat: Chat, parameters: Parameters) -> Message:
    """A message with all but its content; its number comes when it is published."""
    return Message(
        0,
        chat.person,
        state.bot,
        state.clock.now(),
        keyboard=keyboard(parameters.mapping("reply_markup")),
        reply=reply(chat, parameters),
        thread=thread(chat, parameters),
    )


def _publish(state: BotApiState, chat: Chat, message: Message) -> Wire:
    if state.flood:
        state.flood.message(chat.person.id)
    state.chats.end_drafts(chat)
    return state.chats.wire(state.chats.add(replace(message, id=state.chats.number())))


def _send_file(state: BotApiState, parameters: Parameters, kind: str) -> Wire:
    chat = writable_chat(state, parameters)
    text = sent_caption(parameters)
    blank = _blank(state, chat, parameters)
    carried = _media(state, parameters, kind, parameters.uploads.get(kind) or parameters.string(kind))
    return _publish(state, chat, replace(blank, text=text, media=carried))


def _album_item(state: BotApiState, parameters: Parameters, item: Any, blank: Message) -> Message:  # noqa: ANN401
    if not isinstance(item, dict) or item.get("type") not in {"photo", "document"}:
        raise bad_request("can't use the media of the specified type in the album")
    refuse_parse_mode(item.get("parse_mode"))
    text = caption(str(item.get("caption") or ""), item.get("caption_entities") or [])
    source = str(item.get("media") or "")
    return replace(blank, text=text, media=_media(state, parameters, item["type"], source))


def _media(state: BotApiState, parameters: Parameters, kind: str, source: Upload | str) -> Media:
    """What is meant by an upload, an `attach://` to one, or the id of a file that is stored already."""
    if isinstance(source, str) and source.startswith("attach://"):
        source = parameters.uploads.get(source.removeprefix("attach://"), "")
    if isinstance(source, Upload):
        return media(state.files.add(source, kind))
    if source.startswith(("http://", "https://")):
        # This server fetches nothing from anywhere.
        raise bad_request("failed to get HTTP URL content")
    stored = state.files.get(source)
    if stored is None:
        raise bad_request(f"there is no {kind} in the request" if not source else WRONG_FILE)
    if stored.kind != kind:
        raise bad_request(f"can't use file of type {stored.kind.title()} as {kind.title()}")
    return media(stored)


METHODS: dict[str, Method] = {
    "sendMessage": send_message,
    "sendMessageDraft": send_message_draft,
    "sendDocument": send_document,
    "sendPhoto": send_photo,
    "sendMediaGroup": send_media_group,
    "sendChatAction": send_chat_action,
}
