"""The connection under a request, for those who have to break it: ASGI itself has no word for that."""

import asyncio
from typing import Any

from starlette.types import Receive


def connection(receive: Receive) -> asyncio.WriteTransport:
    """The transport that the request came over.

    uvicorn's `receive` is a method of the request's cycle, which knows it; on another server there is no such
    attribute, and the tests of broken connections say so.
    """
    cycle: Any = receive.__self__  # type: ignore[attr-defined]
    transport = cycle.transport
    assert isinstance(transport, asyncio.WriteTransport)
    return transport
