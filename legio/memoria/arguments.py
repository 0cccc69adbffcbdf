"""The arguments of the memoria's tools: their schemas, and how they are read.

Descriptions are read by a model: they say when, not only what.
"""

from collections.abc import Awaitable, Callable, Mapping

from legio.memoria.results import PART_CHARACTERS
from legio.ports import Tool, takes

TITLE_CHARACTERS = 200
TEXT_CHARACTERS = 100_000

Arguments = Mapping[str, object]

Properties = Mapping[str, Mapping[str, object]]

NAMED: Properties = {"name": {"type": "string", "maxLength": 64, "description": "The document's name."}}
DRAFT: Properties = {
    "title": {
        "type": "string",
        "minLength": 1,
        "maxLength": TITLE_CHARACTERS,
        "description": "One line that tells what it is about; the document is named after it.",
    },
    "text": {
        "type": "string",
        "minLength": 1,
        "maxLength": TEXT_CHARACTERS,
        "description": "The whole text, in Markdown or plain words.",
    },
}
LISTING: Properties = {
    "containing": {
        "type": "string",
        "maxLength": TITLE_CHARACTERS,
        "description": "Only documents whose title or text contains this, in any case.",
    }
}
PART: Properties = {
    "part": {
        "type": "integer",
        "minimum": 1,
        "description": f"Which {PART_CHARACTERS:,} characters of a long text; the first unless given.",
    }
}
CENTURIO: Properties = {
    "centurio": {
        "type": "string",
        "maxLength": 32,
        "description": "Whose journal; your own unless given.",
    }
}


def tool(
    name: str,
    description: str,
    run: Callable[[Arguments], Awaitable[str]],
    *,
    required: Properties | None = None,
    optional: Properties | None = None,
) -> Tool:
    """A tool whose schema takes these arguments and no others."""
    schema = takes(optional=tuple(optional or ()), **(required or {}), **(optional or {}))
    return Tool(name=name, description=description, schema=schema, run=run)


def text(arguments: Arguments, key: str) -> str:
    """An argument that the schema requires."""
    return str(arguments[key])


def containing(arguments: Arguments) -> str:
    """What a listing is searched for, "" for nothing."""
    return str(arguments.get("containing", ""))


def part(arguments: Arguments) -> int:
    """Which part of a long text is wanted, counted from 1."""
    return int(str(arguments.get("part", 1)))
