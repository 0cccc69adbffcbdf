"""The addresses of signing in and out. Each way in ends in a new cookie; one that was brought along is ended.

That the request comes from our own page has been seen to by the wall, as for every other.
"""

import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Final

from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import BaseRoute, Route

from legio.console.access.doors import Door
from legio.console.access.entering import Entering
from legio.console.access.refusing import Denied, refused
from legio.console.access.visits import LONGEST, Visits
from legio.console.wire import answering

PAGE: Final = Path(__file__).parents[1] / "static" / "login.html"
LONGEST_BODY: Final = 20_000
"""In bytes; Telegram's word is by far the longest, and less than half of it."""
DOOR, VISIT = "legio.door", "legio.visit"
"""Under these names the wall puts into the scope by which name one has come, and whose visit it is."""

Way = Callable[[str, str], Awaitable[None]]


def login_routes(visits: Visits, entering: Entering) -> list[BaseRoute]:
    """The page of strangers, the ways in, and the ways out."""

    async def page(_: Request) -> Response:
        return FileResponse(PAGE)

    async def ways(request: Request) -> Response:
        return JSONResponse({"code": entering.by_codes, "signed_in": VISIT in request.scope})

    def entrance(way: Way, field: str) -> Callable[[Request], Awaitable[Response]]:
        async def endpoint(request: Request) -> Response:
            try:
                client = request.client.host if request.client else ""
                await way(await _brought(request, field), client)
            except Denied as denied:
                return refused(request.scope, denied)
            await _leave(visits, request)
            return _signed_in(request.scope[DOOR], await visits.begin())

        return answering(endpoint)

    async def leave(request: Request) -> Response:
        await _leave(visits, request)
        return _signed_out(request.scope[DOOR])

    async def leave_everywhere(request: Request) -> Response:
        await visits.end_all()
        return _signed_out(request.scope[DOOR])

    return [
        Route("/login", page),
        Route("/login/ways", ways),
        Route("/login/link", entrance(entering.by_link, "token"), methods=["POST"]),
        Route("/login/code", entrance(entering.by_code, "code"), methods=["POST"]),
        Route("/login/telegram", entrance(entering.by_telegram, "data"), methods=["POST"]),
        Route("/logout", answering(leave), methods=["POST"]),
        Route("/logout/everywhere", answering(leave_everywhere), methods=["POST"]),
    ]


async def _leave(visits: Visits, request: Request) -> None:
    if VISIT in request.scope:
        await visits.end(request.scope[VISIT].key)


def _signed_in(door: Door, cookie: str) -> Response:
    response = JSONResponse({})
    age = int(LONGEST.total_seconds())
    response.set_cookie(
        door.cookie, cookie, max_age=age, path="/", secure=door.secure, httponly=True, samesite="strict"
    )
    return response


def _signed_out(door: Door) -> Response:
    response = JSONResponse({})
    response.delete_cookie(door.cookie, path="/", secure=door.secure, httponly=True, samesite="strict")
    return response


async def _brought(request: Request, field: str) -> str:
    """The text of that name in a small JSON object; raises `Denied` for anything else."""
    content = bytearray()
    async for chunk in request.stream():
        content += chunk
        if len(content) > LONGEST_BODY:
            raise Denied("body: too large", "This is too large.")
    try:
        given = json.loads(content)
    except (ValueError, RecursionError):
        given = None
    value = given.get(field) if isinstance(given, dict) else None
    if not isinstance(value, str):
        raise Denied("body: unreadable", "This is no way in.")
    return value
