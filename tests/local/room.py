"""The chat as a room of a page, with the headers of the real one and without its wall."""

import contextlib
from collections.abc import AsyncIterator, Sequence

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.types import ASGIApp, Receive, Scope, Send

from legio.console import page
from legio.local.botapi.state import BotApiState
from legio.local.page import NAME, SCRIPT, STYLE, TITLE, People, page_routes
from legio.loopback import LoopbackGuard, serving

PROOF = "proof"
"""What the wall would have given to the page, so that its writes can prove where they come from."""


class Visited:
    """Middleware that says what the wall says of one who has signed in."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._app({**scope, "legio.csrf": PROOF}, receive, send)


def chat_room(state: BotApiState, people: People = tuple) -> page.Room:
    """The chat as a page takes it; `people` can be named with @."""
    return page.Room(NAME, TITLE, SCRIPT, page_routes(state, people), STYLE)


@contextlib.asynccontextmanager
async def chat_page(
    state: BotApiState, people: People = tuple, *, beside: Sequence[page.Room] = (), port: int = 0
) -> AsyncIterator[str]:
    """Serves the page on loopback, other rooms beside the chat's, and yields its base URL."""
    guards = [Middleware(LoopbackGuard), Middleware(Visited)]
    app = Starlette(routes=page.page_routes([chat_room(state, people), *beside]), middleware=guards)
    async with serving(app, port=port) as url:
        yield url
