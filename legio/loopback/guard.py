"""The wall around a page on loopback: no other site's page may read or steer it, whatever name it goes by.

A browser lets any page send requests to this machine. What tells them apart is the Host they believe to talk
to (DNS rebinding), the Origin they come from, and what the browser itself says of it.
"""

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

HOSTS = frozenset({"127.0.0.1", "localhost", "[::1]"})
FOREIGN = frozenset({"cross-site", "same-site"})
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; media-src 'self'; "
        "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


class LoopbackGuard:
    """Refuses what comes from elsewhere with 403, and sets the headers that keep a browser strict."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request through the wall."""
        if reason := foreign(Headers(scope=scope), scope["path"]):
            await PlainTextResponse(f"{reason}\n", 403)(scope, receive, send)
            return

        async def send_strictly(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.update(HEADERS)
                headers.setdefault("Cache-Control", "no-cache")
            await send(message)

        await self._app(scope, receive, send_strictly)


def foreign(headers: Headers, path: str) -> str:
    """Why these headers are not our own page's, or an empty string. A link to `/` may stand anywhere."""
    host = headers.get("host", "")
    name, _, port = host.rpartition(":") if host[-1:] != "]" else (host, "", "")
    if (name if port.isdecimal() else host) not in HOSTS:
        return "This page answers to the names of this machine only."
    if headers.get("origin", f"http://{host}") != f"http://{host}":
        return "Another site's page may not call this one."
    if headers.get("sec-fetch-site") in FOREIGN and path != "/":
        return "Another site's page may not load this."
    return ""
