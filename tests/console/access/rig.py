"""A page with one room behind the wall, over a real praetorium, and browsers of all kinds in front of it."""

import contextlib
import hashlib
import hmac
import json
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import httpx
import pyotp
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp
from structlog.testing import capture_logs

from legio.console.access import Access, Identity
from legio.console.page import Room, page_routes
from legio.console.streaming import Sent, streamed
from legio.loopback import serving
from legio.ports import Settings
from legio.praetorium import open_praetorium
from legio.totp import Authenticator
from tests.clocks import FakeClock

SECRET = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"
BOT = "123456:" + "A" * 35
CAESAR = 77
PUBLIC = "https://camp.example.org"
HIDDEN = "the legions march at dawn"
SCRIPT = """export async function open(main, kit) {
  main.textContent = (await kit.get("/camp/secret/words")).words;
  return () => {};
}
"""

Logs = list[Any]


@dataclass
class Browser:
    """Somebody in front of the page: what he calls it, and what he was given."""

    http: httpx.AsyncClient
    origin: str
    cookie: str = ""
    token: str = ""

    async def get(self, path: str, **headers: str) -> httpx.Response:
        return await self._asked("GET", path, headers)

    async def post(self, path: str, body: object = None, **headers: str) -> httpx.Response:
        given = {"Origin": self.origin, "X-Legio-Token": self.token} | _named(headers)
        return await self._asked("POST", path, given, json=body)

    async def signs_in(self, path: str, body: Mapping[str, str]) -> httpx.Response:
        """As the login page does it; what he is given he keeps."""
        answer = await self.post(path, body)
        if answer.status_code == 200:
            self.cookie = answer.headers["set-cookie"].partition(";")[0]
            self.token = (await self.get("/rooms")).json()["token"]
        return answer

    async def opens(self, link: str) -> httpx.Response:
        """Follow a one-time link."""
        return await self.signs_in("/login/link", {"token": link.partition("#")[2]})

    async def _asked(self, method: str, path: str, headers: Mapping[str, str], **more: Any) -> httpx.Response:
        answer = await self.http.request(method, path, headers=self._headers(headers), **more)
        self.http.cookies.clear()  # several browsers share one client
        return answer

    def _headers(self, given: Mapping[str, str]) -> dict[str, str]:
        headers = {"Host": self.origin.partition("//")[2], "Cookie": self.cookie} | _named(given)
        return {name: value for name, value in headers.items() if value}


@dataclass
class Site:
    """The page, who may enter it, and all that was logged."""

    access: Access
    app: ASGIApp
    url: str
    clock: FakeClock
    home: httpx.AsyncClient
    written: list[str] = field(default_factory=list)
    logs: Logs = field(default_factory=list)

    def browser(self) -> Browser:
        """One on this machine that nobody knows yet."""
        return Browser(self.home, self.url)

    async def signed_in(self) -> Browser:
        """One on this machine that has followed a link."""
        browser = self.browser()
        assert (await browser.opens(await self.access.link(self.url))).status_code == 200
        return browser

    @contextlib.asynccontextmanager
    async def afar(self, origin: str = PUBLIC, client: str = "203.0.113.5") -> AsyncIterator[Browser]:
        """One elsewhere, who calls the page by the name in `origin`."""
        transport = httpx.ASGITransport(self.app, client=(client, 40_000))
        async with httpx.AsyncClient(transport=transport, base_url=self.url) as http:
            yield Browser(http, origin)

    def code(self, steps: int = 0) -> str:
        return pyotp.TOTP(SECRET).at(self.clock.now(), counter_offset=steps)

    @property
    def wrong(self) -> str:
        """A number that is no code around now."""
        near = {self.code(steps) for steps in range(-5, 200)}
        return next(number for number in map(str, range(200_000, 200_300)) if number not in near)

    @property
    def reasons(self) -> list[str]:
        """Why somebody was refused, in order."""
        return [entry["reason"] for entry in self.logs if entry["event"] == "console.refused"]


@contextlib.asynccontextmanager
async def site(
    folder: Path,
    *,
    public_url: str | None = PUBLIC,
    codes: bool = True,
    clock: FakeClock | None = None,
    settings: Settings | None = None,
) -> AsyncIterator[Site]:
    clock = clock or FakeClock()
    written: list[str] = []
    async with open_praetorium(folder / "praetorium.db", clock) as praetorium:
        settings = settings or praetorium.settings
        authenticator = Authenticator(SECRET, settings, clock) if codes else None
        access = Access(settings, clock, Identity(CAESAR, BOT, authenticator), public_url=public_url)
        routes = [*page_routes([_room(written)]), *access.routes(), *_probes()]
        app = access.wall(Starlette(routes=routes))
        with capture_logs() as logs:
            async with (
                serving(app) as url,
                httpx.AsyncClient(base_url=url, trust_env=False, verify=False) as http,
            ):
                yield Site(access, app, url, clock, http, written, logs)


def _room(written: list[str]) -> Room:
    async def words(_: Request) -> Response:
        return JSONResponse({"words": HIDDEN})

    async def write(request: Request) -> Response:
        written.append((await request.body()).decode())
        return JSONResponse({})

    async def news() -> AsyncGenerator[Sent | None, None]:
        yield Sent("news", HIDDEN)
        while True:
            await FakeClock().sleep(1)  # whose hour never comes
            yield None

    async def follow(request: Request) -> Response:
        return streamed(request, news())

    async def script(_: Request) -> Response:
        return Response(SCRIPT, media_type="text/javascript")

    routes = [
        Route("/camp/secret/room.js", script),
        Route("/camp/secret/words", words),
        Route("/camp/secret/words", write, methods=["POST"]),
        Route("/camp/secret/news", follow),
    ]
    return Room("secret", "Secret", "/camp/secret/room.js", routes)


def _probes() -> list[BaseRoute]:
    def probe(text: str) -> Any:
        async def endpoint(_: Request) -> Response:
            return PlainTextResponse(text, 503)

        return endpoint

    return [Route(path, probe(HIDDEN)) for path in ("/healthz", "/readyz", "/metrics")]


def init_data(clock: FakeClock, *, token: str = BOT, user: object = CAESAR, age: float = 0.0) -> str:
    """What Telegram tells a Mini App, signed as its manual says."""
    fields = {
        "auth_date": str(int(clock.now().timestamp() - age)),
        "query_id": "AAHdF6IQAAAAAN0XohDhrOrc",
        "signature": "an_ed25519_one",
        "user": json.dumps({"id": user, "first_name": "Gaius", "language_code": "la"}),
    }
    return urlencode(fields | {"hash": hash_of(fields, token)})


def hash_of(fields: Mapping[str, str], token: str = BOT) -> str:
    key = hmac.new(b"WebAppData", token.encode(), hashlib.sha256).digest()
    checked = "\n".join(f"{name}={value}" for name, value in sorted(fields.items()))
    return hmac.new(key, checked.encode(), hashlib.sha256).hexdigest()


def _named(headers: Mapping[str, str]) -> dict[str, str]:
    """Headers as they are written, from names as Python writes them."""
    return {name.replace("_", "-").title(): value for name, value in headers.items()}
