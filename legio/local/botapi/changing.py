"""The methods by which a bot changes what stands: edits, deletes, reacts, and answers a pressed button."""

from dataclasses import replace
from datetime import timedelta

from legio.local.botapi.arguments import own_message, sent_text, writable_chat
from legio.local.botapi.chats import Chat
from legio.local.botapi.markup import keyboard, reactions
from legio.local.botapi.message import Message
from legio.local.botapi.parameters import Parameters
from legio.local.botapi.state import BotApiState, Method
from legio.local.botapi.text import utf16_length
from legio.local.botapi.wire import Wire, bad_request

DELETABLE = timedelta(hours=48)
DELETE_LIMIT = 100
# Nothing official says how long a query lives; bots that were busy for some 15 s are told that it is too old.
QUERY_SECONDS = 15.0
ANSWER_LIMIT = 200
NOT_MODIFIED = (
    "message is not modified: specified new message content and reply markup "
    "are exactly the same as a current content and reply markup of the message"
)


async def edit_message_text(state: BotApiState, parameters: Parameters) -> Wire:
    """Another text; without a `reply_markup` the buttons go."""
    chat = writable_chat(state, parameters)
    text = sent_text(parameters, too_long="MESSAGE_TOO_LONG")
    if not text.plain:
        raise bad_request("message text is empty")
    message = _editable(chat, parameters)
    if message.media:
        raise bad_request("there is no text in the message to edit")
    buttons = keyboard(parameters.mapping("reply_markup"))
    return _edited(state, message, replace(message, text=text, keyboard=buttons))


async def edit_message_reply_markup(state: BotApiState, parameters: Parameters) -> Wire:
    """Other buttons, or none."""
    chat = writable_chat(state, parameters)
    message = _editable(chat, parameters)
    buttons = keyboard(parameters.mapping("reply_markup"))
    return _edited(state, message, replace(message, keyboard=buttons))


async def delete_message(state: BotApiState, parameters: Parameters) -> bool:
    """One message of either side."""
    chat = writable_chat(state, parameters)
    message = chat.messages.get(parameters.integer("message_id"))
    if message is None:
        raise bad_request("message to delete not found")
    _check_age(state, message)
    state.chats.remove(chat, [message.id])
    return True


async def delete_messages(state: BotApiState, parameters: Parameters) -> bool:
    """Several; those that are not there are skipped."""
    chat = writable_chat(state, parameters)
    ids = parameters.sequence("message_ids") or []
    if not ids:
        raise bad_request("message identifiers are not specified")
    if len(ids) > DELETE_LIMIT:
        raise bad_request("too many message identifiers specified")
    found = [chat.messages[number] for number in ids if number in chat.messages]
    for message in found:
        _check_age(state, message)
    state.chats.remove(chat, [message.id for message in found])
    return True


async def set_message_reaction(state: BotApiState, parameters: Parameters) -> bool:
    """The bot's own reaction to a message; none takes it back."""
    chat = writable_chat(state, parameters)
    message = chat.messages.get(parameters.integer("message_id"))
    if message is None:
        raise bad_request("message to react not found")
    chosen = reactions(parameters.sequence("reaction") or [])
    state.chats.replace(replace(message, reactions=chosen))
    return True


async def answer_callback_query(state: BotApiState, parameters: Parameters) -> bool:
    """The answer to a pressed button: nothing, a word in passing, or one that has to be closed."""
    text = parameters.string("text")
    if utf16_length(text) > ANSWER_LIMIT:
        raise bad_request("MESSAGE_TOO_LONG")
    chat, asked = state.queries.get(parameters.string("callback_query_id"), (None, 0.0))
    if chat is None or state.clock.monotonic() - asked > QUERY_SECONDS:
        raise bad_request("query is too old and response timeout expired or query ID is invalid")
    state.chats.tell(chat, "answer", {"text": text, "alert": parameters.flag("show_alert")})
    return True


def _editable(chat: Chat, parameters: Parameters) -> Message:
    return own_message(
        chat, parameters, missing="message to edit not found", foreign="message can't be edited"
    )


def _edited(state: BotApiState, before: Message, after: Message) -> Wire:
    """Telegram counts an edit that changes nothing as an error, and an error as an edit."""
    if state.flood:
        state.flood.edit(before.chat.id)
    if before == after:
        raise bad_request(NOT_MODIFIED)
    return state.chats.wire(state.chats.edit(after))


def _check_age(state: BotApiState, message: Message) -> None:
    if state.clock.now() - message.date > DELETABLE:
        raise bad_request("message can't be deleted for everyone")


METHODS: dict[str, Method] = {
    "editMessageText": edit_message_text,
    "editMessageReplyMarkup": edit_message_reply_markup,
    "deleteMessage": delete_message,
    "deleteMessages": delete_messages,
    "setMessageReaction": set_message_reaction,
    "answerCallbackQuery": answer_callback_query,
}
