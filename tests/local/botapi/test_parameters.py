from typing import Any

import httpx
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from legio.local.botapi.parameters import BODY_BYTES, Parameters, read
from legio.local.botapi.wire import Refusal
from tests.scenes import scene


async def _echo(request: Request) -> Response:
    try:
        parameters = await read(request)
    except Refusal as refusal:
        return JSONResponse(refusal.description, refusal.code)
    uploads = {name: [upload.name, upload.data.decode()] for name, upload in parameters.uploads.items()}
    return JSONResponse({"values": dict(parameters.values), "uploads": uploads})


async def echoed(method: str = "POST", **request: Any) -> Any:
    """What the server reads from one request: its values and uploads, or its refusal."""
    app = Starlette(routes=[Route("/", _echo, methods=["GET", "POST"])])
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://a") as client:
        return (await client.request(method, "/", **request)).json()


@scene
async def test_query_json_and_form_are_one() -> None:
    expected = {"values": {"text": "a"}, "uploads": {}}
    assert await echoed("GET", params={"text": "a"}) == expected
    assert await echoed(json={"text": "a"}) == expected
    assert await echoed(data={"text": "a"}) == expected


@scene
async def test_the_body_wins_over_the_query() -> None:
    assert (await echoed(params={"text": "a", "x": "1"}, json={"text": "b"}))["values"] == {
        "text": "b",
        "x": "1",
    }


@scene
async def test_a_multipart_body_brings_its_files() -> None:
    answer = await echoed(data={"text": "a"}, files={"document": ("plan.txt", b"abc")})
    assert answer == {"values": {"text": "a"}, "uploads": {"document": ["plan.txt", "abc"]}}


@scene
async def test_an_empty_json_body_and_an_unknown_type_are_no_arguments() -> None:
    assert (await echoed(headers={"Content-Type": "application/json"}))["values"] == {}
    assert (await echoed(content="hello", headers={"Content-Type": "text/plain"}))["values"] == {}


@scene
async def test_a_body_that_cannot_be_read_is_refused() -> None:
    json = {"Content-Type": "application/json"}
    assert "can't parse JSON" in await echoed(content="{", headers=json)
    assert "can't parse JSON" in await echoed(content="[1]", headers=json)
    multipart = {"Content-Type": "multipart/form-data"}
    assert "can't parse multipart" in await echoed(content="x", headers=multipart)


@scene
async def test_too_large_a_body_is_refused() -> None:
    huge = {"Content-Type": "application/json", "Content-Length": str(BODY_BYTES * 2)}
    assert await echoed(content=b"{}", headers=huge) == "Request Entity Too Large"
    half_a_megabyte_over = b"x" * (BODY_BYTES + 500_000)
    assert await echoed(files={"document": half_a_megabyte_over}) == "Request Entity Too Large"


def test_numbers_come_from_numbers_and_from_their_digits() -> None:
    given = Parameters({"a": 5, "b": "-6", "c": "", "d": None})
    assert [given.integer(name, 9) for name in "abcde"] == [5, -6, 9, 9, 9]


@pytest.mark.parametrize("value", ["x", "1.5", True, {"a": 1}])
def test_what_is_no_number_is_refused(value: object) -> None:
    with pytest.raises(Refusal, match="invalid limit specified"):
        Parameters({"limit": value}).integer("limit")


def test_flags_are_true_in_json_and_in_forms() -> None:
    given = Parameters({"a": True, "b": "true", "c": "1", "d": False, "e": "no"})
    assert [given.flag(name) for name in "abcdef"] == [True, True, True, False, False, False]


def test_objects_and_arrays_come_as_such_or_as_json_text() -> None:
    given = Parameters({"a": {"x": 1}, "b": '{"x": 1}', "c": [1], "d": "[1]", "e": ""})
    assert given.mapping("a") == given.mapping("b") == {"x": 1}
    assert given.sequence("c") == given.sequence("d") == [1]
    assert (given.mapping("e"), given.sequence("f")) == (None, None)


def test_the_wrong_shape_is_refused() -> None:
    with pytest.raises(Refusal, match="expected an Object"):
        Parameters({"a": "[1]"}).mapping("a")
    with pytest.raises(Refusal, match="expected an Array"):
        Parameters({"a": "{}"}).sequence("a")
    with pytest.raises(Refusal, match="can't parse JSON"):
        Parameters({"a": "{"}).mapping("a")


def test_text_is_text_whatever_it_was() -> None:
    given = Parameters({"a": "x", "b": 7, "c": None})
    assert [given.string(name) for name in "abcd"] == ["x", "7", "", ""]
