import json
from collections.abc import Iterable
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from legio.local.model.script import Answer, ToolUse
from legio.local.model.stream import MAX_PIECES, Envelope, Event, encoded, error, events, message
from legio.local.model.usage import Weight

ENVELOPE = Envelope("0a", "a-model", Weight(3, cache_read=20, cache_written=100))
FULL = Answer("Ave!", "Hm.", (ToolUse("mcp__x__who", {"n": [1]}), ToolUse("mcp__x__who")))


def assembled(stream: Iterable[Event]) -> list[dict[str, Any]]:
    """The content that a client puts together from a stream."""
    content: list[dict[str, Any]] = []
    for event in stream:
        match event:
            case {"type": "content_block_start", "index": int(index), "content_block": dict(block)}:
                assert index == len(content)
                content.append({**block, "json": ""})
            case {"type": "content_block_delta", "index": int(index), "delta": dict(delta)}:
                _grow(content[index], delta)
    return [_whole(block) for block in content]


def _grow(block: dict[str, Any], delta: dict[str, Any]) -> None:
    key = {"input_json_delta": "json", "signature_delta": "signature"}.get(delta["type"], block["type"])
    block[key] += next(value for name, value in delta.items() if name != "type")


def _whole(block: dict[str, Any]) -> dict[str, Any]:
    arguments = block.pop("json")
    return {**block, "input": json.loads(arguments)} if block["type"] == "tool_use" else block


def test_a_stream_begins_and_ends_as_the_api_does_it() -> None:
    kinds = [event["type"] for event in events(Answer("Ave!"), ENVELOPE)]

    assert kinds == [
        "message_start",
        "ping",
        "content_block_start",
        "content_block_delta",
        "content_block_stop",
        "message_delta",
        "message_stop",
    ]


def test_thinking_text_and_calls_come_in_this_order() -> None:
    content = assembled(events(FULL, ENVELOPE))

    assert content == [
        {"type": "thinking", "thinking": "Hm.", "signature": "scripted0a"},
        {"type": "text", "text": "Ave!"},
        {"type": "tool_use", "id": "toolu_0a_0", "name": "mcp__x__who", "input": {"n": [1]}},
        {"type": "tool_use", "id": "toolu_0a_1", "name": "mcp__x__who", "input": {}},
    ]


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@settings(max_examples=50)
@given(st.text(), st.text(), st.dictionaries(st.text(), json_values, max_size=3))
def test_streamed_and_whole_are_the_same_answer(
    text: str, thinking: str, arguments: dict[str, object]
) -> None:
    answer = Answer(text, thinking, (ToolUse("mcp__x__who", arguments),))

    assert assembled(events(answer, ENVELOPE)) == message(answer, ENVELOPE)["content"]


def test_a_long_text_is_cut_into_a_bounded_number_of_pieces() -> None:
    assert (
        sum(event["type"] == "content_block_delta" for event in events(Answer("x" * 2_000_000), ENVELOPE))
        <= MAX_PIECES
    )


def test_usage_stands_at_both_ends_and_counts_the_cache() -> None:
    first, *_, delta, _ = events(FULL, ENVELOPE)

    known = {"input_tokens": 3, "cache_read_input_tokens": 20, "cache_creation_input_tokens": 100}
    assert isinstance(first["message"], dict)
    assert isinstance(delta["usage"], dict)
    assert known.items() <= first["message"]["usage"].items()
    assert known.items() <= delta["usage"].items()
    assert delta["usage"]["output_tokens"] > first["message"]["usage"]["output_tokens"]


def test_the_reason_to_stop_tells_calls_from_an_end() -> None:
    assert message(FULL, ENVELOPE)["stop_reason"] == "tool_use"
    assert message(Answer("Ave!"), ENVELOPE)["stop_reason"] == "end_turn"


def test_an_empty_answer_has_no_content() -> None:
    assert message(Answer(), ENVELOPE)["content"] == []
    assert assembled(events(Answer(), ENVELOPE)) == []


def test_the_model_that_was_asked_answers() -> None:
    assert message(Answer(), ENVELOPE)["model"] == "a-model"


def test_an_error_has_the_kind_of_its_status() -> None:
    assert error(529, "Overloaded")["error"] == {"type": "overloaded_error", "message": "Overloaded"}
    assert error(502, "no")["error"] == {"type": "api_error", "message": "no"}


def test_an_event_is_encoded_in_one_line_of_data() -> None:
    assert encoded({"type": "x", "text": "a\nb"}) == b'event: x\ndata: {"type": "x", "text": "a\\nb"}\n\n'
