from datetime import timedelta
from typing import Any

import pytest
from telegram import (
    InlineKeyboardButton,
    InlineKeyboardMarkup,
    InputMediaDocument,
    InputMediaPhoto,
    MessageEntity,
    ReplyParameters,
)
from telegram.error import BadRequest, Forbidden, RetryAfter

from legio.local.botapi.faults import Allowance, FloodLimit
from legio.local.botapi.sending import ACTIONS
from tests.clocks import FakeClock
from tests.local.botapi.rig import OWNER, PNG, rig
from tests.scenes import scene


@scene
async def test_a_message_with_entities_buttons_and_a_reply_comes_back_as_it_stands() -> None:
    async with rig() as camp:
        question = camp.state.say("what now?")["message"]["message_id"]
        sent = await camp.bot.send_message(
            OWNER,
            "⚔️ vorenus — answers @pullo",
            entities=[MessageEntity(MessageEntity.BOLD, 3, 7)],
            reply_markup=InlineKeyboardMarkup([[InlineKeyboardButton("Stop", callback_data="stop:1")]]),
            reply_parameters=ReplyParameters(question, quote="now"),
        )
        assert sent.parse_entities() == {sent.entities[0]: "vorenus", sent.entities[1]: "@pullo"}
        assert sent.reply_to_message
        assert sent.reply_to_message.message_id == question
        assert sent.quote
        assert sent.quote.position == 5
        assert sent.reply_markup
        assert sent.reply_markup.inline_keyboard[0][0].callback_data == "stop:1"
        assert [message.id for message in camp.state.answers] == [sent.message_id]


@scene
async def test_a_text_has_to_be_something_of_at_most_4096_units() -> None:
    async with rig() as camp:
        assert len((await camp.bot.send_message(OWNER, "🦅" * 2048)).text or "") == 2048
        with pytest.raises(BadRequest, match="Message is too long"):
            await camp.bot.send_message(OWNER, "🦅" * 2048 + "a")
        for text in ("", " \n"):
            with pytest.raises(BadRequest, match="Message text is empty"):
                await camp.bot.send_message(OWNER, text)


@scene
async def test_a_message_that_does_not_fit_is_refused_and_leaves_nothing() -> None:
    async with rig() as camp:
        bold = {"type": "bold", "offset": 0, "length": 9}
        button = {"inline_keyboard": [[{"text": "a", "callback_data": "x" * 65}]]}
        assert await camp.refusal("sendMessage", text="a") == "chat_id is empty"
        assert await camp.refusal("sendMessage", text="a", chat_id=8) == "chat not found"
        wrong: list[tuple[str, dict[str, Any]]] = [
            ("parse_mode is not supported by this server", {"parse_mode": "HTML"}),
            ("ends after the end of the text", {"entities": [bold]}),
            ("BUTTON_DATA_INVALID", {"reply_markup": button}),
            ("message to be replied not found", {"reply_parameters": {"message_id": 1}}),
            ("message thread not found", {"message_thread_id": 1}),
            ('can\'t parse "entities": expected an Array', {"entities": {}}),
        ]
        for words, values in wrong:
            assert words in await camp.refusal("sendMessage", chat_id=OWNER, text="a", **values)
        assert camp.state.messages == ()


@scene
async def test_a_bot_that_is_blocked_is_told_so() -> None:
    async with rig() as camp:
        camp.state.chat.blocked = True
        with pytest.raises(Forbidden, match="bot was blocked by the user"):
            await camp.bot.send_message(OWNER, "hello")


@scene
async def test_a_draft_stands_until_a_message_comes_and_may_be_empty() -> None:
    async with rig() as camp:
        assert await camp.bot.send_message_draft(OWNER, 1, "")
        assert await camp.bot.send_message_draft(OWNER, 1, "so far")
        assert [text.plain for text in camp.state.chat.drafts.values()] == ["so far"]
        await camp.bot.send_message(OWNER, "all of it")
        assert camp.state.chat.drafts == {}
        assert (
            await camp.refusal("sendMessageDraft", chat_id=OWNER, draft_id=0, text="x") == "RANDOM_ID_INVALID"
        )


@scene
async def test_a_document_goes_up_and_comes_down_again() -> None:
    async with rig() as camp:
        sent = await camp.bot.send_document(OWNER, b"all of Gaul", filename="gallia.md", caption="#rome")
        assert sent.document
        assert sent.document.file_name == "gallia.md"
        assert sent.caption == "#rome"
        file = await camp.bot.get_file(sent.document)
        assert bytes(await file.download_as_bytearray()) == b"all of Gaul"
        again = await camp.bot.send_document(OWNER, sent.document.file_id)
        assert again.document
        assert again.document.file_id == sent.document.file_id


