"""The methods about the bot itself: who it is, its command menu, its menu button, its topics and files."""

import re
from urllib.parse import urlsplit

from legio.local.botapi.arguments import writable_chat
from legio.local.botapi.files import DOWNLOAD_BYTES
from legio.local.botapi.parameters import Parameters
from legio.local.botapi.state import BotApiState, Method
from legio.local.botapi.wire import Wire, bad_request

COMMAND = re.compile(r"[a-z0-9_]{1,32}")
COMMAND_LIMIT = 100
DESCRIPTION_LIMIT = 256
TOPIC_LIMIT = 128
SCOPES = frozenset({"default", "all_private_chats", "all_group_chats", "all_chat_administrators", "chat"})


async def get_me(state: BotApiState, _: Parameters) -> Wire:
    """The bot."""
    return state.bot.wire() | {
        "can_join_groups": False,
        "can_read_all_group_messages": False,
        "supports_inline_queries": False,
        "has_topics_enabled": state.topics_enabled,
    }


async def leave(_: BotApiState, __: Parameters) -> bool:
    """`logOut` and `close` prepare a move between servers; there is no other one to move to."""
    return True


async def set_my_commands(state: BotApiState, parameters: Parameters) -> bool:
    """The command menu of a scope."""
    commands = [_command(raw) for raw in parameters.sequence("commands") or []]
    if not commands:
        raise bad_request("commands must be non-empty")
    if len(commands) > COMMAND_LIMIT:
        raise bad_request("BOT_COMMANDS_TOO_MUCH")
    state.commands[_scope(state, parameters)] = commands
    return True


async def get_my_commands(state: BotApiState, parameters: Parameters) -> list[Wire]:
    """The command menu of exactly this scope."""
    return state.commands.get(_scope(state, parameters), [])


def menu(state: BotApiState) -> list[Wire]:
    """The command menu that the owner is shown: that of the narrowest scope that has one."""
    scopes = (f"chat {state.owner.id}", "all_private_chats", "default")
    return next((state.commands[scope, ""] for scope in scopes if (scope, "") in state.commands), [])


async def delete_my_commands(state: BotApiState, parameters: Parameters) -> bool:
    """No command menu for this scope; a wider one shows through."""
    state.commands.pop(_scope(state, parameters), None)
    return True


async def set_chat_menu_button(state: BotApiState, parameters: Parameters) -> bool:
    """What stands beside the input; without a chat, for all that have none of their own."""
    button = parameters.mapping("menu_button") or {"type": "default"}
    chat = _menu_chat(state, parameters)
    if button.get("type") not in {"default", "commands", "web_app"}:
        raise bad_request("invalid menu button type specified")
    state.menu_buttons[chat] = _web_app(button) if button["type"] == "web_app" else {"type": button["type"]}
    return True


async def get_chat_menu_button(state: BotApiState, parameters: Parameters) -> Wire:
    """What stands beside the input."""
    default: Wire = {"type": "default"}
    return state.menu_buttons.get(_menu_chat(state, parameters), state.menu_buttons.get(0, default))


async def create_forum_topic(state: BotApiState, parameters: Parameters) -> Wire:
    """A topic of the private chat, where the owner of the bot has turned topics on."""
    chat = writable_chat(state, parameters)
    name = parameters.string("name")
    if not state.topics_enabled:
        raise bad_request("the chat is not a forum")
    if not 1 <= len(name) <= TOPIC_LIMIT:
        raise bad_request("TOPIC_TITLE_EMPTY" if not name else "topic name is too long")
    number = state.chats.number()
    state.chats.topics(chat, {**chat.topics, number: name})
    return {
        "message_thread_id": number,
        "name": name,
        "icon_color": parameters.integer("icon_color", 0x6FB9F0),
    }


async def get_file(state: BotApiState, parameters: Parameters) -> Wire:
    """Where a stored file can be fetched: below `/file/bot<token>/`, up to 20 MB."""
    stored = state.files.get(parameters.string("file_id"))
    if stored is None:
        raise bad_request("wrong file_id or the file is temporarily unavailable")
    if len(stored.upload.data) > DOWNLOAD_BYTES:
        raise bad_request("file is too big")
    return stored.wire() | {"file_path": stored.path}


def _command(raw: object) -> Wire:
    if not isinstance(raw, dict) or not COMMAND.fullmatch(str(raw.get("command", "")).removeprefix("/")):
        raise bad_request("BOT_COMMAND_INVALID")
    description = raw.get("description")
    if not isinstance(description, str) or not 1 <= len(description) <= DESCRIPTION_LIMIT:
        raise bad_request("BOT_COMMAND_DESCRIPTION_INVALID")
    return {"command": str(raw["command"]).removeprefix("/"), "description": description}


def _scope(state: BotApiState, parameters: Parameters) -> tuple[str, str]:
    """A key for scope and language; the scope of one chat needs that chat to be open."""
    scope = parameters.mapping("scope") or {"type": "default"}
    kind = scope.get("type")
    if kind not in SCOPES:
        raise bad_request("can't parse BotCommandScope: unsupported type specified")
    if kind == "chat":
        kind = f"chat {writable_chat(state, Parameters(scope)).person.id}"
    return kind, parameters.string("language_code")


def _web_app(button: Wire) -> Wire:
    """A button that opens a page: its text and the page's address, which TLS has to protect."""
    text, app = button.get("text"), button.get("web_app")
    if not isinstance(text, str) or not text.strip():
        raise bad_request('can\'t parse menu button: Field "text" must be of type String')
    if not isinstance(app, dict) or not isinstance(app.get("url"), str):
        raise bad_request('can\'t parse menu button: Field "web_app" must have a url')
    url = urlsplit(app["url"])
    if url.scheme != "https" or not url.hostname:
        raise bad_request("BUTTON_URL_INVALID")
    return {"type": "web_app", "text": text, "web_app": {"url": app["url"]}}


def _menu_chat(state: BotApiState, parameters: Parameters) -> int:
    return writable_chat(state, parameters).person.id if "chat_id" in parameters.values else 0


METHODS: dict[str, Method] = {
    "getMe": get_me,
    "logOut": leave,
    "close": leave,
    "setMyCommands": set_my_commands,
    "getMyCommands": get_my_commands,
    "deleteMyCommands": delete_my_commands,
    "setChatMenuButton": set_chat_menu_button,
    "getChatMenuButton": get_chat_menu_button,
    "createForumTopic": create_forum_topic,
    "getFile": get_file,
}
