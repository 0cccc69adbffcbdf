from typing import Any

import pytest
from telegram import Message

from legio import mentions
from legio.bot.attachments.contents import Content, Remote, content, passing, quoted
from legio.nuntius import Quote
from tests.bot.updates import BOT, message, user

FILE = {"file_id": "f1", "file_unique_id": "u1", "file_size": 7}
PLACE = {"latitude": 41.89021, "longitude": 12.492231}


def read(text: str | None = None, **more: Any) -> Message:
    made = Message.de_json(message(text, **more), BOT)
    assert made is not None
    return made


def size(side: int, name: str) -> dict[str, Any]:
    return FILE | {"file_id": name, "width": side, "height": side}


def test_of_a_photo_the_largest_size_is_taken_with_its_caption() -> None:
    said = content(read(photo=[size(90, "s"), size(1280, "l"), size(320, "m")], caption="look"))
    assert said == Content("look", Remote("l", "photo-5.jpg", "image/jpeg", "photo", 7))


@pytest.mark.parametrize(
    ("kind", "body", "remote"),
    [
        (
            "document",
            FILE | {"file_name": "a/../b.pdf", "mime_type": "application/pdf"},
            Remote("f1", "a/../b.pdf", "application/pdf", "document", 7),
        ),
        (
            "document",
            FILE | {"file_name": "notes.md"},
            Remote("f1", "notes.md", "text/markdown", "document", 7),
        ),
        ("document", FILE, Remote("f1", "document-5.bin", "application/octet-stream", "document", 7)),
        ("voice", FILE | {"duration": 2}, Remote("f1", "voice-5.oga", "audio/ogg", "voice", 7)),
        (
            "audio",
            FILE | {"duration": 2, "mime_type": "Audio/MPEG; x=y", "file_name": "march.mp3"},
            Remote("f1", "march.mp3", "audio/mpeg", "audio", 7),
        ),
        (
            "video",
            {"file_id": "f1", "file_unique_id": "u", "duration": 2, "width": 1, "height": 1},
            Remote("f1", "video-5.mp4", "video/mp4", "video"),
        ),
        (
            "video_note",
            FILE | {"duration": 2, "length": 1},
            Remote("f1", "video-note-5.mp4", "video/mp4", "video note", 7),
        ),
    ],
)
def test_each_kind_of_file_is_known_by_its_name_and_type(
    kind: str, body: dict[str, Any], remote: Remote
) -> None:
    more: dict[str, Any] = {kind: body}
    found = content(read(**more))
    assert found is not None
    assert found.file is not None
    suffixless = (found.file.name.partition(".")[0], found.file.media_type, found.file.kind, found.file.size)
    assert suffixless == (remote.name.partition(".")[0], remote.media_type, remote.kind, remote.size)


def test_an_animation_is_no_document_although_telegram_says_both() -> None:
    body = FILE | {"duration": 2, "width": 1, "height": 1, "file_name": "run.mp4"}
    said = content(read(animation=body, document=FILE | {"file_name": "run.mp4"}))
    assert said is not None
    assert said.file is not None
    assert (said.file.kind, said.file.media_type) == ("animation", "video/mp4")


STICKER = FILE | {"type": "regular", "width": 1, "height": 1, "is_animated": False, "is_video": False}


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ({"location": PLACE}, "📍 41.890210, 12.492231"),
        ({"location": PLACE | {"horizontal_accuracy": 30.0}}, "📍 41.890210, 12.492231, to 30 m"),
        (
            {"venue": {"location": PLACE, "title": "Colosseum", "address": "Roma"}, "location": PLACE},
            "📍 Colosseum, Roma (41.890210, 12.492231)",
        ),
        (
            {"contact": {"first_name": "Titus", "last_name": "Pullo", "phone_number": "+39 1"}},
            "👤 Titus Pullo, +39 1",
        ),
        ({"sticker": STICKER | {"emoji": "🦅"}}, "🦅"),
        ({"sticker": STICKER}, "(a sticker)"),
        ({"dice": {"emoji": "🎲", "value": 6}}, "🎲 6"),
        (
            {
                "poll": {
                    "id": "1",
                    "question": "March?",
                    "options": [
                        {"text": text, "voter_count": 0, "persistent_id": text} for text in ("now", "later")
                    ],
                    "total_voter_count": 0,
                    "is_closed": False,
                    "is_anonymous": True,
                    "type": "regular",
                    "allows_multiple_answers": False,
                    "allows_revoting": False,
                    "members_only": False,
                }
            },
            "📊 March?\n- now\n- later",
        ),
    ],
)
def test_what_is_neither_text_nor_file_is_put_into_words(body: dict[str, Any], text: str) -> None:
    assert content(read(**body)) == Content(text)


