from typing import Any

import pytest
from telegram.constants import ReactionEmoji

from legio.local.botapi.markup import REACTIONS, InlineButton, keyboard, keyboard_wire, reactions
from legio.local.botapi.wire import Refusal


def one(**button: Any) -> dict[str, Any]:
    return {"inline_keyboard": [[button]]}


def test_no_markup_and_an_empty_keyboard_are_none() -> None:
    assert (
        keyboard(None) == keyboard({}) == keyboard({"inline_keyboard": []}) == keyboard(one_empty_row()) == ()
    )


def one_empty_row() -> dict[str, Any]:
    return {"inline_keyboard": [[]]}


def test_every_kind_of_button_comes_back_as_it_was() -> None:
    markup = {
        "inline_keyboard": [
            [
                {"text": "Stop", "callback_data": "stop:1", "style": "danger"},
                {"text": "See", "url": "https://a.b"},
            ],
            [
                {"text": "Copy", "copy_text": {"text": "code"}},
                {"text": "App", "web_app": {"url": "https://a.b"}},
            ],
        ]
    }
    assert keyboard_wire(keyboard(markup)) == markup


def test_callback_data_is_1_to_64_bytes_and_not_characters() -> None:
    assert keyboard(one(text="a", callback_data="é" * 32)) == (
        (InlineButton("a", "callback_data", "é" * 32),),
    )
    for data in ("", "é" * 32 + "x", 5):
        with pytest.raises(Refusal, match="BUTTON_DATA_INVALID"):
            keyboard(one(text="a", callback_data=data))


@pytest.mark.parametrize(
    ("markup", "words"),
    [
        ({"keyboard": [["a"]]}, "only inline keyboards are supported"),
        ({"inline_keyboard": "a"}, "only inline keyboards are supported"),
        ({"inline_keyboard": ["a"]}, "expected an Array of Array"),
        ({"inline_keyboard": [["a"]]}, "expected an Object"),
        (one(text="", callback_data="a"), "text must be non-empty"),
        (one(callback_data="a"), "text must be non-empty"),
        (one(text="a"), "text buttons are unallowed"),
        (one(text="a", callback_data="a", url="https://a.b"), "text buttons are unallowed"),
        (one(text="a", callback_data="a", style="loud"), "invalid button style"),
        (one(text="a", url="javascript:alert(1)"), "BUTTON_URL_INVALID"),
        (one(text="a", url=None), "BUTTON_URL_INVALID"),
        (one(text="a", web_app={"url": "http://a.b"}), "BUTTON_URL_INVALID"),
        (one(text="a", web_app="https://a.b"), "BUTTON_URL_INVALID"),
        (one(text="a", copy_text={"text": ""}), "BUTTON_COPY_TEXT_INVALID"),
        (one(text="a", copy_text="x"), "BUTTON_COPY_TEXT_INVALID"),
        ({"inline_keyboard": [[{"text": "a", "callback_data": "a"}] * 9]}, "reply markup is too long"),
        ({"inline_keyboard": [[{"text": "a", "callback_data": "a"}]] * 101}, "reply markup is too long"),
    ],
)
def test_a_keyboard_that_telegram_would_not_take_is_refused(markup: dict[str, Any], words: str) -> None:
    with pytest.raises(Refusal, match=words):
        keyboard(markup)


def test_the_reactions_are_those_of_the_library() -> None:
    assert {emoji.value for emoji in ReactionEmoji} == REACTIONS


def test_a_bot_sets_one_of_them_or_none() -> None:
    assert reactions([{"type": "emoji", "emoji": "👀"}]) == ("👀",)
    assert reactions([]) == ()


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ([{"type": "emoji", "emoji": "✅"}], "REACTION_INVALID"),
        ([{"type": "custom_emoji", "custom_emoji_id": "5"}], "REACTION_INVALID"),
        (["👀"], "REACTION_INVALID"),
        ([{"type": "emoji", "emoji": "👀"}, {"type": "emoji", "emoji": "👌"}], "REACTIONS_TOO_MANY"),
    ],
)
def test_other_reactions_are_refused(given: list[object], words: str) -> None:
    with pytest.raises(Refusal, match=words):
        reactions(given)
