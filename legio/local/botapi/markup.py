"""What hangs under a message: inline keyboards and reactions, by Telegram's rules. Pure."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from legio.local.botapi.wire import Wire, bad_request

BUTTON_LIMIT = 100
ROW_LIMIT = 8
DATA_BYTES = 64
COPY_LIMIT = 256
STYLES = frozenset({"", "danger", "success", "primary"})

# telegram.constants.ReactionEmoji of python-telegram-bot 22.8 (Bot API 10.0); a test compares them.
REACTIONS = frozenset(
    {
        "👍", "👎", "❤", "🔥", "🥰", "👏", "😁", "🤔", "🤯", "😱", "🤬", "😢", "🎉", "🤩", "🤮",
        "💩", "🙏", "👌", "🕊", "🤡", "🥱", "🥴", "😍", "🐳", "❤️‍🔥", "🌚", "🌭", "💯", "🤣", "⚡",
        "🍌", "🏆", "💔", "🤨", "😐", "🍓", "🍾", "💋", "🖕", "😈", "😴", "😭", "🤓", "👻", "👨‍💻",
        "👀", "🎃", "🙈", "😇", "😨", "🤝", "✍", "🤗", "🫡", "🎅", "🎄", "☃", "💅", "🤪", "🗿",
        "🆒", "💘", "🙉", "🦄", "😘", "💊", "🙊", "😎", "👾", "🤷‍♂️", "🤷", "🤷‍♀️", "😡",
    }
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class InlineButton:
    """One button: what it says, what kind of action it has, and that action's value."""

    label: str
    action: str
    value: str
    style: str = ""

    def wire(self) -> Wire:
        """As Telegram writes it."""
        nested = {"web_app": "url", "copy_text": "text"}
        value = {nested[self.action]: self.value} if self.action in nested else self.value
        return {"text": self.label, self.action: value} | ({"style": self.style} if self.style else {})


Keyboard = tuple[tuple[InlineButton, ...], ...]


def keyboard(markup: Mapping[str, object] | None) -> Keyboard:
    """The inline keyboard of a `reply_markup`; an empty one is none.

    Raises `Refusal` for every other kind of markup, and for buttons that Telegram would not take.
    """
    if not markup:
        return ()
    rows = markup.get("inline_keyboard")
    if not isinstance(rows, Sequence) or isinstance(rows, str):
        raise bad_request("only inline keyboards are supported by this server")
    built = tuple(_row(row) for row in rows)
    if sum(len(row) for row in built) > BUTTON_LIMIT:
        raise bad_request("reply markup is too long")
    return tuple(row for row in built if row)


def keyboard_wire(rows: Keyboard) -> Wire:
    """The `reply_markup` of a message."""
    return {"inline_keyboard": [[button.wire() for button in row] for row in rows]}


def reactions(given: Sequence[object]) -> tuple[str, ...]:
    """The emoji a bot sets: at most one, and one that Telegram offers. Raises `Refusal`."""
    if len(given) > 1:
        raise bad_request("REACTIONS_TOO_MANY")
    return tuple(_reaction(raw) for raw in given)


def _reaction(raw: object) -> str:
    emoji = raw.get("emoji") if isinstance(raw, dict) and raw.get("type") == "emoji" else None
    if not isinstance(emoji, str) or emoji not in REACTIONS:
        raise bad_request("REACTION_INVALID")
    return emoji


def _row(row: object) -> tuple[InlineButton, ...]:
    if not isinstance(row, list):
        raise bad_request("can't parse inline keyboard: expected an Array of Array of InlineKeyboardButton")
    if len(row) > ROW_LIMIT:
        raise bad_request("reply markup is too long")
    return tuple(_button(button) for button in row)


def _button(raw: object) -> InlineButton:
    if not isinstance(raw, dict):
        raise bad_request("can't parse inline keyboard button: expected an Object")
    label, style = raw.get("text"), raw.get("style", "")
    if not isinstance(label, str) or not label.strip():
        raise bad_request("inline keyboard button text must be non-empty")
    if style not in STYLES:
        raise bad_request("invalid button style specified")
    actions = [name for name in ACTIONS if name in raw]
    if len(actions) != 1:
        raise bad_request("text buttons are unallowed in the inline keyboard")
    return InlineButton(label, actions[0], ACTIONS[actions[0]](raw[actions[0]]), style)


def _callback_data(value: object) -> str:
    if not isinstance(value, str) or not 1 <= len(value.encode()) <= DATA_BYTES:
        raise bad_request("BUTTON_DATA_INVALID")
    return value


def _url(value: object) -> str:
    if not isinstance(value, str) or not re.match(r"(https?|tg)://[^\s]", value):
        raise bad_request("BUTTON_URL_INVALID")
    return value


def _web_app(value: object) -> str:
    url = value.get("url") if isinstance(value, dict) else None
    if not isinstance(url, str) or not url.startswith("https://"):
        raise bad_request("BUTTON_URL_INVALID")
    return url


def _copy_text(value: object) -> str:
    text = value.get("text") if isinstance(value, dict) else None
    if not isinstance(text, str) or not 1 <= len(text) <= COPY_LIMIT:
        raise bad_request("BUTTON_COPY_TEXT_INVALID")
    return text


ACTIONS: Mapping[str, Callable[[object], str]] = {
    "callback_data": _callback_data,
    "url": _url,
    "web_app": _web_app,
    "copy_text": _copy_text,
}
