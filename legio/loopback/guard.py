"""The wall around a page on loopback: no other site's page may read or steer it, whatever name it goes by.

A browser lets any page send requests to this machine. What tells them apart is the Host they believe to talk
to (DNS rebinding), the Origin they come from, and what the browser itself says of it.
"""

from collections.abc import Callable, Collection

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

        await self._app(scope, receive, strictly(send))


def strictly(send: Send, caching: str = "no-cache") -> Send:
    """`send`, for an answer that keeps the browser strict; `caching` where the answer does not say itself."""

    async def sent(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            headers.update(HEADERS)
            headers.setdefault("Cache-Control", caching)
        await send(message)

    return sent


def on_loopback(host: str) -> str | None:
    """The origin of a page that is called by this Host; None where it is no name of this machine."""
    name, _, port = host.rpartition(":") if host[-1:] != "]" else (host, "", "")
    return f"http://{host}" if (name if port.isdecimal() else host) in HOSTS else None


def foreign(
    headers: Headers,
    path: str,
    *,
    origin: Callable[[str], str | None] = on_loopback,
    linked: Collection[str] = ("/",),
) -> str:
    """Why these headers are not our own page's, or an empty string.

    `origin` gives the page's own origin for a Host, None for one it does not answer to. To the paths in
    `linked` a link may stand anywhere.
    """
    own = origin(headers.get("host", ""))
    if own is None:
        return "This page answers to the names of this machine only."
    if headers.get("origin", own) != own:
        return "Another site's page may not call this one."
    if headers.get("sec-fetch-site") in FOREIGN and path not in linked:
        return "Another site's page may not load this."
    return ""
