"""The feed's room alone, over a record of its own, and what stands in it."""

import contextlib
from collections.abc import AsyncIterator
from pathlib import Path

from starlette.applications import Starlette
from starlette.middleware import Middleware

from legio.clock import SystemClock
from legio.console.page import page_routes
from legio.console.rooms.feed import feed_room
from legio.loopback import LoopbackGuard, serving
from legio.ports import Entry, EntryKind
from legio.praetorium import Praetorium
from tests.praetorium.record import START, praetorium_in


@contextlib.asynccontextmanager
async def served(folder: Path, port: int = 0) -> AsyncIterator[tuple[str, Praetorium]]:
    """The page with this one room over the record in that folder."""
    async with praetorium_in(folder) as praetorium:
        room = feed_room(praetorium.feed, SystemClock(), lambda: ("legatus", "pullo", "vorenus"))
        app = Starlette(routes=page_routes([room]), middleware=[Middleware(LoopbackGuard)])
        async with serving(app, port=port) as url:
            yield url, praetorium


def steps(*texts: str, agent: str = "pullo", kind: EntryKind = EntryKind.EVENT) -> list[Entry]:
    return [Entry(kind, agent, text, START) for text in texts]
