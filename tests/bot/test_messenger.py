"""What the core says, as rows of the outbox."""

from dataclasses import replace
from datetime import UTC, datetime

from legio.bot.messenger import (
    BLOCK_UNITS,
    LEAD_UNITS,
    MOST_MESSAGES,
    MOST_RENDERED,
    NOTICE_UNITS,
    PHOTO_BYTES,
    TelegramMessenger,
)
from legio.bot.payload import DocumentMessage, FileMessage, TextMessage, decode
from legio.bot.piece import CAPTION_UNITS, utf16_length
from legio.bot.render import RULE
from legio.bot.rollcall import RollCall
from legio.bot.sending import DUPLICATE
from legio.bot.topics import Topics
from legio.events import Thinking
from legio.nuntius import Attachment, Nuntius, Turn
from legio.ports import Block, Button, Messenger, Parcel, Ring
from tests.bot.wire import FakeTelegram, MemoryRollCalls, bot_on, chat_on
from tests.clocks import FakeClock
from tests.fakes import MemorySettings

CHAT = 9
PARAGRAPH = "The legion crossed the river at night, and nobody saw it.\n\n"


def messenger(woken: list[str] | None = None) -> Messenger:
    roll_call = RollCall(chat_on(bot_on(FakeTelegram()), CHAT, FakeClock()), MemoryRollCalls())
    return TelegramMessenger(CHAT, roll_call, lambda: (woken if woken is not None else []).append("woken"))


class Places(Topics):
    """Topics of which vorenus has one; what was written as 5 stands in another."""

    def __init__(self) -> None:
        super().__init__(bot_on(FakeTelegram()), CHAT, MemorySettings(), FakeClock())

    def where(self, agent: str, message: int | None) -> int | None:
        return {"vorenus": 70}.get(agent, 50 if message == 5 and not agent else None)


def test_everything_stands_where_it_belongs() -> None:
    roll_call = RollCall(chat_on(bot_on(FakeTelegram()), CHAT, FakeClock()), MemoryRollCalls())
    placed = TelegramMessenger(CHAT, roll_call, lambda: None, topics=Places())
    file = Attachment("workspaces/vorenus/plan.txt", "plan.txt", "text/plain", 3, "document")
    parcels = (
        *placed.answer(turn(), "vorenus", PARAGRAPH * 200),
        placed.file(turn(), "vorenus", file, ""),
        placed.notice("May he?", about="vorenus"),
        placed.notice("/version", reply_to=5),
        placed.notice("A word"),
    )
    threads = [decode(parcel.payload).thread for parcel in parcels]
    assert threads == [70] * (len(parcels) - 2) + [50, None]


def turn(message: int | None = 5) -> Turn:
    nuntius = Nuntius("id", "caesar", "?", ("vorenus",), datetime(2026, 3, 15, tzinfo=UTC), seq=12)
    return Turn(1, "vorenus", nuntius, root=12, message=message)


def text_of(parcel: Parcel) -> TextMessage:
    message = decode(parcel.payload)
    assert isinstance(message, TextMessage)
    return message


def test_an_answer_is_headed_and_replies_to_its_question() -> None:
    (parcel,) = messenger().answer(turn(), "vorenus — research", "*Ave*")
    message = text_of(parcel)
    assert (parcel.chat, parcel.seq) == (CHAT, None)
    assert message.text == f"⚔️ vorenus — research\n{RULE}\nAve"
    assert [entity.type for entity in message.entities] == ["bold", "italic"]
    assert (message.reply_to, message.silent) == (5, False)


def test_an_answer_to_nothing_in_telegram_replies_to_nothing() -> None:
    (parcel,) = messenger().answer(turn(message=None), "vorenus", "Ave")
    assert text_of(parcel).reply_to is None


def test_of_several_messages_the_first_alone_replies_and_rings() -> None:
    parcels = messenger().answer(turn(), "vorenus", PARAGRAPH * 250)
    messages = [text_of(parcel) for parcel in parcels]
    assert len(messages) == MOST_MESSAGES
    assert [message.reply_to for message in messages] == [5, None, None, None]
    assert [message.silent for message in messages] == [False, True, True, True]


