"""What an agent may do with the memoria, as tools of its own.

Who an agent is stands in the closure and never in an argument: a centurio cannot name another's journal, and
nobody can write under another's name. Descriptions are read by a model: they say when, not only what.
"""

from collections.abc import Awaitable, Callable, Mapping
from html import escape

from legio.memoria.documents import PLURAL
from legio.memoria.results import PART_CHARACTERS, line, listing, reading
from legio.nuntius import LEGATUS
from legio.ports import Kind, Memoria, Tool

TITLE_CHARACTERS = 200
TEXT_CHARACTERS = 100_000

Arguments = Mapping[str, object]


def memoria_tools(memoria: Memoria, agent: str) -> tuple[Tool, ...]:
    """The tools of `agent`: everyone reads and publishes acta and keeps a journal, the Legatus orders too."""
    shelves = [_reading(memoria, kind) for kind in (Kind.EDICTUM, Kind.ACTUM)]
    orders = _ordering(memoria) if agent == LEGATUS else ()
    journal = _journal(memoria, agent)
    return (*shelves[0], *orders, *shelves[1], _publish_actum(memoria, agent), *journal)


# --- edicta and acta ----------------------------------------------------------------------------------

_WHAT = {
    Kind.EDICTUM: "edicta, the standing orders that everyone here obeys",
    Kind.ACTUM: "acta, the knowledge that all agents share",
}
_WHEN = {
    Kind.EDICTUM: "Use it when asked what the orders are, or when your instructions give only their names.",
    Kind.ACTUM: "Look here before you research or ask for something that may be known already.",
}


def _reading(memoria: Memoria, kind: Kind) -> tuple[Tool, ...]:
    async def shelf(arguments: Arguments) -> str:
        return listing(kind, memoria.list(kind), containing=_containing(arguments))

    async def document(arguments: Arguments) -> str:
        return reading(memoria.read(kind, _text(arguments, "name")), part=_part(arguments))

    plural = PLURAL[kind]
    return (
        _tool(
            f"list_{plural}",
            f"List the {_WHAT[kind]}: name, author, date and title, oldest first. {_WHEN[kind]}",
            shelf,
            optional=_LISTING,
        ),
        _tool(
            f"read_{kind}",
            f"Read the full text of one of the {plural} by the name that list_{plural} gives.",
            document,
            required=_NAMED,
            optional=_PART,
        ),
    )


def _ordering(memoria: Memoria) -> tuple[Tool, ...]:
    async def publish(arguments: Arguments) -> str:
        return _write(memoria, Kind.EDICTUM, arguments, author=LEGATUS)

    async def revoke(arguments: Arguments) -> str:
        document = memoria.revoke(_text(arguments, "name"), LEGATUS)
        return f"Revoked: {line(document)}\nIt is out of force from the next turn on; its file is kept."

    return (
        _tool(
            "publish_edictum",
            "Publish an edictum: a standing order that every agent is given before every turn. Use it only "
            "when Caesar lays down a lasting rule, never for facts (publish_actum) or for one task.",
            publish,
            required=_DRAFT,
        ),
        _tool(
            "revoke_edictum",
            "Take an edictum out of force by its name. Use it only when Caesar wants a rule to end; to "
            "change a rule, publish the new edictum and then revoke the old one.",
            revoke,
            required=_NAMED,
        ),
    )


def _publish_actum(memoria: Memoria, agent: str) -> Tool:
    async def publish(arguments: Arguments) -> str:
        return _write(memoria, Kind.ACTUM, arguments, author=agent)

    return _tool(
        "publish_actum",
        "Publish an actum under your name: a fact, decision or result that other agents will need later. "
        "One subject each, self-contained, with its source and date. Acta are never changed: publish a "
        "newer one that names the old. Private notes belong in write_commentarium.",
        publish,
        required=_DRAFT,
    )


# --- commentarii --------------------------------------------------------------------------------------


def _journal(memoria: Memoria, agent: str) -> tuple[Tool, ...]:
    whose = f"your commentarii{', or those of a centurio' if agent == LEGATUS else ''}"
    optional = _CENTURIO if agent == LEGATUS else {}

    def owner(arguments: Arguments) -> str:
        return str(arguments.get("centurio", agent)).lower() if agent == LEGATUS else agent

    async def shelf(arguments: Arguments) -> str:
        found = memoria.list(Kind.COMMENTARIUM, owner(arguments))
        return listing(Kind.COMMENTARIUM, found, containing=_containing(arguments))

    async def document(arguments: Arguments) -> str:
        found = memoria.read(Kind.COMMENTARIUM, _text(arguments, "name"), owner(arguments))
        return reading(found, part=_part(arguments))

    async def write(arguments: Arguments) -> str:
        return _write(memoria, Kind.COMMENTARIUM, arguments, author=agent, owner=agent)

    return (
        _tool(
            "list_commentarii",
            f"List {whose}: the private journal, oldest first. Look here when a task may go on from "
            "something noted in an earlier conversation.",
            shelf,
            optional={**_LISTING, **optional},
        ),
        _tool(
            "read_commentarium",
            f"Read the full text of one of {whose} by the name that list_commentarii gives.",
            document,
            required=_NAMED,
            optional={**_PART, **optional},
        ),
        _tool(
            "write_commentarium",
            "Add an entry to your private journal: what you want to know again when this conversation is "
            "forgotten, such as open points, dead ends, how Caesar likes things done. Entries stay as "
            "written. What others need as well belongs in publish_actum.",
            write,
            required=_DRAFT,
        ),
    )


def _write(memoria: Memoria, kind: Kind, arguments: Arguments, *, author: str, owner: str = "") -> str:
    document, warning = memoria.write(
        kind, title=_text(arguments, "title"), text=_text(arguments, "text"), author=author, owner=owner
    )
    written = f"Written: {line(document)}"
    return f"{written}\nWarning: {escape(warning)}" if warning else written


# --- arguments ----------------------------------------------------------------------------------------

_Properties = Mapping[str, Mapping[str, object]]

_NAMED: _Properties = {"name": {"type": "string", "maxLength": 64, "description": "The document's name."}}
_DRAFT: _Properties = {
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
_LISTING: _Properties = {
    "containing": {
        "type": "string",
        "maxLength": TITLE_CHARACTERS,
        "description": "Only documents whose title or text contains this, in any case.",
    }
}
_PART: _Properties = {
    "part": {
        "type": "integer",
        "minimum": 1,
        "description": f"Which {PART_CHARACTERS:,} characters of a long text; the first unless given.",
    }
}
_CENTURIO: _Properties = {
    "centurio": {
        "type": "string",
        "maxLength": 32,
        "description": "Whose journal; your own unless given.",
    }
}


def _tool(
    name: str,
    description: str,
    run: Callable[[Arguments], Awaitable[str]],
    *,
    required: _Properties | None = None,
    optional: _Properties | None = None,
) -> Tool:
    required = required or {}
    schema = {
        "type": "object",
        "properties": {**required, **(optional or {})},
        "required": list(required),
        "additionalProperties": False,
    }
    return Tool(name=name, description=description, schema=schema, run=run)


def _text(arguments: Arguments, key: str) -> str:
    return str(arguments[key])


def _containing(arguments: Arguments) -> str:
    return str(arguments.get("containing", ""))


def _part(arguments: Arguments) -> int:
    return int(str(arguments.get("part", 1)))
