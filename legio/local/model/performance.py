"""A script performed on one connection: bytes at their time, or the lack of them.

A performance ends when it is played out, when the client leaves, or when the server stops, whichever is
first; so a script that hangs for ever never holds up anything but its own client.
"""

import asyncio
import json
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NoReturn, assert_never

from starlette.types import Receive, Scope, Send

from legio.local.model.request import ModelRequest
from legio.local.model.script import Answer, Ending, Failure, Performed, Silence, Verbatim
from legio.local.model.state import ModelState, Outcome
from legio.local.model.stream import Envelope, Event, encoded, error, events, message
from legio.loopback import connection

STOPPING = "the server stops; try again later"
OVERLOADED = 529
UNAVAILABLE = 503


class Reply:
    """One HTTP response, sent piece by piece."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self.started = False
        self.ended = False

    async def json(self, status: int, body: Event, headers: Mapping[str, str] | None = None) -> None:
        """A whole response."""
        await self.start(status, "application/json", headers)
        await self.end(json.dumps(body).encode())

    async def start(self, status: int, kind: str, headers: Mapping[str, str] | None = None) -> None:
        """The headers."""
        fields = {"content-type": kind, "request-id": f"req_{uuid.uuid4().hex}", **(headers or {})}
        self.started = True
        await self._send(
            {
                "type": "http.response.start",
                "status": status,
                "headers": [(name.encode(), value.encode()) for name, value in fields.items()],
            }
        )

    async def piece(self, content: bytes) -> None:
        """Some of the body, with more to come."""
        await self._send({"type": "http.response.body", "body": content, "more_body": True})

    async def end(self, content: bytes = b"") -> None:
        """The last of the body."""
        self.ended = True
        await self._send({"type": "http.response.body", "body": content, "more_body": False})


@dataclass(frozen=True, slots=True)
class Performance:
    """An ASGI response that performs `script` in answer to `request`."""

    state: ModelState
    request: ModelRequest
    script: Performed

    async def __call__(self, _: Scope, receive: Receive, send: Send) -> None:
        """Play until the script, the client or the server ends it."""
        reply = Reply(send)
        self.state.running += 1
        playing = asyncio.create_task(self._play(reply), name="model.playing")
        leaving = asyncio.create_task(_left(receive), name="model.leaving")
        stopping = asyncio.create_task(self.state.stopping.wait(), name="model.stopping")
        try:
            await asyncio.wait((playing, leaving, stopping), return_when=asyncio.FIRST_COMPLETED)
            outcome = await self._outcome(playing, leaving, reply)
            self.state.counters[outcome] += 1
            if not reply.ended:
                # Left to uvicorn, an answer that was cut on purpose would be an error in the log.
                connection(receive).close()
                await leaving
        finally:
            self.state.running -= 1
            for task in (playing, leaving, stopping):
                task.cancel()
            await asyncio.gather(playing, leaving, stopping, return_exceptions=True)

    async def _outcome(
        self, playing: asyncio.Task[Outcome], leaving: asyncio.Task[None], reply: Reply
    ) -> Outcome:
        if playing.done():
            return playing.result()
        if leaving.done():
            return Outcome.GONE
        playing.cancel()
        await asyncio.gather(playing, return_exceptions=True)  # nobody else may write to the reply now
        await self._dismiss(reply)
        return Outcome.STOPPED

    async def _play(self, reply: Reply) -> Outcome:
        match self.script:
            case Answer():
                return await self._answer(reply, self.script)
            case Failure():
                return await self._fail(reply, self.script)
            case Silence():
                return await _for_ever()
            case Verbatim(body, kind):
                await reply.start(200, kind)
                await reply.end(body)
                return Outcome.ANSWERED
            case _ as never:
                assert_never(never)

    async def _fail(self, reply: Reply, failure: Failure) -> Outcome:
        await self._wait(failure.delay)
        headers = {} if failure.retry_after is None else {"retry-after": str(failure.retry_after)}
        await reply.json(failure.status, error(failure.status, failure.message), headers)
        return Outcome.FAILED

    async def _answer(self, reply: Reply, answer: Answer) -> Outcome:
        envelope = Envelope(
            id=uuid.uuid4().hex, model=self.request.model, weight=self.state.cache.weigh(self.request.body)
        )
        await self._wait(answer.delay)
        if self.request.stream:
            return await self._stream(reply, answer, envelope)
        return await self._whole(reply, answer, envelope)

    async def _stream(self, reply: Reply, answer: Answer, envelope: Envelope) -> Outcome:
        pace = self.state.pace if answer.pace is None else answer.pace
        stream = tuple(events(answer, envelope))
        played = stream if answer.ending is Ending.WHOLE else stream[: len(stream) // 2]
        await reply.start(200, "text/event-stream; charset=utf-8")
        waiting = b""
        for event in played:
            waiting += encoded(event)
            if pace and event["type"] == "content_block_delta":
                await reply.piece(waiting)
                waiting = b""
                await self.state.sleep(pace)
        await reply.piece(waiting)
        return await _end(reply, answer.ending)

    async def _whole(self, reply: Reply, answer: Answer, envelope: Envelope) -> Outcome:
        if answer.ending is Ending.ERROR:
            return await self._fail(reply, Failure(OVERLOADED, delay=0))
        body = json.dumps(message(answer, envelope)).encode()
        await reply.start(200, "application/json")
        await reply.piece(body if answer.ending is Ending.WHOLE else body[: len(body) // 2])
        return await _end(reply, answer.ending)

    async def _wait(self, delay: float | None) -> None:
        seconds = self.state.latency if delay is None else delay
        if seconds:
            await self.state.sleep(seconds)

    async def _dismiss(self, reply: Reply) -> None:
        """End what a stopping server leaves unfinished in good order, so that no client waits for more."""
        if not reply.started:
            await reply.json(UNAVAILABLE, error(UNAVAILABLE, STOPPING))
        elif not reply.ended:
            await reply.end(encoded(error(UNAVAILABLE, STOPPING)) if self.request.stream else b"")


async def _end(reply: Reply, ending: Ending) -> Outcome:
    match ending:
        case Ending.WHOLE:
            await reply.end()
            return Outcome.ANSWERED
        case Ending.ERROR:
            await reply.end(encoded(error(OVERLOADED, "Overloaded")))
            return Outcome.BROKEN
        case Ending.CUT:
            return Outcome.BROKEN
        case Ending.STALL:
            return await _for_ever()
        case _ as never:
            assert_never(never)


async def _for_ever() -> NoReturn:
    """Wait to be cancelled; the performance sees to it."""
    await asyncio.get_running_loop().create_future()
    raise AssertionError("nothing resolves this future")  # pragma: no cover


async def _left(receive: Receive) -> None:
    """Wait until the client has closed the connection."""
    while (await receive())["type"] != "http.disconnect":
        pass
