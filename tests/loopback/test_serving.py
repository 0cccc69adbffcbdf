"""Served on loopback, inside the loop that runs, for as long as the block lasts."""

import asyncio
import signal
import socket

import httpx
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from legio.errors import LegioError
from legio.loopback import ENDING, base_url, serving
from tests.scenes import scene


async def ave(_: Request) -> Response:
    return PlainTextResponse("ave")


async def repeat(request: Request) -> Response:
    return PlainTextResponse(await request.body())


APP = Starlette(routes=[Route("/", ave), Route("/repeat", repeat, methods=["POST"])])


@scene
async def test_it_answers_on_this_machine_alone_while_inside() -> None:
    async with serving(APP) as url, httpx.AsyncClient(trust_env=False, verify=False) as client:
        assert (await client.get(url)).text == "ave"
        assert url.startswith("http://127.0.0.1:")
        with pytest.raises(httpx.ConnectError):
            await client.get(url.replace("127.0.0.1", "127.0.0.2"))
    async with httpx.AsyncClient(trust_env=False, verify=False) as client:
        with pytest.raises(httpx.ConnectError):
            await client.get(url)


@scene
async def test_the_port_may_be_chosen_and_one_that_is_taken_is_told_with_its_setting() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(LegioError, match=rf"\[here\] port: port {port} cannot be used"):
            async with serving(APP, port=port, setting="[here] port"):
                pass
    async with serving(APP, port=port) as url:
        assert url.endswith(f":{port}")


@scene
async def test_the_signals_stay_with_whoever_embeds_it() -> None:
    before = signal.getsignal(signal.SIGINT)
    async with serving(APP):
        await asyncio.sleep(0)
        assert signal.getsignal(signal.SIGINT) is before


@scene
async def test_a_client_that_leaves_in_the_middle_of_its_request_is_no_error(
    caplog: pytest.LogCaptureFixture,
) -> None:
    # A Legio that was killed while it sent left a traceback of 80 lines on the console of its server.
    async with serving(APP) as url:
        _, writer = await asyncio.open_connection("127.0.0.1", int(url.rpartition(":")[2]))
        writer.write(b"POST /repeat HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nhalf")
        await writer.drain()
        writer.close()
        await writer.wait_closed()
        async with httpx.AsyncClient(trust_env=False, verify=False) as client:
            assert (await client.post(f"{url}/repeat", content="whole")).text == "whole"
    assert not caplog.records


@scene
async def test_an_answer_without_an_end_is_told_when_the_server_is_about_to_stop() -> None:
    arrived = asyncio.Event()

    async def waiting(request: Request) -> Response:
        arrived.set()
        await request.scope[ENDING].wait()
        return PlainTextResponse("vale")

    app = Starlette(routes=[Route("/", waiting)])
    async with httpx.AsyncClient(trust_env=False, verify=False) as client:
        async with serving(app) as url:
            asked = asyncio.create_task(client.get(url), name="asked")
            await asyncio.wait_for(arrived.wait(), 10)
        assert (await asked).text == "vale"


@scene
async def test_what_a_proxy_says_of_the_client_is_not_believed() -> None:
    async def who(request: Request) -> Response:
        return PlainTextResponse(f"{request.client.host if request.client else ''} {request.url.scheme}")

    headers = {"X-Forwarded-For": "203.0.113.5", "X-Forwarded-Proto": "https"}
    async with (
        serving(Starlette(routes=[Route("/", who)])) as url,
        httpx.AsyncClient(trust_env=False, verify=False) as client,
    ):
        assert (await client.get(url, headers=headers)).text == "127.0.0.1 http"


@scene
async def test_it_listens_where_it_is_told_and_everywhere_is_found_on_loopback() -> None:
    async with httpx.AsyncClient(trust_env=False, verify=False) as client:
        async with serving(APP, host="127.0.0.2") as url:
            assert url.startswith("http://127.0.0.2:")
            assert (await client.get(url)).text == "ave"
        async with serving(APP, host="0.0.0.0") as url:
            assert url.startswith("http://127.0.0.1:")
            assert (await client.get(url)).text == "ave"
            assert (await client.get(url.replace("127.0.0.1", "127.0.0.2"))).text == "ave"


@scene
async def test_an_address_of_another_machine_is_told_with_its_setting() -> None:
    with pytest.raises(LegioError, match=r"\[here\] host: 192\.0\.2\.1 is no address of this machine"):
        async with serving(APP, host="192.0.2.1", setting="[here] host"):
            pass


@pytest.mark.parametrize(
    ("host", "url"),
    [
        ("127.0.0.1", "http://127.0.0.1:80"),
        ("10.0.0.5", "http://10.0.0.5:80"),
        ("0.0.0.0", "http://127.0.0.1:80"),
        ("::1", "http://[::1]:80"),
        ("::", "http://[::1]:80"),
    ],
)
def test_an_address_stands_in_a_url_as_it_has_to(host: str, url: str) -> None:
    assert base_url(host, 80) == url
