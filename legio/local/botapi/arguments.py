"""The arguments that many methods share, each read and judged in one place."""

from collections.abc import Sequence

from legio.local.botapi.chats import Chat
from legio.local.botapi.message import Message, Reply
from legio.local.botapi.parameters import Parameters
from legio.local.botapi.state import BotApiState
from legio.local.botapi.text import CAPTION_LIMIT, TEXT_LIMIT, Text, formatted
from legio.local.botapi.wire import bad_request


def writable_chat(state: BotApiState, parameters: Parameters) -> Chat:
    """The chat `chat_id`, for the bot to write to."""
    given = parameters.string("chat_id")
    if not given:
        raise bad_request("chat_id is empty")
    if not given.lstrip("-").isdecimal():
        raise bad_request("chat not found")
    return state.chats.writable(int(given))


def sent_text(parameters: Parameters, *, too_long: str = "message is too long") -> Text:
    """`text` with `entities`, which may be empty."""
    refuse_parse_mode(parameters.string("parse_mode"))
    entities = parameters.sequence("entities") or []
    return formatted(parameters.string("text"), entities, limit=TEXT_LIMIT, too_long=too_long)


def sent_caption(parameters: Parameters) -> Text:
    """`caption` with `caption_entities`."""
    refuse_parse_mode(parameters.string("parse_mode"))
    return caption(parameters.string("caption"), parameters.sequence("caption_entities") or [])


def caption(plain: str, entities: Sequence[object]) -> Text:
    """A caption that fits."""
    return formatted(plain, entities, limit=CAPTION_LIMIT, too_long="message caption is too long")


def thread(chat: Chat, parameters: Parameters) -> int | None:
    """The forum topic `message_thread_id`, if one is given."""
    if not (number := parameters.integer("message_thread_id")):
        return None
    if number not in chat.topics:
        raise bad_request("message thread not found")
    return number


def reply(chat: Chat, parameters: Parameters) -> Reply | None:
    """`reply_parameters`: the message must be there unless the bot may send without it."""
    given = Parameters(parameters.mapping("reply_parameters") or {})
    if not given.values:
        return None
    answered = chat.messages.get(given.integer("message_id"))
    if answered is None:
        if given.flag("allow_sending_without_reply"):
            return None
        raise bad_request("message to be replied not found")
    quote = given.string("quote")
    if quote not in answered.text.plain:
        raise bad_request("QUOTE_TEXT_INVALID")
    return Reply(answered.id, quote)


def own_message(chat: Chat, parameters: Parameters, *, missing: str, foreign: str) -> Message:
    """The bot's own message `message_id`, or a `Refusal` with the words that fit."""
    if "message_id" not in parameters.values:
        raise bad_request("message identifier is not specified")
    message = chat.messages.get(parameters.integer("message_id"))
    if message is None:
        raise bad_request(missing)
    if not message.sender.is_bot:
        raise bad_request(foreign)
    return message


def refuse_parse_mode(mode: object) -> None:
    """Telegram parses Markdown and HTML; a bot that came to rely on half of that here would break there."""
    if mode:
        raise bad_request("parse_mode is not supported by this server")
