"""An answer as the Messages API sends it: server-sent events or one JSON object.

Pure: it says which events there are and in which order. When they are sent is the performance's business.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import ceil

from legio.local.model.script import Answer
from legio.local.model.usage import Weight, tokens

PIECE_CHARACTERS = 24
MAX_PIECES = 1000
"""A longer text is cut into larger pieces, so that no block takes more than so many events."""

ERROR_KINDS = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    529: "overloaded_error",
}
"""From the API's documentation of errors; every other status is an `api_error`."""

Event = dict[str, object]


@dataclass(frozen=True, slots=True)
class Envelope:
    """What an answer is sent in: a unique id (hexadecimal), the name of the model asked, the weight."""

    id: str
    model: str
    weight: Weight


def events(answer: Answer, envelope: Envelope) -> Iterator[Event]:
    """The whole stream, from `message_start` to `message_stop`."""
    shell = {**_shell(envelope), "content": [], "stop_reason": None, "usage": _usage(envelope.weight, 1)}
    yield {"type": "message_start", "message": shell}
    yield {"type": "ping"}
    for index, block in enumerate(_content(answer, envelope)):
        yield from _block_events(index, block)
    yield {
        "type": "message_delta",
        "delta": {"stop_reason": _stop_reason(answer), "stop_sequence": None},
        "usage": _usage(envelope.weight, _output_tokens(answer)),
    }
    yield {"type": "message_stop"}


def message(answer: Answer, envelope: Envelope) -> Event:
    """The same answer for a client that did not ask for a stream."""
    return {
        **_shell(envelope),
        "content": _content(answer, envelope),
        "stop_reason": _stop_reason(answer),
        "usage": _usage(envelope.weight, _output_tokens(answer)),
    }


def error(status: int, text: str) -> Event:
    """An error, as a body of its own or as the event that ends a stream."""
    kind = ERROR_KINDS.get(status, "api_error")
    return {"type": "error", "error": {"type": kind, "message": text}, "request_id": None}


def encoded(event: Event) -> bytes:
    """One server-sent event on the wire."""
    return f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode()


def _shell(envelope: Envelope) -> Event:
    return {
        "id": f"msg_{envelope.id}",
        "type": "message",
        "role": "assistant",
        "model": envelope.model,
        "stop_sequence": None,
    }


def _content(answer: Answer, envelope: Envelope) -> list[Event]:
    content: list[Event] = []
    if answer.thinking:
        content.append(
            {"type": "thinking", "thinking": answer.thinking, "signature": f"scripted{envelope.id}"}
        )
    if answer.text:
        content.append({"type": "text", "text": answer.text})
    for index, call in enumerate(answer.calls):
        name, arguments = call.name, dict(call.arguments)
        content.append(
            {"type": "tool_use", "id": f"toolu_{envelope.id}_{index}", "name": name, "input": arguments}
        )
    return content


def _block_events(index: int, block: Event) -> Iterator[Event]:
    """A block starts empty, grows by deltas and stops."""
    empty, deltas = _grown(block)
    yield {"type": "content_block_start", "index": index, "content_block": {**block, **empty}}
    for delta in deltas:
        yield {"type": "content_block_delta", "index": index, "delta": delta}
    yield {"type": "content_block_stop", "index": index}


def _grown(block: Event) -> tuple[Event, list[Event]]:
    """What a block starts without, and the deltas that make it whole."""
    match block["type"]:
        case "thinking":
            signed = {"type": "signature_delta", "signature": block["signature"]}
            deltas = [*_deltas("thinking_delta", "thinking", str(block["thinking"])), signed]
            return {"thinking": "", "signature": ""}, deltas
        case "text":
            return {"text": ""}, _deltas("text_delta", "text", str(block["text"]))
        case _:
            return {"input": {}}, _deltas("input_json_delta", "partial_json", json.dumps(block["input"]))


def _deltas(kind: str, key: str, text: str) -> list[Event]:
    size = max(PIECE_CHARACTERS, ceil(len(text) / MAX_PIECES))
    return [{"type": kind, key: text[start : start + size]} for start in range(0, len(text), size)]


def _stop_reason(answer: Answer) -> str:
    return "tool_use" if answer.calls else "end_turn"


def _output_tokens(answer: Answer) -> int:
    calls = "".join(call.name + json.dumps(dict(call.arguments)) for call in answer.calls)
    return tokens(answer.thinking + answer.text + calls)


def _usage(weight: Weight, output: int) -> Mapping[str, object]:
    return {
        "input_tokens": weight.fresh,
        "cache_read_input_tokens": weight.cache_read,
        "cache_creation_input_tokens": weight.cache_written,
        "cache_creation": {
            "ephemeral_5m_input_tokens": weight.cache_written,
            "ephemeral_1h_input_tokens": 0,
        },
        "output_tokens": output,
        "service_tier": "standard",
    }
