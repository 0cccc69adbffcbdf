"""One page with several rooms. A room is a part of the page with addresses and a script of its own.

Who may enter is not decided here, but by the wall in front (`access`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles

STATIC = Path(__file__).parent / "static"


@dataclass(frozen=True, slots=True)
class Room:
    """A part of the page: its name in addresses, its title, its script and style, and what it asks for.

    The script is an ES module that exports `open(main, kit)` and returns what closes the room again.
    """

    name: str
    title: str
    script: str
    routes: Sequence[BaseRoute]
    style: str = ""


def page_routes(rooms: Sequence[Room]) -> list[BaseRoute]:
    """The page itself, what it is made of, and the addresses of all its rooms."""

    async def index(_: Request) -> Response:
        return FileResponse(STATIC / "index.html")

    async def listed(request: Request) -> Response:
        shown = [
            {"name": room.name, "title": room.title, "script": room.script, "style": room.style}
            for room in rooms
        ]
        return JSONResponse({"rooms": shown, "token": request.scope.get("legio.csrf", "")})

    return [
        Route("/", index),
        Route("/rooms", listed),
        Mount("/static", StaticFiles(directory=STATIC)),
        *(route for room in rooms for route in room.routes),
    ]
