"""Server-sent events: what is told arrives, and no stream outlives its reader or its server."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable

import httpx
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from legio.console.streaming import Sent, streamed
from legio.loopback import serving
from tests.scenes import scene, until

Source = AsyncGenerator[Sent | None, None]


def app(source: Callable[[], Source]) -> Starlette:
    async def live(request: Request) -> Response:
        return streamed(request, source())

    return Starlette(routes=[Route("/live", live)])


@scene
async def test_events_arrive_in_order_with_their_ids_and_signs_of_life() -> None:
    async def source() -> Source:
        yield Sent("state", {"text": "two\nlines"}, id="7")
        yield None
        yield Sent("state", [1])

    async with serving(app(source)) as url, httpx.AsyncClient(trust_env=False, verify=False) as client:
        answer = await client.get(f"{url}/live")
    assert answer.headers["content-type"].startswith("text/event-stream")
    assert answer.headers["cache-control"] == "no-store"
    assert answer.text == (
        'retry: 1000\n\nid: 7\nevent: state\ndata: {"text": "two\\nlines"}\n\n'
        ": still here\n\nevent: state\ndata: [1]\n\n"
    )


class Endless:
    """A source that tells one thing and then nothing more, and knows whether it was closed."""

    def __init__(self) -> None:
        self.closed = 0

    async def tell(self) -> Source:
        try:
            yield Sent("state", {})
            await asyncio.Event().wait()
        finally:
            self.closed += 1


@scene
async def test_a_stream_ends_when_the_server_stops(caplog: pytest.LogCaptureFixture) -> None:
    # An open stream held the server up until it was cancelled, with an error in the log.
    told = Endless()
    async with httpx.AsyncClient(trust_env=False, verify=False) as client:
        async with serving(app(told.tell)) as url:
            answer = await client.send(client.build_request("GET", f"{url}/live"), stream=True)
            lines = answer.aiter_lines()
            while "event: state" not in await anext(lines):
                pass
        assert [line async for line in lines] == ["data: {}", ""]
    assert told.closed == 1
    assert [record.message for record in caplog.records if record.levelno >= logging.ERROR] == []


@scene
async def test_a_stream_is_closed_when_its_reader_leaves() -> None:
    told = Endless()
    async with serving(app(told.tell)) as url:
        async with (
            httpx.AsyncClient(trust_env=False, verify=False) as client,
            client.stream("GET", f"{url}/live") as answer,
        ):
            await anext(answer.aiter_lines())
        await until(lambda: told.closed == 1)


@scene
async def test_a_server_that_does_not_say_when_it_stops_serves_too() -> None:
    async def source() -> Source:
        yield Sent("state", {})

    transport = httpx.ASGITransport(app(source))
    async with httpx.AsyncClient(transport=transport, base_url="http://camp") as client:
        assert "event: state" in (await client.get("/live")).text