@scene
async def test_a_photo_has_to_be_one() -> None:
    async with rig() as camp:
        sent = await camp.bot.send_photo(OWNER, PNG)
        assert (sent.photo[-1].width, sent.photo[-1].height) == (1, 1)
        with pytest.raises(BadRequest, match="Image_process_failed"):
            await camp.bot.send_photo(OWNER, b"no picture")
        with pytest.raises(BadRequest, match="Can't use file of type photo as document"):
            await camp.bot.send_document(OWNER, sent.photo[-1].file_id)


@scene
async def test_what_is_no_file_is_refused() -> None:
    async with rig() as camp:
        for words, source in [
            ("failed to get HTTP URL content", "https://example.org/a.pdf"),
            ("wrong file identifier/HTTP URL specified", "nonsense"),
            ("there is no document in the request", ""),
            ("there is no document in the request", "attach://missing"),
        ]:
            assert await camp.refusal("sendDocument", chat_id=OWNER, document=source) == words
        assert (
            await camp.refusal("sendDocument", chat_id=OWNER, caption="a" * 1025)
            == "message caption is too long"
        )
        with pytest.raises(BadRequest, match="File must be non-empty"):
            await camp.bot.send_document(OWNER, b"")


@scene
async def test_an_album_is_one_group() -> None:
    async with rig() as camp:
        sent = await camp.bot.send_media_group(
            OWNER,
            [
                InputMediaDocument(b"1", filename="a.txt"),
                InputMediaDocument(b"2", filename="b.txt", caption="b"),
            ],
        )
        assert len({message.media_group_id for message in sent}) == 1
        assert len({message.message_id for message in sent}) == 2
        assert [message.caption for message in sent] == [None, "b"]
        photos = await camp.bot.send_media_group(OWNER, [InputMediaPhoto(PNG), InputMediaPhoto(PNG)])
        assert all(message.photo for message in photos)


@scene
async def test_an_album_is_all_or_nothing() -> None:
    async with rig() as camp:
        kept = (await camp.bot.send_document(OWNER, b"1", filename="a.txt")).document
        assert kept
        item = {"type": "document", "media": kept.file_id}
        for words, media in [
            ("there are no messages to send", []),
            ("media must include 2-10 items", [item]),
            ("too many messages to send as an album", [item] * 11),
            ("document can't be mixed with other media types", [item, item | {"type": "photo"}]),
            ("can't use the media of the specified type in the album", [item | {"type": "sticker"}] * 2),
            ("can't use the media of the specified type in the album", ["x", "y"]),
            ("wrong file identifier/HTTP URL specified", [item, item | {"media": "nonsense"}]),
            ("parse_mode is not supported by this server", [item, item | {"parse_mode": "HTML"}]),
            ("message caption is too long", [item, item | {"caption": "a" * 1025}]),
        ]:
            assert await camp.refusal("sendMediaGroup", chat_id=OWNER, media=media) == words
        assert len(camp.state.messages) == 1


@scene
async def test_what_the_bot_is_at_is_told_and_has_to_be_one_of_them() -> None:
    async with rig() as camp:
        for action in sorted(ACTIONS):
            assert await camp.bot.send_chat_action(OWNER, action)
        assert await camp.refusal("sendChatAction", chat_id=OWNER, action="dance") == (
            "wrong parameter action in request"
        )


@scene
async def test_the_flood_limit_says_when_to_come_again() -> None:
    clock = FakeClock()
    async with rig(clock) as camp:
        camp.state.flood = FloodLimit(clock, messages=Allowance(2), edits=Allowance(1))
        await camp.bot.send_message(OWNER, "one")
        await camp.bot.send_document(OWNER, b"two")
        with pytest.raises(RetryAfter) as refused:
            await camp.bot.send_message(OWNER, "three")
        assert refused.value.retry_after == timedelta(seconds=1)
        with pytest.raises(RetryAfter):
            await camp.bot.send_media_group(OWNER, [InputMediaPhoto(PNG), InputMediaPhoto(PNG)])
        assert await camp.bot.send_message_draft(OWNER, 1, "a")
        with pytest.raises(RetryAfter):
            await camp.bot.send_message_draft(OWNER, 1, "ab")
        clock.advance(1)
        await camp.bot.send_message(OWNER, "three")
        assert len(camp.state.messages) == 3
