import base64

import pytest

from legio.errors import Refused
from legio.local.model.request import (
    IMAGE_BYTES,
    Call,
    Image,
    Message,
    Other,
    Result,
    Text,
    read_request,
)
from tests.local.botapi.rig import PNG
from tests.local.botapi.test_files import png
from tests.local.model.asking import assistant, body, calls, results, user


def image(data: str = base64.b64encode(PNG).decode(), kind: str = "image/png") -> dict[str, object]:
    return {"type": "image", "source": {"type": "base64", "media_type": kind, "data": data}}


def test_a_picture_is_known_by_its_size() -> None:
    request = read_request(body({"role": "user", "content": [image(), {"type": "text", "text": "look"}]}))

    assert request.messages[0].blocks == (Image("image/png", 1, 1), Text("look"))


@pytest.mark.parametrize(
    ("block", "words"),
    [
        ({"type": "image", "source": {}}, "should be a base64 image"),
        (image(kind="image/tiff"), "should be a base64 image"),
        (image("x"), "Invalid base64"),
        (image(base64.b64encode(b"text").decode()), "Could not process image"),
        (image("A" * (IMAGE_BYTES + 1)), "exceeds 5 MB"),
        (image(base64.b64encode(png(8001, 10)).decode()), "exceed max allowed size"),
    ],
)
def test_a_picture_that_the_api_would_not_take_is_refused(block: dict[str, object], words: str) -> None:
    with pytest.raises(Refused, match=words):
        read_request(body({"role": "user", "content": [block]}))


def test_a_plain_string_is_one_text_block() -> None:
    request = read_request({"model": "m", "messages": [{"role": "user", "content": "ave"}]})

    assert request.messages == (Message("user", (Text("ave"),)),)


def test_everything_that_matters_is_read() -> None:
    sent = body(user("ave"), tools=("who",), stream=True)

    request = read_request(sent, credential="key")

    assert (request.model, request.stream, request.credential) == ("m", True, "key")
    assert request.tools == ("mcp__legio__who",)
    assert request.system.startswith('<agent name="vorenus"/>')
    assert request.body is sent


def test_a_system_prompt_in_blocks_is_joined() -> None:
    blocks = [{"type": "text", "text": "one"}, {"type": "text", "text": "two"}]

    assert read_request({**body(user("ave")), "system": blocks}).system == "one\ntwo"


def test_calls_and_results_are_read_in_every_shape() -> None:
    parts = [
        {"type": "text", "text": "one"},
        image(),
        {"type": "text", "text": "two"},
    ]
    answer = {"type": "tool_result", "tool_use_id": "call_who", "content": parts}

    request = read_request(body(user("ave"), calls("who", n=1), {"role": "user", "content": [answer]}))

    assert request.messages[1].blocks == (Call("call_who", "mcp__legio__who", {"n": 1}),)
    assert request.messages[2].blocks == (Result("call_who", "one\ntwo", failed=False),)


def test_a_result_may_be_empty_or_an_error() -> None:
    bare = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "call_who", "is_error": True}]}

    request = read_request(body(user("ave"), calls("who"), bare))

    assert request.messages[2].blocks == (Result("call_who", "", failed=True),)


def test_other_blocks_keep_their_place() -> None:
    thinking = {"role": "assistant", "content": [{"type": "thinking", "thinking": "…"}]}

    assert read_request(body(user("ave"), thinking)).messages[1].blocks == (Other("thinking"),)


def test_a_reminder_may_stand_between_a_call_and_its_result() -> None:
    reminder = {"role": "system", "content": "the date"}

    request = read_request(body(user("ave"), calls("who"), reminder, results(who="all"), reminder))

    assert [message.role for message in request.messages] == ["user", "assistant", "system", "user", "system"]


def test_tries_of_one_request_have_one_fingerprint_wherever_the_cache_marks_stand() -> None:
    marked = {
        "role": "user",
        "content": [{"type": "text", "text": "ave", "cache_control": {"type": "ephemeral"}}],
    }

    first, second = read_request(body(user("ave"), stream=True)), read_request(body(marked))

    assert first.fingerprint == second.fingerprint
    assert first.fingerprint != read_request(body(user("vale"))).fingerprint


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ([], "JSON object"),
        ({"messages": []}, "model"),
        ({"model": "m"}, "at least one message"),
        ({"model": "m", "messages": []}, "at least one message"),
        (body({"role": "cook", "content": "ave"}), "messages.0.role"),
        (body({"role": "user"}), "messages.0.content: Input should be a valid list"),
        (body({"role": "user", "content": ["ave"]}), "messages.0.content: Input should be a valid list"),
        (body({"role": "user", "content": [{}]}), "messages.0.content.0.type"),
        (body({"role": "user", "content": [{"type": "text"}]}), "valid string"),
        (body(user("")), "must be non-empty"),
        (body(assistant("ave")), "first message"),
        (body(user("ave"), calls("who")), "without `tool_result` blocks: call_who"),
        (body(user("ave"), calls("who"), user("no")), "without `tool_result` blocks: call_who"),
        (body(user("ave"), results(who="all")), "unexpected `tool_use_id`"),
        (
            body(
                user("ave"), {"role": "assistant", "content": [{"type": "tool_use", "id": "1", "name": "n"}]}
            ),
            "input: Input should be a valid dictionary",
        ),
    ],
)
def test_a_wrong_request_is_refused_with_its_place(wrong: object, said: str) -> None:
    with pytest.raises(Refused, match=said):
        read_request(wrong)
