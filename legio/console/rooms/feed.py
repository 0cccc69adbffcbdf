"""The feed: what happens in the legion, page by page from the newest back, and live from any entry on.

Whoever comes again brings the id of the last entry that he saw, and is told all that he missed.
"""

from collections.abc import AsyncGenerator, Callable, Sequence

import structlog
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from legio.brevity import cut
from legio.console.page import Room
from legio.console.streaming import HEARTBEAT_SECONDS, Sent, streamed
from legio.console.wire import LARGEST_PAGE, answering, moment, number
from legio.errors import LegioError
from legio.logs import redacted
from legio.ports import Clock, Entry, EntryKind, Feed

log = structlog.get_logger()

LOOK_SECONDS = 0.3
"""How often it is looked for something new while somebody follows."""
SHOWN_CHARACTERS = 1600
"""Of a text: less than the feed gives, so that no secret is cut in two."""

_TOOLS = frozenset({EntryKind.TOOL, EntryKind.TOOL_SUCCESS, EntryKind.TOOL_ERROR})


def feed_room(
    feed: Feed,
    clock: Clock,
    names: Callable[[], Sequence[str]],
    clean: Callable[[str], str] = redacted,
) -> Room:
    """The room over `feed`; `names` are the agents whom it can be narrowed to, `clean` takes secrets out."""

    async def entries(request: Request) -> object:
        agent, limit = _agent(request), number(request, "limit", 100, most=LARGEST_PAGE)
        if after := number(request, "after", 0):
            found = await feed.since(after, limit, agent=agent)
        else:
            found = await feed.before(number(request, "before", 0) or None, limit, agent=agent)
        return {"entries": [_wire(entry, clean) for entry in found], "agents": list(names())}

    async def live(request: Request) -> Response:
        return streamed(request, _following(feed, clock, _place(request), _agent(request), clean))

    return Room(
        name="feed",
        title="Feed",
        script="/static/rooms/feed.js",
        style="/static/rooms/feed.css",
        routes=[
            Route("/camp/feed/entries", answering(entries)),
            Route("/camp/feed/live", answering(live)),
        ],
    )


def _agent(request: Request) -> str | None:
    return request.query_params.get("agent") or None


def _place(request: Request) -> int:
    """The id of the last entry that was seen: a browser that comes again says it in a header of its own."""
    said = request.headers.get("last-event-id", "")
    known = said.isascii() and said.isdecimal() and len(said) < 19
    return int(said) if known else number(request, "after", 0)


async def _following(
    feed: Feed, clock: Clock, after: int, agent: str | None, clean: Callable[[str], str]
) -> AsyncGenerator[Sent | None, None]:
    """The entries after that one, as they come; None now and then.

    Begins with "reset" where no such entry was ever given: the record is an older one than the page has seen.
    """
    try:
        if after > (last := await feed.last()):
            after = last
            yield Sent("reset", {})
        told = clock.monotonic()
        while True:
            found = await feed.since(after, LARGEST_PAGE, agent=agent)
            for entry in found:
                yield Sent("entry", _wire(entry, clean), str(entry.id))
                after = entry.id
            if found:
                told = clock.monotonic()
            elif clock.monotonic() - told >= HEARTBEAT_SECONDS:
                told = clock.monotonic()
                yield None
            if len(found) < LARGEST_PAGE:
                await clock.sleep(LOOK_SECONDS)
    except LegioError as error:  # the reader comes again, and goes on where he stood
        log.warning("feed.unreadable", error=str(error))


def _wire(entry: Entry, clean: Callable[[str], str]) -> dict[str, object]:
    tool, text = "", clean(entry.text)
    if entry.kind in _TOOLS:
        tool, _, text = text.partition("\n")
    return {
        "id": entry.id,
        "at": moment(entry.at),
        "kind": entry.kind.value,
        "agent": entry.agent,
        "sender": entry.sender,
        "tool": tool,
        "text": cut(text, SHOWN_CHARACTERS),
        "nuntius": entry.nuntius,
        "turn": entry.turn,
    }
