"""Server-sent events of a room: a stream that is over when its reader leaves, and when the server stops.

What is told, and when, is the room's business: it gives a generator, and nothing in it knows of HTTP.
"""

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator
from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import StreamingResponse

from legio.loopback import ENDING

HEARTBEAT_SECONDS = 15.0
"""After so long a silence a generator yields None: else nobody notices that the reader has gone."""
RETRY_MS = 1000
"""After how long a browser comes again."""


@dataclass(frozen=True, slots=True)
class Sent:
    """One event: its name, what JSON can hold, and the id that a browser brings when it comes again."""

    name: str
    data: object
    id: str = ""


def streamed(request: Request, source: AsyncGenerator[Sent | None, None]) -> StreamingResponse:
    """`source` as an answer, closed when the reader leaves or the server stops; None is a sign of life."""
    ending = request.scope.get(ENDING) or asyncio.Event()
    return StreamingResponse(
        _frames(source, ending), media_type="text/event-stream", headers={"Cache-Control": "no-store"}
    )


async def _frames(source: AsyncGenerator[Sent | None, None], ending: asyncio.Event) -> AsyncIterator[str]:
    yield f"retry: {RETRY_MS}\n\n"
    stop = asyncio.create_task(ending.wait(), name="stream:ending")
    step: asyncio.Future[Sent | None] | None = None
    try:
        while True:
            step = asyncio.ensure_future(anext(source))
            await asyncio.wait({step, stop}, return_when=asyncio.FIRST_COMPLETED)
            if not step.done():
                return
            try:
                sent = step.result()
            except StopAsyncIteration:
                return
            yield _frame(sent)
    finally:
        pending = [each for each in (step, stop) if each is not None]
        for each in pending:
            each.cancel()
        await asyncio.gather(*pending, return_exceptions=True)
        await source.aclose()


def _frame(sent: Sent | None) -> str:
    if sent is None:
        return ": still here\n\n"
    # JSON holds no line's end, which would end the field.
    number = f"id: {sent.id}\n" if sent.id else ""
    return f"{number}event: {sent.name}\ndata: {json.dumps(sent.data)}\n\n"
