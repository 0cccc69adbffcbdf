"""The page behind its wall, and three addresses on this machine, which say in plain words how Legio is."""

import asyncio
import contextlib
import os
import socket
from collections.abc import AsyncIterator
from dataclasses import replace

import httpx
import pytest
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp
from structlog.testing import capture_logs

from legio.console import Bounds, Console, Metrics, console, create_app
from legio.console.access import Access, Identity
from legio.console.metrics import CONTENT_TYPE
from legio.console.page import Room
from legio.errors import PraetoriumError
from legio.ports import Pulse, Reception, Vitals
from tests.clocks import FakeClock
from tests.console.access.rig import CAESAR, HIDDEN, PUBLIC, Browser
from tests.console.signs import WELL, StillVitals
from tests.fakes import MemorySettings
from tests.scenes import scene

LOCKED = PraetoriumError("another program holds the praetorium.", where="p.db")
TOKEN = "123456:" + "A" * 35


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port: int = taken.getsockname()[1]
    return port


def access() -> Access:
    return Access(MemorySettings(), FakeClock(), Identity(CAESAR, TOKEN), public_url=PUBLIC)


def shown_page(vitals: Vitals | None = None, *rooms: Room, look_seconds: float = 5.0) -> ASGIApp:
    shown = Console(vitals or StillVitals(), Metrics(), Bounds(100), look_seconds)
    return create_app(shown, rooms, access())


@contextlib.asynccontextmanager
async def before(app: ASGIApp) -> AsyncIterator[httpx.AsyncClient]:
    async with (
        console(app, host="127.0.0.1", port=free_port()) as url,
        httpx.AsyncClient(base_url=url, trust_env=False, verify=False) as client,
    ):
        yield client


@contextlib.asynccontextmanager
async def looking_at(vitals: Vitals, *, look_seconds: float = 5.0) -> AsyncIterator[httpx.AsyncClient]:
    async with before(shown_page(vitals, look_seconds=look_seconds)) as client:
        yield client


# --- how it is ------------------------------------------------------------------------------------------


@scene
async def test_a_legio_that_is_well_is_alive_and_ready() -> None:
    async with looking_at(StillVitals()) as client:
        alive, ready = await client.get("/healthz"), await client.get("/readyz")
    assert (alive.status_code, alive.json()) == (200, {"alive": True, "reasons": []})
    assert (ready.status_code, ready.json()) == (200, {"ready": True, "reasons": [], "pid": os.getpid()})


@scene
async def test_one_that_does_not_hear_is_alive_and_not_ready_and_shows_no_secret() -> None:
    deaf = replace(WELL, reception=Reception(deaf=f"Telegram does not know {TOKEN}."))
    async with looking_at(StillVitals(deaf)) as client:
        alive, ready = await client.get("/healthz"), await client.get("/readyz")
        metrics = await client.get("/metrics")
    assert alive.status_code == 200
    assert (ready.status_code, ready.json()["ready"]) == (503, False)
    assert ready.json()["reasons"] == ["Telegram does not know [redacted]."]
    assert "legio_ready 0.0" in metrics.text


@scene
async def test_one_whose_record_cannot_be_read_is_neither() -> None:
    async with looking_at(StillVitals(LOCKED)) as client:
        alive, ready = await client.get("/healthz"), await client.get("/readyz")
        metrics = await client.get("/metrics")
    said = "p.db: another program holds the praetorium."
    assert (alive.status_code, alive.json()) == (503, {"alive": False, "reasons": [said]})
    assert (ready.status_code, ready.json()["reasons"]) == (503, [said])
    assert (metrics.status_code, metrics.text) == (503, f"{said}\n")


@scene
async def test_a_record_that_does_not_answer_in_time_is_not_waited_for() -> None:
    class Hanging:
        async def pulse(self) -> Pulse:
            await asyncio.Event().wait()
            raise AssertionError

    async with looking_at(Hanging(), look_seconds=0.05) as client:
        alive = await client.get("/healthz")
    assert alive.json()["reasons"] == ["the record did not answer within 0.05 s."]


@scene
async def test_the_figures_come_in_prometheus_own_form() -> None:
    async with looking_at(StillVitals()) as client:
        metrics = await client.get("/metrics")
    assert (metrics.status_code, metrics.headers["content-type"]) == (200, CONTENT_TYPE)
    assert "# TYPE legio_turn_seconds histogram\n" in metrics.text


