"""What an agent may do with the memoria, as tools of its own.

Who an agent is stands in the closure and never in an argument: a centurio cannot name another's journal, and
nobody can write under another's name. Descriptions are read by a model: they say when, not only what.
"""

from html import escape

from legio.errors import Refused
from legio.memoria.arguments import (
    CENTURIO,
    DRAFT,
    LISTING,
    NAMED,
    PART,
    Arguments,
    containing,
    part,
    text,
    tool,
)
from legio.memoria.documents import PLURAL
from legio.memoria.ordering import ordering
from legio.memoria.results import line, listing, reading
from legio.nuntius import LEGATUS
from legio.ports import Kind, Memoria, Order, Sanction, Tool


async def nobody(_: Order) -> str:
    """The `Sanction` where there is nobody to ask."""
    raise Refused("nobody is there who could allow it.")


def memoria_tools(memoria: Memoria, agent: str, sanction: Sanction = nobody) -> tuple[Tool, ...]:
    """The tools of `agent`: everyone reads and publishes acta and keeps a journal, the Legatus orders too.

    An order of his takes effect at Caesar's word, which `sanction` asks for.
    """
    shelves = [_reading(memoria, kind) for kind in (Kind.EDICTUM, Kind.ACTUM)]
    orders = ordering(memoria, sanction) if agent == LEGATUS else ()
    acta = (*shelves[1], _publish_actum(memoria, agent))
    journal = (*_journals(memoria, agent), _write_commentarium(memoria, agent))
    return (*shelves[0], *orders, *acta, *journal)


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
        return listing(kind, memoria.list(kind), containing=containing(arguments))

    async def document(arguments: Arguments) -> str:
        return reading(memoria.read(kind, text(arguments, "name")), part=part(arguments))

    plural = PLURAL[kind]
    return (
        tool(
            f"list_{plural}",
            f"List the {_WHAT[kind]}: name, author, date and title, oldest first. {_WHEN[kind]}",
            shelf,
            optional=LISTING,
        ),
        tool(
            f"read_{kind}",
            f"Read the full text of one of the {plural} by the name that list_{plural} gives.",
            document,
            required=NAMED,
            optional=PART,
        ),
    )


def _publish_actum(memoria: Memoria, agent: str) -> Tool:
    async def publish(arguments: Arguments) -> str:
        return _write(memoria, Kind.ACTUM, arguments, author=agent)

    return tool(
        "publish_actum",
        "Publish an actum under your name: a fact, decision or result that other agents will need later. "
        "One subject each, self-contained, with its source and date. Acta are never changed: publish a "
        "newer one that names the old. Private notes belong in write_commentarium.",
        publish,
        required=DRAFT,
    )


# --- commentarii --------------------------------------------------------------------------------------


def _journals(memoria: Memoria, agent: str) -> tuple[Tool, ...]:
    whose = f"your commentarii{', or those of a centurio' if agent == LEGATUS else ''}"
    optional = CENTURIO if agent == LEGATUS else {}

    def owner(arguments: Arguments) -> str:
        return str(arguments.get("centurio", agent)).lower() if agent == LEGATUS else agent

    async def shelf(arguments: Arguments) -> str:
        found = memoria.list(Kind.COMMENTARIUM, owner(arguments))
        return listing(Kind.COMMENTARIUM, found, containing=containing(arguments))

    async def document(arguments: Arguments) -> str:
        found = memoria.read(Kind.COMMENTARIUM, text(arguments, "name"), owner(arguments))
        return reading(found, part=part(arguments))

    return (
        tool(
            "list_commentarii",
            f"List {whose}: the private journal, oldest first. Look here when a task may go on from "
            "something noted in an earlier conversation.",
            shelf,
            optional={**LISTING, **optional},
        ),
        tool(
            "read_commentarium",
            f"Read the full text of one of {whose} by the name that list_commentarii gives.",
            document,
            required=NAMED,
            optional={**PART, **optional},
        ),
    )


def _write_commentarium(memoria: Memoria, agent: str) -> Tool:
    async def write(arguments: Arguments) -> str:
        return _write(memoria, Kind.COMMENTARIUM, arguments, author=agent, owner=agent)

    return tool(
        "write_commentarium",
        "Add an entry to your private journal: what you want to know again when this conversation is "
        "forgotten, such as open points, dead ends, how Caesar likes things done. Entries stay as "
        "written. What others need as well belongs in publish_actum.",
        write,
        required=DRAFT,
    )


def _write(memoria: Memoria, kind: Kind, arguments: Arguments, *, author: str, owner: str = "") -> str:
    document, warning = memoria.write(
        kind, title=text(arguments, "title"), text=text(arguments, "text"), author=author, owner=owner
    )
    written = f"Written: {line(document)}"
    return f"{written}\nWarning: {escape(warning)}" if warning else written
