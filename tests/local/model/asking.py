"""How the tests of the model server write a thread: one line for each thing that was said or done."""

from collections.abc import Mapping

from legio.local.model.conversation import Conversation, read_conversation
from legio.local.model.request import ModelRequest, read_request
from legio.local.model.script import Script

Json = Mapping[str, object]

SYSTEM = '<agent name="vorenus"/>\n\nYou are a centurio.'


def user(*texts: str) -> Json:
    return {"role": "user", "content": [{"type": "text", "text": text} for text in texts]}


def assistant(text: str) -> Json:
    return {"role": "assistant", "content": text}


def calls(*names: str, **arguments: object) -> Json:
    blocks = [
        {"type": "tool_use", "id": f"call_{name}", "name": f"mcp__legio__{name}", "input": arguments}
        for name in names
    ]
    return {"role": "assistant", "content": blocks}


def results(*, failed: bool = False, **texts: str) -> Json:
    blocks = [
        {"type": "tool_result", "tool_use_id": f"call_{name}", "content": text, "is_error": failed}
        for name, text in texts.items()
    ]
    return {"role": "user", "content": blocks}


def body(*messages: Json, tools: tuple[str, ...] = (), **more: object) -> dict[str, object]:
    offered = [{"name": f"mcp__legio__{name}", "input_schema": {"type": "object"}} for name in tools]
    return {
        "model": "m",
        "max_tokens": 100,
        "system": SYSTEM,
        "tools": offered,
        "messages": [*messages],
        **more,
    }


def asking(*messages: Json, tools: tuple[str, ...] = ()) -> ModelRequest:
    return read_request(body(*messages, tools=tools))


def conversation(*messages: Json, tools: tuple[str, ...] = ()) -> Conversation:
    return read_conversation(asking(*messages, tools=tools))


def text_of(script: Script) -> str:
    return getattr(script, "text", "")
