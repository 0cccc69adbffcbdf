from typing import Any

import pytest

from legio.bot.gate import admits
from tests.bot.updates import CAESAR, STRANGER, message, press, private, update, user

GROUP = {"id": -100, "type": "supergroup", "title": "A forum"}
CHANNEL = {"id": -200, "type": "channel", "title": "A channel"}


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("message", message()),
        (
            "message",
            message(
                None,
                sticker={"file_id": "x", "file_unique_id": "y"}
                | {"type": "regular"}
                | {"width": 1, "height": 1, "is_animated": False, "is_video": False},
            ),
        ),
        ("edited_message", message("ave!")),
        ("callback_query", press("choice:x:0")),
    ],
)
def test_caesar_passes_in_his_private_chat(kind: str, body: dict[str, Any]) -> None:
    assert admits(update(kind, body), CAESAR)


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("message", message(sender=STRANGER)),
        ("message", message(chat=GROUP)),
        ("message", message(sender=STRANGER, chat=private(CAESAR))),
        ("message", message(sender_chat=GROUP)),
        ("message", message() | {"from": None}),
        ("edited_message", message(sender=STRANGER)),
        ("channel_post", message(chat=CHANNEL, sender_chat=CHANNEL)),
        ("callback_query", press("choice:x:0", sender=STRANGER)),
        ("callback_query", press("choice:x:0", chat=GROUP)),
        ("callback_query", press("choice:x:0") | {"message": None, "inline_message_id": "7"}),
        ("inline_query", {"id": "1", "from": user(CAESAR), "query": "x", "offset": ""}),
        (
            "my_chat_member",
            {
                "chat": private(CAESAR),
                "from": user(CAESAR),
                "date": 1,
                "old_chat_member": {"user": user(1), "status": "member"},
                "new_chat_member": {"user": user(1), "status": "left"},
            },
        ),
    ],
)
def test_everyone_and_everything_else_does_not(kind: str, body: dict[str, Any]) -> None:
    assert not admits(update(kind, body), CAESAR)
