from dataclasses import replace
from datetime import UTC, datetime

from legio.local.botapi.markup import InlineButton
from legio.local.botapi.message import Media, Message, Person, Reply
from legio.local.botapi.text import Entity, Text

CAESAR = Person(7, "Caesar")
BOT = Person(1, "Legio", "legio_bot", is_bot=True)
NOON = datetime(2026, 3, 15, 12, 0, tzinfo=UTC)
QUESTION = Message(10, CAESAR, CAESAR, NOON, Text("🦅 veni vidi", (Entity("bold", 3, 4),)))


def test_a_text_message_is_written_as_telegram_writes_it() -> None:
    assert QUESTION.wire() == {
        "message_id": 10,
        "from": {"id": 7, "is_bot": False, "first_name": "Caesar"},
        "chat": {"id": 7, "type": "private", "first_name": "Caesar"},
        "date": 1773576000,
        "text": "🦅 veni vidi",
        "entities": [{"type": "bold", "offset": 3, "length": 4}],
    }


def test_a_reply_carries_the_message_it_answers_and_where_the_quote_stands() -> None:
    answer = Message(11, CAESAR, BOT, NOON, Text("vici"), reply=Reply(10, "vidi"))
    wire = answer.wire(QUESTION)
    assert wire["reply_to_message"] == QUESTION.wire()
    assert wire["quote"] == {"text": "vidi", "position": 8, "is_manual": True}
    assert "quote" not in replace(answer, reply=Reply(10)).wire(QUESTION)
    assert "reply_to_message" not in answer.wire(None)


def test_a_caption_takes_the_place_of_the_text() -> None:
    captioned = replace(QUESTION, media=Media("document", {"file_id": "f"}))
    wire = captioned.wire()
    assert (wire["caption"], wire["document"]) == ("🦅 veni vidi", {"file_id": "f"})
    assert wire["caption_entities"]
    assert not {"text", "entities"} & set(wire)


def test_edits_topics_albums_forwards_and_buttons_are_told() -> None:
    full = replace(
        QUESTION,
        edited=NOON,
        thread=5,
        album="77",
        forwarded_from="Cicero",
        keyboard=((InlineButton("a", "callback_data", "b"),),),
    )
    wire = full.wire()
    assert (wire["edit_date"], wire["message_thread_id"], wire["is_topic_message"]) == (1773576000, 5, True)
    assert wire["media_group_id"] == "77"
    assert wire["forward_origin"] == {"type": "hidden_user", "date": 1773576000, "sender_user_name": "Cicero"}
    assert wire["reply_markup"] == {"inline_keyboard": [[{"text": "a", "callback_data": "b"}]]}


def test_a_person_with_a_username_shows_it() -> None:
    assert BOT.wire()["username"] == BOT.chat_wire()["username"] == "legio_bot"
