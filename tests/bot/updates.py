"""Updates as Telegram sends them, for scenes without a network."""

from typing import Any

from telegram import Bot, Update

CAESAR = 77
STRANGER = 666
BOT = Bot("1:token")


def user(identity: int) -> dict[str, Any]:
    return {"id": identity, "is_bot": False, "first_name": "Somebody"}


def private(identity: int) -> dict[str, Any]:
    return {"id": identity, "type": "private", "first_name": "Somebody"}


def message(
    text: str | None = "ave", *, sender: int = CAESAR, chat: dict[str, Any] | None = None, **more: Any
) -> dict[str, Any]:
    body = {"message_id": 5, "date": 1_790_000_000, "from": user(sender), "chat": chat or private(sender)}
    return body | ({"text": text} if text is not None else {}) | more


def update(kind: str, body: dict[str, Any], *, number: int = 1) -> Update:
    made = Update.de_json({"update_id": number, kind: body}, BOT)
    assert made is not None
    return made


def press(data: str, *, sender: int = CAESAR, chat: dict[str, Any] | None = None) -> dict[str, Any]:
    card = message("Sure?", sender=1, chat=chat or private(CAESAR))
    return {"id": "9", "from": user(sender), "chat_instance": "1", "data": data, "message": card}
