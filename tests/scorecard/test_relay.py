import asyncio
import contextlib
from collections.abc import AsyncIterator

import httpx
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from legio.loopback import serving
from tests.scenes import scene
from tests.scorecard.relay import Relay, relay


async def greet(_: Request) -> PlainTextResponse:
    return PlainTextResponse("ave")


@contextlib.asynccontextmanager
async def wire() -> AsyncIterator[tuple[Relay, httpx.AsyncClient]]:
    async with (
        serving(Starlette(routes=[Route("/", greet)])) as url,
        relay(url) as made,
        httpx.AsyncClient(base_url=made.url, trust_env=False, verify=False) as client,
    ):
        yield made, client


@scene
async def test_all_passes_while_the_wire_holds() -> None:
    async with wire() as (_, client):
        assert [(await client.get("/")).text for _ in range(2)] == ["ave", "ave"]


@scene
async def test_down_it_refuses_and_up_again_it_is_the_same_address() -> None:
    async with wire() as (made, client):
        await client.get("/")
        await made.down()
        with pytest.raises(httpx.TransportError):
            await client.get("/")  # on what was connected
        with pytest.raises(httpx.ConnectError):
            await client.get("/")
        await made.up()
        assert (await client.get("/")).text == "ave"


@scene
async def test_silent_it_takes_connections_and_nothing_comes_of_it_until_it_is_heard() -> None:
    async with wire() as (made, client):
        made.silent()
        waiting = asyncio.create_task(client.get("/"))
        with pytest.raises(httpx.ReadTimeout):
            await client.get("/", timeout=0.2)
        assert not waiting.done()
        made.heard()
        assert (await waiting).text == "ave"


@scene
async def test_forgotten_connections_stay_silent_while_new_ones_are_served() -> None:
    async with wire() as (made, client):
        await client.get("/")
        made.forget()
        with pytest.raises(httpx.ReadTimeout):
            await client.get("/", timeout=0.2)
        assert (await client.get("/")).text == "ave"


@scene
async def test_what_is_connected_can_be_reset() -> None:
    async with wire() as (made, client):
        made.silent()
        waiting = asyncio.create_task(client.get("/"))
        await asyncio.sleep(0.1)  # until it is connected
        made.reset()
        with pytest.raises(httpx.TransportError):
            await waiting
