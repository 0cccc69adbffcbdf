"""The wall in front of the console: who has not signed in gets the page to do so, and no byte of the rooms.

In this order it asks of each request: is it called by our name, does it come from our own page, is its visit
good, and for a write: does it bring the visit's token. Where one of them fails, it is refused and logged.
"""

import hmac
from enum import Enum, auto
from typing import Final, assert_never

from starlette.datastructures import Headers
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from legio import logs
from legio.console.access.doors import Door, Doors, at_home, passed_on
from legio.console.access.login import DOOR, VISIT
from legio.console.access.pauses import Quota
from legio.console.access.refusing import Denied, noted, refused
from legio.console.access.streams import Streams
from legio.console.access.visits import Visit, Visits
from legio.errors import LegioError
from legio.loopback import foreign, strictly

CSRF: Final = "legio.csrf"
"""Under this name the wall puts the visit's token into the scope."""
PROOF: Final = "x-legio-token"
READS: Final = frozenset({"GET", "HEAD"})
PAGE: Final = "/"
LOGIN: Final = "/login"
PROBES: Final = frozenset({"/healthz", "/readyz"})
FIGURES: Final = "/metrics"
ENTRANCES: Final = frozenset({"/login/link", "/login/code", "/login/telegram"})
FOR_ALL: Final = frozenset(
    {LOGIN, "/login/ways", "/static/login.js", "/static/login.css", "/static/page.css", "/static/icon.svg"}
)
"""What a stranger is given. Paths are compared as a whole, as the routes behind see them."""
UNAUTHORIZED: Final = 401
UNAVAILABLE: Final = 503
LONGEST_COOKIES: Final = 8192


class _Treatment(Enum):
    """What becomes of a request that was not refused."""

    OPEN = auto()
    WORDLESS = auto()
    STRANGER = auto()
    CAESAR = auto()


class Wall:
    """ASGI middleware around the whole console."""

    def __init__(self, app: ASGIApp, doors: Doors, visits: Visits, streams: Streams, quota: Quota) -> None:
        self._app = app
        self._doors = doors
        self._visits = visits
        self._streams = streams
        self._quota = quota

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request through the wall."""
        if scope["type"] != "http":  # nothing behind speaks anything else
            return
        send = strictly(send, "no-cache" if scope["path"].startswith("/static/") else "no-store")
        try:
            scope = await self._known(scope)
            treatment = self._judged(scope)
        except Denied as denied:
            await refused(scope, denied)(scope, receive, send)
        except LegioError as error:
            said = {"error": logs.redacted(str(error))}
            await JSONResponse(said, UNAVAILABLE)(scope, receive, send)
        else:
            await self._treat(treatment, scope, receive, send)

    async def _known(self, scope: Scope) -> Scope:
        """With the door one comes by, and the visit if there is one; raises `Denied` for a wrong name."""
        headers = Headers(scope=scope)
        door = self._doors.by(headers.get("host", ""))
        reason = foreign(headers, scope["path"], origin=self._doors.origin, linked=(PAGE, LOGIN))
        if door is None:
            raise Denied("host", reason)
        if reason:
            raise Denied("another site", reason)
        if not door.secure and not at_home(scope):
            raise Denied("host", "The names of this machine are for this machine.")
        visit = await self._visits.of(_cookie(headers, door.cookie))
        return {**scope, DOOR: door} | ({} if visit is None else {VISIT: visit, CSRF: visit.token})

    def _judged(self, scope: Scope) -> _Treatment:
        """What is to become of it; raises `Denied` for a write that may not be."""
        path = scope["path"]
        if scope["method"] not in READS:
            self._may_write(scope, scope[DOOR], scope.get(VISIT))
        if path in FOR_ALL | ENTRANCES or (path in PROBES | {FIGURES} and _homely(scope)):
            return _Treatment.OPEN
        if VISIT in scope:
            return _Treatment.CAESAR
        return _Treatment.WORDLESS if path in PROBES else _Treatment.STRANGER

    def _may_write(self, scope: Scope, door: Door, visit: Visit | None) -> None:
        headers = Headers(scope=scope)
        if headers.get("origin") != door.origin and headers.get("sec-fetch-site") != "same-origin":
            raise Denied("origin", "This does not come from the console's page.")
        if scope["path"] in ENTRANCES:
            if headers.get("content-type", "").partition(";")[0].strip() != "application/json":
                raise Denied("no JSON", "This is no way in.")
        elif visit is not None:
            if not hmac.compare_digest(headers.get(PROOF, "").encode(), visit.token.encode()):
                raise Denied("token", "This page is out of date.", remedy="Load it again.")
            wait = self._quota.take(visit.key)
            if wait > 0:
                raise Denied("pace", "This is too fast.", remedy="Wait a moment.", wait=wait)

    async def _treat(self, treatment: _Treatment, scope: Scope, receive: Receive, send: Send) -> None:
        match treatment:
            case _Treatment.OPEN:
                await self._app(scope, receive, send)
            case _Treatment.WORDLESS:
                await self._app(scope, receive, _wordless(send))
            case _Treatment.STRANGER:
                await _turned_away(scope)(scope, receive, send)
            case _Treatment.CAESAR:
                with self._streams.of(scope[VISIT].key, scope) as ending:
                    await self._app(ending, receive, send)
            case _:
                assert_never(treatment)


def _homely(scope: Scope) -> bool:
    """Whether a program of this machine asks, and no proxy for somebody else."""
    return not scope[DOOR].secure and not passed_on(Headers(scope=scope))


def _cookie(headers: Headers, name: str) -> str:
    """The cookie of that name; where another page of this machine has put one beside it, none is believed."""
    lines = headers.getlist("cookie")
    if sum(map(len, lines)) > LONGEST_COOKIES:
        return ""
    pairs = [each.strip().partition("=") for line in lines for each in line.split(";")]
    found = [value for key, _, value in pairs if key == name]
    return found[0] if len(found) == 1 else ""


def _turned_away(scope: Scope) -> Response:
    if scope["path"] == PAGE and scope["method"] in READS:
        return RedirectResponse(LOGIN, 303)  # a browser carries what stands behind the '#' along
    noted(scope, "not signed in")
    return JSONResponse({"error": "Sign in first."}, UNAUTHORIZED)


def _wordless(send: Send) -> Send:
    """`send` for a probe from elsewhere: whether all is well, and none of the words that say why not."""

    async def sent(message: Message) -> None:
        if message["type"] == "http.response.start":
            await send({**message, "headers": [(b"content-length", b"0")]})
        elif not message.get("more_body", False):
            await send({"type": "http.response.body", "body": b""})

    return sent
