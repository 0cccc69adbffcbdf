"""JSON in and out of the page: what a request brings is bounded and checked here, what fails is said here.

A room's handlers take a `Request`, return what JSON can hold, and raise `LegioError` for what cannot be done.
"""

import contextlib
import json
from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from legio import logs
from legio.errors import LegioError, Refused

LARGEST_BODY = 2_000_000
"""In bytes: more than the largest prompt, written as JSON."""
LARGEST_PAGE = 200
"""So many rows one answer has at most."""

Handler = Callable[[Request], Awaitable[object]]


def answering(handler: Handler) -> Callable[[Request], Awaitable[Response]]:
    """The endpoint of a handler: a `Response` as it is, else JSON; a `LegioError` as 400 with its words."""

    async def endpoint(request: Request) -> Response:
        try:
            result = await handler(request)
        except LegioError as error:
            return JSONResponse({"error": logs.redacted(str(error))}, 400)
        return result if isinstance(result, Response) else JSONResponse(result)

    return endpoint


async def body(request: Request) -> Mapping[str, object]:
    """The JSON object that was sent; raises `Refused` for anything else and for what is too large."""
    content = bytearray()
    async with contextlib.aclosing(request.stream()) as chunks:  # left half read, it would be ended by a task
        async for chunk in chunks:
            content += chunk
            if len(content) > LARGEST_BODY:
                raise Refused("this is too large.", remedy=f"Send {LARGEST_BODY:,} bytes at most.")
    try:
        given = json.loads(content)
        json.dumps(given, ensure_ascii=False).encode()  # JSON can hold half a sign, and nothing else can
    except (ValueError, RecursionError) as error:
        raise Refused("this is not JSON.", remedy="Send one JSON object.") from error
    if not isinstance(given, dict):
        raise Refused("this is no JSON object.", remedy="Send one JSON object.")
    return given


def text(given: Mapping[str, object], name: str, default: str | None = None) -> str:
    """The text of that name, or the default; raises `Refused` if it is none or missing without a default."""
    value = given.get(name, default)
    if not isinstance(value, str):
        raise Refused(f"'{name}' has to be a text.", remedy="Load the page again.")
    return value


def number(request: Request, name: str, default: int, *, most: int | None = None) -> int:
    """The whole number of that name in the address, 0 or more; raises `Refused` for anything else."""
    raw = request.query_params.get(name, "")
    if not raw:
        return default
    if not (raw.isascii() and raw.isdecimal() and len(raw) < 19):
        raise Refused(f"'{name}' has to be a whole number.", remedy="Load the page again.")
    return int(raw) if most is None else min(int(raw), most)


def moment(instant: datetime | None) -> str | None:
    """An instant as JSON has it: ISO 8601 with its offset."""
    return None if instant is None else instant.isoformat()