def test_a_kind_that_nobody_can_read_is_none() -> None:
    assert content(read(pinned_message=message("old"))) is None


def test_a_mention_in_a_caption_addresses_and_one_in_its_code_does_not() -> None:
    entities = [{"type": "code", "offset": 9, "length": 6}]
    said = content(read(photo=[size(9, "s")], caption="@vorenus @pullo", caption_entities=entities))
    assert said is not None
    assert said.text == "@vorenus `@pullo`"
    assert mentions.find(said.text, ["vorenus", "pullo"]).addressed == ("vorenus",)


def origin(kind: str, **more: Any) -> dict[str, Any]:
    return {"type": kind, "date": 1, **more}


GROUP = {"id": -1, "type": "supergroup", "title": "The Senate"}


@pytest.mark.parametrize(
    ("said_by", "name"),
    [
        (origin("user", sender_user=user(9)), "Somebody"),
        (origin("hidden_user", sender_user_name="@all Cato"), "\\@all Cato"),
        (origin("chat", sender_chat=GROUP), "The Senate"),
        (origin("channel", chat=GROUP | {"type": "channel"}, message_id=3), "The Senate"),
        (origin("new_kind"), "somebody"),
    ],
)
def test_a_forward_says_whose_words_it_holds(said_by: dict[str, Any], name: str) -> None:
    said = content(read("ave", forward_origin=said_by))
    assert said == Content(f"Forwarded from {name}:\n\nave")


def test_the_words_of_others_address_nobody() -> None:
    said = content(
        read("@all and @pullo, mail a@b.example", forward_origin=origin("hidden_user", sender_user_name="X"))
    )
    assert said is not None
    assert mentions.find(said.text, ["pullo"]).addressed == ()
    assert "a@b.example" in said.text


def test_a_forwarded_file_says_whose_it_is() -> None:
    said = content(read(document=FILE, forward_origin=origin("hidden_user", sender_user_name="Cato")))
    assert said is not None
    assert said.text == "Forwarded from Cato."


def test_a_reply_tells_what_was_marked_and_what_it_replies_to() -> None:
    bot = message("⚔️ pullo\nThe ford is deep.", sender=1) | {"from": user(1) | {"is_bot": True}}
    marked = {"text": "ford", "position": 4}
    assert quoted(read("which?", reply_to_message=bot, quote=marked)) == (
        "ford",
        Quote("legio", "⚔️ pullo\nThe ford is deep."),
    )


@pytest.mark.parametrize(
    ("answered", "quote"),
    [
        (message("my own words"), Quote("caesar", "my own words")),
        (message(None, sticker=STICKER | {"emoji": "🦅"}), Quote("caesar", "🦅")),
        (message(None, document=FILE | {"file_name": "a.pdf"}), Quote("caesar", "a.pdf")),
        (
            message("ave", forward_origin=origin("hidden_user", sender_user_name="Cato")),
            Quote("Cato", "Forwarded from Cato:\n\nave"),
        ),
        (message(None, pinned_message=message("old")), None),
    ],
)
def test_whatever_is_replied_to_is_told_in_words(answered: dict[str, Any], quote: Quote | None) -> None:
    assert quoted(read("well", reply_to_message=answered)) == ("", quote)


def test_a_reply_into_another_chat_tells_what_was_marked_there() -> None:
    external = {"origin": origin("hidden_user", sender_user_name="Cato")}
    assert quoted(read("well", external_reply=external, quote={"text": "delenda", "position": 0})) == (
        "delenda",
        Quote("Cato", "delenda"),
    )
    assert quoted(read("well", external_reply=external)) == ("", None)
    assert quoted(read("no reply at all")) == ("", None)


def test_a_name_is_kept_within_bounds_and_on_one_line() -> None:
    said = content(read(document=FILE | {"file_name": "a\nb " + "x" * 5000}))
    assert said is not None
    assert said.file is not None
    assert said.file.name.startswith("a b xxx")
    assert len(said.file.name) == 200


def test_what_only_tells_that_the_chat_changed_is_passing() -> None:
    assert passing(read(pinned_message=message("old")))
    assert passing(read(message_auto_delete_timer_changed={"message_auto_delete_time": 60}))
    assert not passing(read("ave"))
    assert not passing(read())
