import pytest
from telegram import InlineKeyboardButton, InlineKeyboardMarkup
from telegram.error import BadRequest, RetryAfter

from legio.local.botapi.changing import QUERY_SECONDS
from legio.local.botapi.faults import Allowance, FloodLimit
from tests.clocks import FakeClock
from tests.local.botapi.rig import OWNER, rig
from tests.scenes import scene

STOP = InlineKeyboardMarkup([[InlineKeyboardButton("Stop", callback_data="stop")]])


@scene
async def test_an_edit_stands_in_place_and_takes_the_buttons_unless_they_come_again() -> None:
    async with rig() as camp:
        sent = await camp.bot.send_message(OWNER, "⏳ Thinking…", reply_markup=STOP)
        kept = await camp.bot.edit_message_text("⏳ 2 s", OWNER, sent.message_id, reply_markup=STOP)
        bare = await camp.bot.edit_message_text("done", OWNER, sent.message_id)
        assert not isinstance(kept, bool)
        assert kept.reply_markup == STOP
        assert kept.edit_date
        assert not isinstance(bare, bool)
        assert bare.reply_markup is None
        assert [message.text.plain for message in camp.state.messages] == ["done"]


@scene
async def test_an_edit_that_changes_nothing_is_an_error() -> None:
    async with rig() as camp:
        sent = await camp.bot.send_message(OWNER, "same", reply_markup=STOP)
        for text in ("same", "same  \n"):
            with pytest.raises(BadRequest, match="Message is not modified: specified new message content"):
                await camp.bot.edit_message_text(text, OWNER, sent.message_id, reply_markup=STOP)
        with pytest.raises(BadRequest, match="Message is not modified"):
            await camp.bot.edit_message_reply_markup(OWNER, sent.message_id, reply_markup=STOP)
        await camp.bot.edit_message_reply_markup(OWNER, sent.message_id)
        assert camp.state.messages[0].keyboard == ()


@scene
async def test_an_edit_needs_a_message_of_the_bots_own() -> None:
    async with rig() as camp:
        theirs = camp.state.say("mine")["message"]["message_id"]
        file = (await camp.bot.send_document(OWNER, b"a")).message_id
        own = (await camp.bot.send_message(OWNER, "a")).message_id
        for words, values in [
            ("message to edit not found", {"message_id": 1, "text": "a"}),
            ("message can't be edited", {"message_id": theirs, "text": "a"}),
            ("message identifier is not specified", {"text": "a"}),
            ("there is no text in the message to edit", {"message_id": file, "text": "a"}),
            ("message text is empty", {"message_id": own, "text": " "}),
            ("MESSAGE_TOO_LONG", {"message_id": own, "text": "a" * 4097}),
        ]:
            assert await camp.refusal("editMessageText", chat_id=OWNER, **values) == words


@scene
async def test_messages_of_both_sides_can_be_deleted_once() -> None:
    async with rig() as camp:
        said = camp.state.say("the code is 123456")["message"]["message_id"]
        sent = (await camp.bot.send_message(OWNER, "a")).message_id
        assert await camp.bot.delete_message(OWNER, said)
        with pytest.raises(BadRequest, match="Message to delete not found"):
            await camp.bot.delete_message(OWNER, said)
        assert await camp.bot.delete_messages(OWNER, [said, sent])
        assert camp.state.messages == ()


@scene
async def test_many_are_deleted_at_once_up_to_a_hundred() -> None:
    async with rig() as camp:
        assert await camp.refusal("deleteMessages", chat_id=OWNER, message_ids=[]) == (
            "message identifiers are not specified"
        )
        assert await camp.refusal("deleteMessages", chat_id=OWNER, message_ids=list(range(101))) == (
            "too many message identifiers specified"
        )


@scene
async def test_after_48_hours_a_message_stays() -> None:
    clock = FakeClock()
    async with rig(clock) as camp:
        said = camp.state.say("old")["message"]["message_id"]
        clock.advance(48 * 3600 + 1)
        for method, values in [
            ("deleteMessage", {"message_id": said}),
            ("deleteMessages", {"message_ids": [said]}),
        ]:
            assert (
                await camp.refusal(method, chat_id=OWNER, **values) == "message can't be deleted for everyone"
            )
        assert len(camp.state.messages) == 1


@scene
async def test_a_reaction_is_set_and_taken_back() -> None:
    async with rig() as camp:
        said = camp.state.say("hello")["message"]["message_id"]
        assert await camp.bot.set_message_reaction(OWNER, said, "👀")
        assert [message.reactions for message in camp.state.messages] == [("👀",)]
        assert await camp.bot.set_message_reaction(OWNER, said)
        assert [message.reactions for message in camp.state.messages] == [()]
        with pytest.raises(BadRequest, match="Reaction_invalid"):
            await camp.bot.set_message_reaction(OWNER, said, "✅")
        with pytest.raises(BadRequest, match="Message to react not found"):
            await camp.bot.set_message_reaction(OWNER, 1, "👀")


@scene
async def test_a_press_is_answered_while_it_is_fresh() -> None:
    clock = FakeClock()
    async with rig(clock) as camp:
        sent = await camp.bot.send_message(OWNER, "a", reply_markup=STOP)
        query = camp.state.press(sent.message_id, "stop")["callback_query"]["id"]
        assert await camp.bot.answer_callback_query(query, "Stopped", show_alert=True)
        clock.advance(QUERY_SECONDS + 1)
        for stale in (query, "1"):
            with pytest.raises(BadRequest, match="Query is too old and response timeout expired"):
                await camp.bot.answer_callback_query(stale)
        assert (
            await camp.refusal("answerCallbackQuery", callback_query_id=query, text="a" * 201)
            == "MESSAGE_TOO_LONG"
        )


@scene
async def test_edits_have_a_flood_limit_of_their_own_and_vain_ones_count() -> None:
    clock = FakeClock()
    async with rig(clock) as camp:
        camp.state.flood = FloodLimit(clock, edits=Allowance(1))
        sent = await camp.bot.send_message(OWNER, "a")
        with pytest.raises(BadRequest, match="not modified"):
            await camp.bot.edit_message_text("a", OWNER, sent.message_id)
        with pytest.raises(RetryAfter):
            await camp.bot.edit_message_text("b", OWNER, sent.message_id)
