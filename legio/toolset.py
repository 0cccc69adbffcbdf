"""What the Legatus can do that no centurio can: look over the camp, recruit, dispatch, post and look back.

And what all can do: search the praetorium.
"""

from collections.abc import Mapping
from xml.sax.saxutils import escape, quoteattr

from legio import context
from legio.castra import centurio_name
from legio.decisions import Decisions
from legio.legatus import Legatus
from legio.nuntius import LEGATUS
from legio.ports import Nuntii, Search, Tool, takes
from legio.recruiting import Recruiting
from legio.roster import Roster

MOST_HISTORY = 200
FOUND = 8
MOST_FOUND = 30

NAME = {"type": "string", "description": "A centurio's name, without @.", "maxLength": 32}
TEXT = {"type": "string", "minLength": 1, "maxLength": 50_000}
QUERY = {
    "type": "string",
    "minLength": 1,
    "maxLength": 1000,
    "description": "Words, each of which counts; `@name` keeps to one sender, `since:2026-11-01` to what"
    " was said from that day on.",
}


def legatus_tools(
    legatus: Legatus, roster: Roster, nuntii: Nuntii, decisions: Decisions, recruiting: Recruiting
) -> tuple[Tool, ...]:
    """The Legatus's tools; each looks at the camp as it is when it is called."""
    return (
        _list_centuriones(legatus, roster),
        _create_centurio(recruiting),
        _remove_centurio(legatus, roster, decisions, recruiting),
        _dispatch_to_centurio(legatus),
        _post_nuntius(legatus),
        _get_history(nuntii),
    )


# --- who serves, who comes and who goes ------------------------------------------------------------------


def _list_centuriones(legatus: Legatus, roster: Roster) -> Tool:
    async def list_centuriones(_: Mapping[str, object]) -> str:
        described = {profile.name: profile.description for profile in roster.centuriones()}
        rows = [
            f"<centurio name={quoteattr(status.name)} state={quoteattr(status.state)}>"
            f"{escape(described.get(status.name, ''))}</centurio>"
            for status in legatus.status()
        ]
        broken = [f"<broken>{escape(sentence)}</broken>" for sentence in roster.broken()]
        return "\n".join(["<centuriones>", *rows, *broken, "</centuriones>"])

    return Tool(
        "list_centuriones",
        "Who serves in the legion, what each is for, and what each is doing now.",
        takes(),
        list_centuriones,
    )


def _create_centurio(recruiting: Recruiting) -> Tool:
    async def create_centurio(arguments: Mapping[str, object]) -> str:
        return await recruiting.create(str(arguments["name"]).lower(), str(arguments["specialization"]))

    return Tool(
        "create_centurio",
        "Recruit a new specialist from the blueprint. Only when Caesar wants one, or work of one kind"
        " keeps coming that nobody is for. `specialization` is one plain sentence: it becomes his"
        " description.",
        takes(name=NAME, specialization={"type": "string", "minLength": 3, "maxLength": 200}),
        create_centurio,
    )


def _remove_centurio(legatus: Legatus, roster: Roster, decisions: Decisions, recruiting: Recruiting) -> Tool:
    async def remove_centurio(arguments: Mapping[str, object]) -> str:
        name = roster.profile(centurio_name(str(arguments["name"]).lower())).name
        buttons = decisions.offer(recruiting.removal(name))
        await legatus.tell(f"The Legatus asks to remove {name}. His files are kept.", buttons)
        return f"Caesar has been asked whether {name} shall be removed; he decides by button. Go on."

    return Tool(
        "remove_centurio",
        "Ask Caesar to dismiss a centurio. He decides by button; his files are kept.",
        takes(name=NAME),
        remove_centurio,
    )


# --- what is said to centuriones, and what was said before -----------------------------------------------


def _dispatch_to_centurio(legatus: Legatus) -> Tool:
    async def dispatch_to_centurio(arguments: Mapping[str, object]) -> str:
        return await legatus.dispatches.ask(str(arguments["name"]).lower(), str(arguments["message"]))

    return Tool(
        "dispatch_to_centurio",
        "Give a centurio a task and wait for his final answer, which is the result. Say all that he"
        " needs: he sees this message and his own record, not your thoughts. Call it several times in"
        " one message to have several work at once.",
        takes(name=NAME, message=TEXT),
        dispatch_to_centurio,
        together=True,
    )


def _post_nuntius(legatus: Legatus) -> Tool:
    async def post_nuntius(arguments: Mapping[str, object]) -> str:
        names = arguments["audience"]
        audience = [str(name).lower() for name in names] if isinstance(names, list) else []
        posted = await legatus.dispatches.post(str(arguments["text"]), audience)
        return f"Posted as nuntius {posted.seq} to {', '.join(posted.audience)}."

    return Tool(
        "post_nuntius",
        "Put a message on the record for others to read at their next turn, without asking for an"
        ' answer. `audience` holds names, "caesar", or "all". Not for answering Caesar: your final text'
        " does that.",
        takes(
            text=TEXT,
            audience={"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": 40},
        ),
        post_nuntius,
    )


def _get_history(nuntii: Nuntii) -> Tool:
    async def get_history(arguments: Mapping[str, object]) -> str:
        found = await nuntii.latest(LEGATUS, _limit(arguments, 20))
        return context.praetorium(LEGATUS, found)

    return Tool(
        "get_history",
        "The last nuntii of the praetorium, oldest first, beyond what you have been given.",
        takes(optional=("limit",), limit={"type": "integer", "minimum": 1, "maximum": MOST_HISTORY}),
        get_history,
    )


# --- what every agent can do -----------------------------------------------------------------------------


def search_tools(search: Search, agent: str) -> tuple[Tool, ...]:
    """What every agent looks with for what was said; who he is stands here and in no argument."""

    async def search_praetorium(arguments: Mapping[str, object]) -> str:
        hits = await search.find(agent, str(arguments["query"]), limit=_limit(arguments, FOUND))
        found = [each.nuntius for each in hits.found]
        return f"{hits.total} found, the best {len(found)} of them first.\n{context.found(agent, found)}"

    return (
        Tool(
            "search_praetorium",
            "Look for what was said, by its words, beyond what you have been given: the whole record, as far"
            " as you may see it. Inflected words are found; other words for the same thing are not: add"
            " synonyms to the query. Use it before you say that you do not know what was said.",
            takes(
                optional=("limit",),
                query=QUERY,
                limit={"type": "integer", "minimum": 1, "maximum": MOST_FOUND},
            ),
            search_praetorium,
        ),
    )


def _limit(arguments: Mapping[str, object], otherwise: int) -> int:
    limit = arguments.get("limit", otherwise)
    return limit if isinstance(limit, int) else otherwise
