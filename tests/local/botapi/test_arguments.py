import pytest

from legio.local.botapi.arguments import (
    caption,
    own_message,
    refuse_parse_mode,
    reply,
    sent_caption,
    sent_text,
    thread,
    writable_chat,
)
from legio.local.botapi.message import Reply
from legio.local.botapi.parameters import Parameters
from legio.local.botapi.wire import Refusal
from tests.clocks import FakeClock
from tests.local.botapi.rig import OWNER, fresh_state


def parameters(**values: object) -> Parameters:
    return Parameters(values)


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({}, "chat_id is empty"),
        ({"chat_id": ""}, "chat_id is empty"),
        ({"chat_id": "@caesar"}, "chat not found"),
        ({"chat_id": 8}, "chat not found"),
        ({"chat_id": -OWNER}, "chat not found"),
    ],
)
def test_a_chat_that_the_bot_cannot_write_to_is_refused(values: dict[str, object], words: str) -> None:
    with pytest.raises(Refusal, match=words):
        writable_chat(fresh_state(FakeClock()), Parameters(values))


def test_the_owners_chat_is_open_from_the_start_by_number_or_digits() -> None:
    state = fresh_state(FakeClock())
    assert writable_chat(state, parameters(chat_id=OWNER)) is state.chat
    assert writable_chat(state, parameters(chat_id=str(OWNER))) is state.chat


def test_text_and_caption_come_with_their_entities() -> None:
    bold = [{"type": "bold", "offset": 0, "length": 1}]
    assert sent_text(parameters(text="a", entities=bold)).entities
    assert sent_caption(parameters(caption="a", caption_entities=bold)).entities
    assert sent_text(parameters()).plain == sent_caption(parameters()).plain == ""


def test_limits_have_the_words_of_their_method() -> None:
    with pytest.raises(Refusal, match="MESSAGE_TOO_LONG"):
        sent_text(parameters(text="a" * 4097), too_long="MESSAGE_TOO_LONG")
    assert len(caption("a" * 1024, []).plain) == 1024
    with pytest.raises(Refusal, match="message caption is too long"):
        caption("a" * 1025, [])


def test_a_parse_mode_is_refused_in_words_that_say_so() -> None:
    for ask in (
        lambda: sent_text(parameters(text="a", parse_mode="HTML")),
        lambda: sent_caption(parameters(parse_mode="MarkdownV2")),
        lambda: refuse_parse_mode("Markdown"),
    ):
        with pytest.raises(Refusal, match="parse_mode is not supported by this server"):
            ask()


def test_a_thread_has_to_exist() -> None:
    chat = fresh_state(FakeClock()).chat
    chat.topics[5] = "vorenus"
    assert thread(chat, parameters(message_thread_id=5)) == 5
    assert thread(chat, parameters()) is None
    with pytest.raises(Refusal, match="message thread not found"):
        thread(chat, parameters(message_thread_id=6))


def test_a_reply_needs_its_message_unless_it_may_do_without() -> None:
    state = fresh_state(FakeClock())
    message = state.say("veni vidi vici")["message"]["message_id"]
    asked = {"message_id": message, "quote": "vidi"}
    assert reply(state.chat, parameters(reply_parameters=asked)) == Reply(message, "vidi")
    assert reply(state.chat, parameters()) is None
    lost = {"message_id": 1}
    with pytest.raises(Refusal, match="message to be replied not found"):
        reply(state.chat, parameters(reply_parameters=lost))
    assert (
        reply(state.chat, parameters(reply_parameters=lost | {"allow_sending_without_reply": True})) is None
    )


def test_a_quote_has_to_be_in_the_message() -> None:
    state = fresh_state(FakeClock())
    message = state.say("veni")["message"]["message_id"]
    with pytest.raises(Refusal, match="QUOTE_TEXT_INVALID"):
        reply(state.chat, parameters(reply_parameters={"message_id": message, "quote": "vici"}))


def test_only_the_bots_own_message_is_its_own() -> None:
    state = fresh_state(FakeClock())
    message = state.say("mine")["message"]["message_id"]
    for values, words in [
        ({}, "identifier is not specified"),
        ({"message_id": 1}, "gone"),
        ({"message_id": message}, "not yours"),
    ]:
        with pytest.raises(Refusal, match=words):
            own_message(state.chat, Parameters(values), missing="gone", foreign="not yours")
