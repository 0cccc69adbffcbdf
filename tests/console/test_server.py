"""Three addresses on this machine, which say in plain words how Legio is."""

import asyncio
import contextlib
import os
import socket
from collections.abc import AsyncIterator
from dataclasses import replace

import httpx
import pytest
from structlog.testing import capture_logs

from legio.console import Bounds, Console, Metrics, console
from legio.console.metrics import CONTENT_TYPE
from legio.errors import PraetoriumError
from legio.ports import Pulse, Reception, Vitals
from tests.console.signs import WELL, StillVitals
from tests.scenes import scene

LOCKED = PraetoriumError("another program holds the praetorium.", where="p.db")
TOKEN = "123456:" + "A" * 35


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port: int = taken.getsockname()[1]
    return port


@contextlib.asynccontextmanager
async def looking_at(vitals: Vitals, *, look_seconds: float = 5.0) -> AsyncIterator[httpx.AsyncClient]:
    shown = Console(vitals, Metrics(), Bounds(100), look_seconds)
    async with (
        console(shown, port=free_port()) as url,
        httpx.AsyncClient(base_url=url, trust_env=False, verify=False) as client,
    ):
        yield client


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
async def test_nothing_can_be_done_here() -> None:
    async with looking_at(StillVitals()) as client:
        assert (await client.post("/healthz")).status_code == 405
        assert (await client.get("/")).status_code == 404


@scene
async def test_port_0_serves_nothing() -> None:
    async with console(Console(StillVitals(), Metrics(), Bounds(100)), port=0) as url:
        assert url == ""


@scene
async def test_a_port_that_is_taken_is_logged_and_stops_nothing() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken, capture_logs() as logs:
        shown = Console(StillVitals(), Metrics(), Bounds(100))
        async with console(shown, port=taken.getsockname()[1]) as url:
            assert url == ""
    assert [(entry["event"], entry["remedy"]) for entry in logs] == [
        ("console.unserved", "Set [console] port.")
    ]