@pytest.mark.parametrize(
    "headers",
    [{"Host": "evil.example"}, {"Origin": "https://evil.example"}, {"Sec-Fetch-Site": "cross-site"}],
)
@scene
async def test_no_other_sites_page_may_look(headers: dict[str, str]) -> None:
    async with looking_at(StillVitals()) as client:
        assert (await client.get("/metrics", headers=headers)).status_code == 403


@scene
async def test_nothing_can_be_done_at_the_three_addresses() -> None:
    async with looking_at(StillVitals()) as client:
        own = {"Origin": str(client.base_url).rstrip("/")}
        answers = [await client.post(path, headers=own) for path in ("/healthz", "/readyz", "/metrics")]
    assert [answer.status_code for answer in answers] == [405, 405, 405]


# --- the page -------------------------------------------------------------------------------------------


async def _kept(_: Request) -> Response:
    return PlainTextResponse(HIDDEN)


ROOM = Room("secret", "Secret", "/static/rooms/now.js", [Route("/camp/secret/words", _kept)])


@scene
async def test_a_stranger_gets_the_page_to_sign_in_and_no_byte_of_a_room() -> None:
    async with before(shown_page(None, ROOM)) as client:
        page, login = await client.get("/"), await client.get("/login")
        refused = [await client.get(path) for path in ("/camp/secret/words", "/rooms", "/static/shell.js")]
    assert (page.status_code, page.headers["location"]) == (303, "/login")
    assert (login.status_code, login.headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert [answer.status_code for answer in refused] == [401, 401, 401]
    assert {answer.text for answer in refused} == {'{"error":"Sign in first."}'}


@scene
async def test_whoever_has_followed_the_link_is_in_the_rooms() -> None:
    way_in = access()
    app = create_app(Console(StillVitals(), Metrics(), Bounds(100)), [ROOM], way_in)
    async with before(app) as client:
        url = str(client.base_url).rstrip("/")
        caesar = Browser(client, url)
        assert (await caesar.opens(await way_in.link(url))).status_code == 200
        page, words = await caesar.get("/"), await caesar.get("/camp/secret/words")
        listed = (await caesar.get("/rooms")).json()
        after = await Browser(client, url).get("/camp/secret/words")
    assert (page.status_code, words.text, after.status_code) == (200, HIDDEN, 401)
    assert [room["name"] for room in listed["rooms"]] == ["secret"]
    assert listed["token"]


@scene
async def test_from_outside_a_probe_gets_no_words_and_the_figures_are_for_caesar() -> None:
    deaf = replace(WELL, reception=Reception(deaf="Nothing was heard."))
    transport = httpx.ASGITransport(shown_page(StillVitals(deaf)), client=("203.0.113.5", 40_000))
    async with httpx.AsyncClient(transport=transport, base_url=PUBLIC) as client:
        alive, ready, metrics = [await client.get(path) for path in ("/healthz", "/readyz", "/metrics")]
    assert [(answer.status_code, answer.text) for answer in (alive, ready)] == [(200, ""), (503, "")]
    assert metrics.status_code == 401


# --- where it is served ---------------------------------------------------------------------------------


@scene
async def test_port_0_serves_nothing() -> None:
    with capture_logs() as logs:
        async with console(shown_page(), host="127.0.0.1", port=0) as url:
            assert url == ""
    assert logs == []


@scene
async def test_a_port_that_is_taken_is_logged_and_stops_nothing() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken, capture_logs() as logs:
        async with console(shown_page(), host="127.0.0.1", port=taken.getsockname()[1]) as url:
            assert url == ""
    assert [(entry["event"], entry["remedy"]) for entry in logs] == [
        ("console.unserved", "Set [console] port.")
    ]


@scene
async def test_a_host_that_this_machine_has_not_is_logged_and_stops_nothing() -> None:
    with capture_logs() as logs:
        async with console(shown_page(), host="192.0.2.1", port=free_port()) as url:
            assert url == ""
    (entry,) = logs
    assert entry["event"] == "console.unserved"
    assert "192.0.2.1 is no address of this machine" in entry["error"]


@scene
async def test_it_is_served_no_longer_than_while_inside() -> None:
    async with console(shown_page(), host="127.0.0.1", port=free_port()) as url:
        assert httpx.URL(url).host == "127.0.0.1"
    async with httpx.AsyncClient(trust_env=False, verify=False) as client:
        with pytest.raises(httpx.ConnectError):
            await client.get(f"{url}/healthz")