def test_a_longer_answer_is_its_first_message_and_the_whole_as_a_document() -> None:
    answer = PARAGRAPH * 300
    first, second = messenger().answer(turn(), "vorenus", answer)
    assert text_of(first).text.startswith("⚔️ vorenus\n")
    document = decode(second.payload)
    assert document == DocumentMessage(
        "vorenus-12.md", f"⚔️ vorenus\n\n{answer}\n", "The whole answer: 17,700 characters.", silent=True
    )


def test_an_endless_answer_is_rendered_in_part_and_kept_whole_in_its_document() -> None:
    link = f"[camp](https://example.org/{'x' * 4_000}) "
    first, second = messenger().answer(turn(), "vorenus", link * 25)
    assert text_of(first).text.count("camp") == MOST_RENDERED // len(link) + 1
    document = decode(second.payload)
    assert isinstance(document, DocumentMessage)
    assert document.content.count("[camp]") == 25


def test_a_notice_is_plain_text_with_its_reply() -> None:
    message = text_of(messenger().notice("*as it is*", reply_to=7))
    assert message == TextMessage("*as it is*", reply_to=7)


def test_a_notice_rings_as_it_is_meant_to() -> None:
    rings = [text_of(messenger().notice("ave", ring=ring)) for ring in Ring]

    assert [(each.silent, each.urgent) for each in rings] == [(True, False), (False, False), (False, True)]


def test_a_long_notice_is_cut_with_a_sign() -> None:
    text = text_of(messenger().notice("😀" * NOTICE_UNITS)).text
    assert text.endswith("😀 …")
    assert utf16_length(text) <= NOTICE_UNITS + 2


def test_an_empty_notice_still_says_something() -> None:
    assert text_of(messenger().notice(" ")).text == "…"


def test_buttons_stand_side_by_side_while_they_fit() -> None:
    buttons = [Button("Yes", "y"), Button("No", "n"), Button("Ask me again when I am back", "a")]
    assert text_of(messenger().notice("?", buttons)).buttons == ((buttons[0], buttons[1]), (buttons[2],))


def test_waking_and_progress_are_passed_on() -> None:
    woken: list[str] = []
    port = messenger(woken)
    port.progress(turn(), Thinking())
    port.wake()
    assert woken == ["woken"]


def test_a_block_stands_under_a_notice_as_code() -> None:
    message = text_of(messenger().notice("Run this?", [Button("Yes", "y")], block=Block("ls", "bash")))
    assert message.text == "Run this?\n\nls"
    (entity,) = message.entities
    assert (entity.type, entity.offset, entity.length, entity.language) == ("pre", 11, 2, "bash")
    assert message.buttons == ((Button("Yes", "y"),),)


def test_a_notice_with_a_block_leaves_room_for_what_becomes_of_it() -> None:
    message = text_of(messenger().notice("why " * 1000, block=Block("word " * 2000)))
    assert utf16_length(message.text) <= LEAD_UNITS + BLOCK_UNITS + 10
    assert "characters are not shown" in message.text


def test_a_file_replies_under_the_name_of_its_sender_and_a_picture_is_one_while_telegram_takes_it() -> None:
    plan = Attachment("attachments/d/1-plan.md", "plan.md", "text/markdown", 3, "document")
    drawn = Attachment("attachments/d/1-a.png", "a.png", "image/png", PHOTO_BYTES, "photo")
    sent = [
        decode(messenger().file(turn(), "vorenus — research", file, caption).payload)
        for file, caption in ((plan, "As asked."), (drawn, ""), (replace(drawn, size=PHOTO_BYTES + 1), ""))
    ]
    assert sent == [
        FileMessage(plan.path, "plan.md", "⚔️ vorenus — research\nAs asked.", reply_to=5),
        FileMessage(drawn.path, "a.png", "⚔️ vorenus — research", picture=True, reply_to=5),
        FileMessage(drawn.path, "a.png", "⚔️ vorenus — research", reply_to=5),
    ]


def test_a_long_caption_is_cut_with_a_sign() -> None:
    file = Attachment("attachments/d/1-a.png", "a.png", "image/png", 3, "photo")
    sent = decode(messenger().file(turn(), "vorenus", file, "😀" * 600).payload)
    assert isinstance(sent, FileMessage)
    assert sent.caption.endswith("😀 …")
    assert utf16_length(f"{DUPLICATE}\n{sent.caption}") <= CAPTION_UNITS
