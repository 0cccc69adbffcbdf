import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from legio.local.botapi.updates import UpdateQueue
from legio.local.botapi.webhook import ANSWER_SECONDS, SECRET_HEADER, Target, Webhook, target
from legio.local.botapi.wire import Refusal
from legio.loopback import serving
from tests.clocks import FakeClock, settled
from tests.scenes import scene, until


class Receiver:
    """A bot's webhook that answers with the statuses it was given, and 200 when they are used up."""

    def __init__(self, *statuses: int) -> None:
        self.received: list[tuple[Any, str | None]] = []
        self._statuses = list(statuses)

    async def take(self, request: Request) -> Response:
        self.received.append((await request.json(), request.headers.get(SECRET_HEADER)))
        return Response(status_code=self._statuses.pop(0) if self._statuses else 200)

    def served(self) -> contextlib.AbstractAsyncContextManager[str]:
        return serving(Starlette(routes=[Route("/hook", self.take, methods=["POST"])]))


@contextlib.asynccontextmanager
async def delivering(url: str, secret: str = "") -> AsyncIterator[tuple[Webhook, UpdateQueue, FakeClock]]:
    clock = FakeClock()
    updates = UpdateQueue(clock, 1)
    webhook = Webhook(updates, clock)
    await webhook.start(Target(url, secret))
    try:
        yield webhook, updates, clock
    finally:
        await webhook.stop()


@scene
async def test_updates_are_pushed_in_order_with_the_secret_and_end_when_taken() -> None:
    receiver = Receiver()
    async with receiver.served() as url, delivering(f"{url}/hook?a=b", "s-1") as (webhook, updates, _):
        sent = []
        for text in ("🦅", "two"):
            await settled()
            sent.append(updates.put("message", {"text": text}))
            await until(lambda: not updates.pending, what="the delivery")
        assert receiver.received == [(update, "s-1") for update in sent]
        assert webhook.info()["pending_update_count"] == 0
        assert webhook.active


@scene
async def test_a_refused_update_is_pushed_again_later_and_first() -> None:
    receiver = Receiver(500, 403)
    async with receiver.served() as url, delivering(f"{url}/hook") as (webhook, updates, clock):
        updates.put("message", {"text": "one"})
        updates.put("message", {"text": "two"})
        await until(lambda: clock.sleepers, what="the first pause")
        assert webhook.info()["last_error_message"] == "Wrong response from the webhook: 500"
        clock.advance(1)
        await until(lambda: clock.sleepers, what="the second pause, twice as long")
        clock.advance(1)
        await settled()
        assert len(receiver.received) == 2
        clock.advance(1)
        await until(lambda: not updates.pending, what="the delivery")
    assert [body["message"]["text"] for body, _ in receiver.received] == ["one", "one", "one", "two"]
    assert {secret for _, secret in receiver.received} == {None}


@scene
async def test_nobody_there_is_told_and_tried_again() -> None:
    async with Receiver().served() as url:
        pass
    async with delivering(f"{url}/hook") as (webhook, updates, clock):
        updates.put("message", {})
        updates.allow(["message"])
        await until(lambda: clock.sleepers, what="the pause")
        info = webhook.info()
        assert info["last_error_message"].startswith("Connection failed")
        assert info["allowed_updates"] == ["message"]
        assert (info["url"], info["pending_update_count"]) == (f"{url}/hook", 1)


async def _raw(answer: Callable[[asyncio.StreamWriter], Awaitable[None]]) -> asyncio.Server:
    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        await answer(writer)
        writer.close()

    return await asyncio.start_server(handle, "127.0.0.1", 0)


@scene
async def test_an_answer_that_is_no_http_counts_as_none() -> None:
    async def nonsense(writer: asyncio.StreamWriter) -> None:
        writer.write(b"hello\r\n")

    async with await _raw(nonsense) as server:
        port = server.sockets[0].getsockname()[1]
        async with delivering(f"http://127.0.0.1:{port}/") as (webhook, updates, clock):
            updates.put("message", {})
            await until(lambda: clock.sleepers, what="the pause")
            assert "it is no HTTP" in webhook.info()["last_error_message"]


@scene
async def test_a_bot_that_never_answers_is_given_up_in_the_end() -> None:
    gone = asyncio.Event()

    async def silence(_: asyncio.StreamWriter) -> None:
        await gone.wait()

    async with await _raw(silence) as server:
        port = server.sockets[0].getsockname()[1]
        clock = FakeClock()
        updates = UpdateQueue(clock, 1)
        webhook = Webhook(updates, clock, answer_seconds=0.05)
        await webhook.start(Target(f"http://127.0.0.1:{port}"))
        updates.put("message", {})
        await until(lambda: clock.sleepers, what="the pause")
        assert webhook.info()["last_error_message"] == "Read timeout expired"
        await webhook.stop()
        gone.set()
        await settled()
    assert ANSWER_SECONDS > 1


@scene
async def test_a_delivery_that_broke_by_a_fault_of_ours_says_so_in_the_end() -> None:
    class StoppedClock(FakeClock):
        async def sleep(self, seconds: float) -> None:
            raise RuntimeError(f"cannot sleep {seconds}")

    clock = StoppedClock()
    updates = UpdateQueue(clock, 1)
    webhook = Webhook(updates, clock)
    async with Receiver(500).served() as url:
        await webhook.start(Target(f"{url}/hook"))
        updates.put("message", {})
        await until(lambda: webhook.info().get("last_error_message"), what="the failure")
        await settled()
        with pytest.raises(RuntimeError, match="cannot sleep 1"):
            await webhook.stop()


@scene
async def test_another_target_takes_the_place_of_the_first_and_stopping_twice_is_well() -> None:
    first, second = Receiver(), Receiver()
    async with (
        first.served() as one,
        second.served() as other,
        delivering(f"{one}/hook") as (webhook, updates, _),
    ):
        await webhook.start(Target(f"{other}/hook"))
        updates.put("message", {})
        await until(lambda: second.received, what="the delivery")
        await webhook.stop()
        await webhook.stop()
        assert not webhook.active
        assert first.received == []
        assert webhook.info()["url"] == ""


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1:8/x", "http://localhost/", "http://[::1]:9/", "http://127.9.9.9/"]
)
def test_this_machine_is_a_target(url: str) -> None:
    assert target(url, "Aa0_-") == Target(url, "Aa0_-")


@pytest.mark.parametrize(
    "url",
    [
        "https://127.0.0.1/",
        "http://example.org/",
        "http://10.0.0.1/",
        "ftp://127.0.0.1/",
        "http://",
        "x",
        "http://127.0.0.1:99999/",
    ],
)
def test_nothing_else_is_a_target(url: str) -> None:
    with pytest.raises(Refusal, match="bad webhook"):
        target(url, "")


@pytest.mark.parametrize("secret", ["a b", "a" * 257, "ä", "a\r\nX: y"])
def test_a_secret_is_of_letters_digits_and_dashes(secret: str) -> None:
    with pytest.raises(Refusal, match="secret token contains unallowed characters"):
        target("http://127.0.0.1/", secret)
