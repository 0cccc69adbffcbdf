"""A Messages API request as a value: what came over the wire, checked once and read many times.

As strict as the real API where a client could be wrong without noticing: roles, empty texts, tool calls
without their results and results without their calls. What the recruit makes of it is not this module's.
"""

import base64
import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import cast

from legio.errors import Refused
from legio.local.botapi.images import dimensions

ROLES = ("user", "assistant", "system")
"""`system` may stand among the messages too: newer clients send reminders that way."""

IMAGES = ("image/jpeg", "image/png", "image/gif", "image/webp")
IMAGE_BYTES = 5 * 1024 * 1024
IMAGE_SIDE = 8000
"""What the real API takes of an image; the bytes are those of the base64
(https://docs.anthropic.com/en/docs/build-with-claude/vision)."""

Json = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Text:
    """What a person, a client or a model wrote."""

    text: str


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call that the model made in an earlier answer."""

    id: str
    name: str
    arguments: Json


@dataclass(frozen=True, slots=True)
class Result:
    """What came of the call with the id `call`."""

    call: str
    text: str
    failed: bool


@dataclass(frozen=True, slots=True)
class Image:
    """A picture and its size in pixels."""

    media_type: str
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class Other:
    """A block whose content does not matter here: thinking, a document."""

    kind: str


Block = Text | Call | Result | Image | Other


@dataclass(frozen=True, slots=True)
class Message:
    """One message of the thread; a plain string on the wire is one text block."""

    role: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One request. `tools` holds the offered names as they are; `body` is the whole JSON as it came.

    `credential` is the key or bearer token it was sent with, or "".
    """

    model: str
    system: str
    tools: tuple[str, ...]
    messages: tuple[Message, ...]
    stream: bool
    body: Json = field(repr=False, compare=False)
    credential: str = field(default="", repr=False)

    @property
    def fingerprint(self) -> str:
        """The same for every try of one request, streamed or not; wherever the cache marks stand."""
        return hashlib.sha256(repr((self.model, self.system, self.messages)).encode()).hexdigest()


def read_request(body: object, *, credential: str = "") -> ModelRequest:
    """The request in `body`. Raises `Refused`, worded like the real API, when a client is wrong."""
    if not isinstance(body, dict):
        raise Refused("the body must be a JSON object.")
    model, messages = body.get("model"), body.get("messages")
    if not isinstance(model, str) or not model:
        raise Refused("model: Field required")
    if not isinstance(messages, list) or not messages:
        raise Refused("messages: at least one message is required")
    thread = tuple(_message(index, message) for index, message in enumerate(messages))
    _paired(thread)
    return ModelRequest(
        model=model,
        system=_joined(_blocks("system", body.get("system", ()))),
        tools=tuple(str(tool.get("name", "")) for tool in _objects("tools", body.get("tools", ()))),
        messages=thread,
        stream=body.get("stream") is True,
        body=body,
        credential=credential,
    )


def _message(index: int, message: object) -> Message:
    where = f"messages.{index}"
    if not isinstance(message, dict) or message.get("role") not in ROLES:
        raise Refused(f"{where}.role: Input should be 'user' or 'assistant'")
    if index == 0 and message["role"] == "assistant":
        raise Refused('messages: first message must use the "user" role')
    return Message(message["role"], _blocks(f"{where}.content", message.get("content")))


def _blocks(where: str, content: object) -> tuple[Block, ...]:
    if isinstance(content, str):
        return (Text(content),)
    return tuple(_block(f"{where}.{index}", block) for index, block in enumerate(_objects(where, content)))


def _block(where: str, block: Json) -> Block:
    match block.get("type"):
        case "text":
            return Text(_text(where, block.get("text")))
        case "tool_use":
            arguments = block.get("input")
            if not isinstance(arguments, dict):
                raise Refused(f"{where}.input: Input should be a valid dictionary")
            return Call(str(block.get("id")), str(block.get("name")), arguments)
        case "tool_result":
            text = _joined(_blocks(f"{where}.content", block.get("content", ())))
            return Result(str(block.get("tool_use_id")), text, block.get("is_error") is True)
        case "image":
            return _image(where, block.get("source"))
        case str(kind):
            return Other(kind)
        case _:
            raise Refused(f"{where}.type: Field required")


def _image(where: str, source: object) -> Image:
    """What the API would take: one of its kinds, whole in base64, not too large in bytes or pixels."""
    match source:
        case {"type": "base64", "media_type": str(kind), "data": str(data)} if kind in IMAGES:
            pass
        case _:
            raise Refused(f"{where}.source: Input should be a base64 image of {', '.join(IMAGES)}")
    if len(data) > IMAGE_BYTES:
        raise Refused(f"{where}: image exceeds 5 MB maximum: {len(data)} bytes > {IMAGE_BYTES} bytes")
    try:
        size = dimensions(base64.b64decode(data, validate=True))
    except ValueError:
        raise Refused(f"{where}.source.base64: Invalid base64 data") from None
    if size is None or 0 in size:
        raise Refused(f"{where}: Could not process image")
    if max(size) > IMAGE_SIDE:
        raise Refused(f"{where}: image dimensions exceed max allowed size: {IMAGE_SIDE} pixels")
    return Image(kind, *size)


def _text(where: str, text: object) -> str:
    if not isinstance(text, str):
        raise Refused(f"{where}.text: Input should be a valid string")
    if not text:
        raise Refused(f"{where}: text content blocks must be non-empty")
    return text


def _objects(where: str, value: object) -> Sequence[Json]:
    if not isinstance(value, list | tuple) or not all(isinstance(item, dict) for item in value):
        raise Refused(f"{where}: Input should be a valid list")
    return cast("Sequence[Json]", value)


def _paired(thread: Iterable[Message]) -> None:
    """Every tool call has its result in the next message that is not a reminder, and no result is alone."""
    awaited: set[str] = set()
    for message in thread:
        if message.role == "system":
            continue
        results = {block.call for block in message.blocks if isinstance(block, Result)}
        if awaited - results:
            raise Refused(
                f"`tool_use` ids were found without `tool_result` blocks: {_listed(awaited - results)}"
            )
        if results - awaited:
            raise Refused(
                f"unexpected `tool_use_id` found in `tool_result` blocks: {_listed(results - awaited)}"
            )
        awaited = {block.id for block in message.blocks if isinstance(block, Call)}
    if awaited:
        raise Refused(f"`tool_use` ids were found without `tool_result` blocks: {_listed(awaited)}")


def _listed(ids: set[str]) -> str:
    return ", ".join(sorted(ids))


def _joined(blocks: Iterable[Block]) -> str:
    return "\n".join(block.text for block in blocks if isinstance(block, Text))
