"""What an agent is about to do with a tool of the CLI's, as Caesar is shown it before he allows it.

A command stands as it will run, a change of a file as `difference` shows it, anything else as its arguments.
It looks and changes nothing; whether it may be done is decided elsewhere.
"""

import json
from collections.abc import Mapping
from pathlib import Path

from legio.brevity import on_one_line
from legio.claude.difference import editing, writing
from legio.claude.scope import scope
from legio.claude.tools import plain_name
from legio.ports import Block, Brief, Request

LONGEST_LINE = 200


def proposal(brief: Brief, tool: str, arguments: Mapping[str, object]) -> Request:
    """The request that is put before Caesar. Reads the file that would be changed: not for the event loop."""
    text, block = _shown(tool, arguments, brief.workspace)
    key, covers = scope(tool, arguments)
    return Request(
        agent=brief.name,
        thread=brief.thread,
        tool=plain_name(tool),
        text=f"{brief.name} asks to {text}",
        block=block,
        scope=key,
        covers=covers,
    )


def _shown(tool: str, arguments: Mapping[str, object], workspace: Path) -> tuple[str, Block | None]:
    match tool, arguments:
        case "Bash" | "Monitor" | "PowerShell", {"command": str(command), **rest}:
            return _command(command, rest)
        case "Write", {"file_path": str(path), "content": str(content)}:
            return writing(path, content, workspace)
        case "Edit", {"file_path": str(path)}:
            return editing(path, [arguments], workspace)
        case "MultiEdit", {"file_path": str(path), "edits": list(edits)}:
            return editing(path, edits, workspace)
        case "SandboxNetworkAccess", {"host": str(host)}:
            return f"let a command reach {host}.", None
        case _:
            return f"use {plain_name(tool)}.", _listed(arguments)


def _command(command: str, rest: Mapping[str, object]) -> tuple[str, Block]:
    lines = ["run a command."]
    if rest.get("description"):
        lines.append(f"He says of it: {_line(rest['description'])}")
    lines += [f"{key}: {_line(value)}" for key, value in rest.items() if key != "description"]
    return "\n".join(lines), Block(command, "bash")


def _listed(arguments: Mapping[str, object]) -> Block | None:
    lines = [f"{key}: {_value(value)}" for key, value in arguments.items()]
    return Block("\n".join(lines)) if lines else None


def _line(value: object) -> str:
    """On one line, and a short one: what an agent says must not look like what Legio says."""
    return on_one_line(_value(value), LONGEST_LINE)


def _value(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
