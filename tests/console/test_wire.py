"""What a request may bring to a room, and in which words it is refused."""

import contextlib
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone

import httpx
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.types import Message

from legio.console.wire import LARGEST_BODY, Handler, answering, body, moment, number, text
from legio.errors import CastraError, Refused
from tests.scenes import scene

TOKEN = "123456:" + "A" * 35
NO_JSON = "this is not JSON. Send one JSON object."
NO_OBJECT = "this is no JSON object. Send one JSON object."


@contextlib.asynccontextmanager
async def asking(handler: Handler) -> AsyncIterator[httpx.AsyncClient]:
    """A browser before that one handler."""
    app = Starlette(routes=[Route("/", answering(handler), methods=["GET", "POST"])])
    transport = httpx.ASGITransport(app)
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
        yield client


async def echoed(request: Request) -> object:
    return await body(request)


def asked(query: str) -> Request:
    return Request({"type": "http", "query_string": query.encode(), "headers": []})


# --- answers --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("result", [{"said": "ave"}, ["ave", 1], "ave", None])
@scene
async def test_what_json_can_hold_is_the_answer(result: object) -> None:
    async def handler(_: Request) -> object:
        return result

    async with asking(handler) as client:
        answer = await client.get("/")
    assert (answer.status_code, answer.json()) == (200, result)
    assert answer.headers["content-type"] == "application/json"


@scene
async def test_a_response_is_passed_on_as_it_is() -> None:
    async def handler(_: Request) -> object:
        return PlainTextResponse("a,b\n", 206, {"X-Of-The-Room": "yes"})

    async with asking(handler) as client:
        answer = await client.get("/")
    assert (answer.status_code, answer.text, answer.headers["x-of-the-room"]) == (206, "a,b\n", "yes")


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (Refused("there is no nemo.", remedy="Name somebody else."), "there is no nemo. Name somebody else."),
        (CastraError(f"cannot be sent by {TOKEN}.", where="a.md"), "a.md: cannot be sent by [redacted]."),
    ],
)
@scene
async def test_what_fails_is_said_in_the_errors_own_words_and_no_secret_with_it(
    error: Exception, said: str
) -> None:
    async def handler(_: Request) -> object:
        raise error

    async with asking(handler) as client:
        answer = await client.get("/")
    assert (answer.status_code, answer.json()) == (400, {"error": said})


@scene
async def test_a_fault_of_our_own_is_not_told_as_if_it_were_the_askers() -> None:
    async def handler(_: Request) -> object:
        raise KeyError("broken")

    async with asking(handler) as client:
        with pytest.raises(KeyError, match="broken"):
            await client.get("/")


# --- what is sent ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("sent", [{}, {"name": "vorenus", "deep": {"list": [1, None, "ß ⚔️"]}}])
@scene
async def test_an_object_is_read_whole(sent: Mapping[str, object]) -> None:
    async with asking(echoed) as client:
        answer = await client.post("/", json=sent)
    assert (answer.status_code, answer.json()) == (200, sent)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", NO_JSON),
        (b"name=vorenus", NO_JSON),
        (b'{"name": ', NO_JSON),
        (b'{"name": "\xff"}', NO_JSON),
        (b"[" * 100_000, NO_JSON),
        (b"9" * 5000, NO_JSON),
        (b'{"name": "\\ud800"}', NO_JSON),
        (b'{"\\udfff": 1}', NO_JSON),
        (b"[]", NO_OBJECT),
        (b'"vorenus"', NO_OBJECT),
        (b"null", NO_OBJECT),
    ],
    ids=[
        "nothing",
        "a form",
        "broken off",
        "no UTF-8",
        "too deep",
        "too long a number",
        "half a sign",
        "half a sign as a name",
        "a list",
        "a text",
        "null",
    ],
)
@scene
async def test_anything_else_is_refused(content: bytes, said: str) -> None:
    async with asking(echoed) as client:
        answer = await client.post("/", content=content)
    assert (answer.status_code, answer.json()) == (400, {"error": said})


@dataclass
class Sender:
    """Whoever sends chunk by chunk, and does not say before how many there will be."""

    chunk: bytes
    count: int
    asked: int = 0

    async def receive(self) -> Message:
        self.asked += 1
        return {"type": "http.request", "body": self.chunk, "more_body": self.asked < self.count}

    async def read(self) -> Mapping[str, object]:
        return await body(Request({"type": "http", "method": "POST"}, self.receive))


@scene
async def test_a_body_may_be_so_large() -> None:
    half = b'{"prompt":' + b" " * (LARGEST_BODY // 2 - 10)
    sent = [half, b'"ave"}'.rjust(LARGEST_BODY // 2)]

    async def receive() -> Message:
        return {"type": "http.request", "body": sent.pop(0), "more_body": bool(sent)}

    assert await body(Request({"type": "http", "method": "POST"}, receive)) == {"prompt": "ave"}


@scene
async def test_a_body_may_be_no_larger() -> None:
    with pytest.raises(Refused, match=r"this is too large\. Send 2,000,000 bytes at most\."):
        await Sender(b"{}".ljust(LARGEST_BODY + 1), count=1).read()


@scene
async def test_what_is_too_large_is_not_read_to_its_end() -> None:
    sender = Sender(b" " * (LARGEST_BODY // 2), count=1_000)
    with pytest.raises(Refused, match="this is too large"):
        await sender.read()
    assert sender.asked == 3


# --- its parts ------------------------------------------------------------------------------------------


def test_a_text_is_given_by_its_name_or_its_default() -> None:
    assert text({"name": "vorenus"}, "name") == "vorenus"
    assert text({"name": ""}, "name", "pullo") == ""
    assert text({}, "name", "pullo") == "pullo"


@pytest.mark.parametrize("given", [{}, {"name": None}, {"name": 7}, {"name": ["vorenus"]}])
def test_what_is_no_text_is_refused(given: Mapping[str, object]) -> None:
    with pytest.raises(Refused, match="'name' has to be a text"):
        text(given, "name")


def test_null_is_not_taken_for_the_default() -> None:
    with pytest.raises(Refused, match="'name' has to be a text"):
        text({"name": None}, "name", "pullo")


@pytest.mark.parametrize(
    ("query", "most", "meant"),
    [
        ("", None, 20),
        ("before=", None, 20),
        ("before=0", None, 0),
        ("before=007", None, 7),
        ("before=300", 200, 200),
        ("before=100", 200, 100),
        ("before=999999999999999999", None, 999_999_999_999_999_999),
    ],
)
def test_a_number_is_that_of_the_address_or_the_default(query: str, most: int | None, meant: int) -> None:
    assert number(asked(query), "before", 20, most=most) == meant


@pytest.mark.parametrize("raw", ["-1", "1.5", "1e3", "+1", "%201", "1_000", "٣", "²", "nan", "9" * 19])
def test_what_is_no_whole_number_or_too_long_for_the_record_is_refused(raw: str) -> None:
    with pytest.raises(Refused, match="'before' has to be a whole number"):
        number(asked(f"before={raw}"), "before", 20, most=200)


def test_an_instant_has_its_offset() -> None:
    assert moment(None) is None
    assert moment(datetime(2026, 11, 21, 8, 30, tzinfo=UTC)) == "2026-11-21T08:30:00+00:00"
    rome = timezone(timedelta(hours=1))
    assert moment(datetime(2026, 11, 21, 9, 30, tzinfo=rome)) == "2026-11-21T09:30:00+01:00"
