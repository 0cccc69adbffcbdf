"""One room of the page alone on loopback, without the wall in front."""

import contextlib
from collections.abc import AsyncIterator

from starlette.applications import Starlette
from starlette.middleware import Middleware

from legio.console.page import Room, page_routes
from legio.loopback import LoopbackGuard, serving


@contextlib.asynccontextmanager
async def page_of(*rooms: Room) -> AsyncIterator[str]:
    """The address at which the page with these rooms is served while inside."""
    app = Starlette(routes=page_routes(rooms), middleware=[Middleware(LoopbackGuard)])
    async with serving(app) as url:
        yield url
