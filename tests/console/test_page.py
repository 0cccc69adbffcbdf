"""The page and its rooms, without the wall in front."""

import contextlib
from collections.abc import AsyncIterator

import httpx
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from legio.console.access.wall import CSRF
from legio.console.page import STATIC, Room, page_routes
from tests.console.rig import page_of
from tests.scenes import scene


async def _words(request: Request) -> Response:
    return PlainTextResponse(f"the words of {request.path_params['who']}")


PLAIN = Room("plain", "Plain", "/static/rooms/plain.js", ())
TALKING = Room(
    "talking",
    'Talk & "more" <b>',
    "/static/rooms/talking.js",
    [Route("/camp/talking/{who}", _words)],
    style="/static/rooms/talking.css",
)
LISTED = [
    {"name": "plain", "title": "Plain", "script": "/static/rooms/plain.js", "style": ""},
    {
        "name": "talking",
        "title": 'Talk & "more" <b>',
        "script": "/static/rooms/talking.js",
        "style": "/static/rooms/talking.css",
    },
]


@contextlib.asynccontextmanager
async def before(*rooms: Room) -> AsyncIterator[httpx.AsyncClient]:
    """A browser before the page with these rooms."""
    async with (
        page_of(*rooms) as url,
        httpx.AsyncClient(base_url=url, trust_env=False, verify=False) as client,
    ):
        yield client


def let_in(app: ASGIApp, token: str) -> ASGIApp:
    """As the wall leaves the token of a visit in the scope."""

    async def entered(scope: Scope, receive: Receive, send: Send) -> None:
        await app({**scope, CSRF: token}, receive, send)

    return entered


@scene
async def test_the_rooms_are_listed_in_their_order_and_nothing_of_their_insides_with_them() -> None:
    async with before(PLAIN, TALKING) as client:
        answer = await client.get("/rooms")
    assert answer.json() == {"rooms": LISTED, "token": ""}


@scene
async def test_the_list_brings_the_token_of_whoever_asks() -> None:
    app = Starlette(routes=page_routes([PLAIN]))
    for token in ("his", "hers"):
        transport = httpx.ASGITransport(let_in(app, token))
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
            assert (await client.get("/rooms")).json()["token"] == token


@scene
async def test_a_rooms_addresses_are_the_pages() -> None:
    async with before(PLAIN, TALKING) as client:
        words, none = await client.get("/camp/talking/pullo"), await client.get("/camp/plain/pullo")
    assert (words.status_code, words.text) == (200, "the words of pullo")
    assert none.status_code == 404


@scene
async def test_a_page_without_rooms_is_a_page() -> None:
    async with before() as client:
        assert (await client.get("/rooms")).json() == {"rooms": [], "token": ""}
        assert (await client.get("/")).status_code == 200


@pytest.mark.parametrize(
    ("path", "file", "kind"),
    [
        ("/", "index.html", "text/html"),
        ("/static/shell.js", "shell.js", "text/javascript"),
        ("/static/kit.js", "kit.js", "text/javascript"),
        ("/static/page.css", "page.css", "text/css"),
        ("/static/icon.svg", "icon.svg", "image/svg+xml"),
        ("/static/rooms/now.js", "rooms/now.js", "text/javascript"),
    ],
)
@scene
async def test_what_the_page_is_made_of_is_served_as_what_it_is(path: str, file: str, kind: str) -> None:
    async with before(PLAIN) as client:
        answer = await client.get(path)
    assert (answer.status_code, answer.content) == (200, (STATIC / file).read_bytes())
    assert answer.headers["content-type"].partition(";")[0] == kind


@pytest.mark.parametrize(
    "path",
    [
        "/static/",
        "/static/rooms",
        "/static/nothing.js",
        "/static/%2e%2e/page.py",
        "/static/..%2fpage.py",
        "/static/rooms/%2e%2e/%2e%2e/page.py",
        "/static/..%2f..%2f..%2flegio.toml",
        "/static/..%5cpage.py",
        "/static//etc/passwd",
        "/static/%2fetc%2fpasswd",
    ],
)
@scene
async def test_nothing_else_of_this_machine_is_served(path: str) -> None:
    async with before(PLAIN) as client:
        assert (await client.get(path)).status_code == 404


@scene
async def test_the_page_is_only_read() -> None:
    async with before(PLAIN) as client:
        answers = [await client.post(path) for path in ("/", "/rooms", "/static/kit.js")]
    assert [answer.status_code for answer in answers] == [405, 405, 405]
