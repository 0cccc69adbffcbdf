"""What the core says, as rows of the outbox."""

from datetime import UTC, datetime

from legio.bot.messenger import MOST_MESSAGES, MOST_RENDERED, NOTICE_UNITS, TelegramMessenger
from legio.bot.payload import DocumentMessage, TextMessage, decode
from legio.bot.piece import utf16_length
from legio.bot.progress import Progress
from legio.bot.render import RULE
from legio.events import Thinking
from legio.nuntius import Nuntius, Turn
from legio.ports import Button, Messenger, Parcel
from tests.bot.wire import FakeTelegram, bot_on
from tests.clocks import FakeClock

CHAT = 9
PARAGRAPH = "The legion crossed the river at night, and nobody saw it.\n\n"


def messenger(woken: list[str] | None = None) -> Messenger:
    progress = Progress(bot_on(FakeTelegram()), CHAT, FakeClock())
    return TelegramMessenger(CHAT, progress, lambda: (woken if woken is not None else []).append("woken"))


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
