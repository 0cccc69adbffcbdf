import asyncio
import json

import httpx
import pytest
from starlette.types import Message

from legio.local.model import (
    Answer,
    Ending,
    Failure,
    ModelState,
    Outcome,
    Script,
    Silence,
    Verbatim,
    model_server,
)
from legio.local.model.performance import Performance
from tests.local.model.asking import asking, body, user
from tests.scenes import scene, until

LONG = Answer("gallia est omnis divisa in partes tres " * 20)


class Pauses:
    """A sleep that takes no time and remembers how long it should have taken."""

    def __init__(self) -> None:
        self.taken: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.taken.append(seconds)
        await asyncio.sleep(0)


def scripted(script: Script, **settings: float) -> tuple[ModelState, Pauses]:
    pauses = Pauses()
    return ModelState(answer=lambda _: script, sleep=pauses, **settings), pauses  # type: ignore[arg-type]


async def ask(url: str, *, stream: bool = True) -> httpx.Response:
    async with httpx.AsyncClient(base_url=url, trust_env=False) as client:
        return await client.post("/v1/messages", json=body(user("ave"), stream=stream))


@scene
async def test_an_answer_is_streamed_whole() -> None:
    state, pauses = scripted(LONG)
    async with model_server(state) as url:
        response = await ask(url)

    assert response.headers["content-type"].startswith("text/event-stream")
    assert response.text.rstrip().endswith('{"type": "message_stop"}')
    assert state.counters == {Outcome.ANSWERED: 1}
    assert pauses.taken == []


@scene
async def test_an_answer_is_given_as_json_to_those_who_do_not_stream() -> None:
    state, _ = scripted(LONG)
    async with model_server(state) as url:
        response = await ask(url, stream=False)

    assert response.json()["content"] == [{"type": "text", "text": LONG.text}]


@scene
async def test_latency_and_pace_are_the_servers_unless_the_script_has_its_own() -> None:
    state, pauses = scripted(Answer("a" * 48), latency=1, pace=0.25)
    own, own_pauses = scripted(Answer("a" * 48, delay=3, pace=0), latency=1, pace=0.25)
    async with model_server(state) as url, model_server(own) as own_url:
        await ask(url)
        await ask(own_url)

    assert pauses.taken == [1, 0.25, 0.25]
    assert own_pauses.taken == [3]


@scene
async def test_a_failure_has_its_status_its_shape_and_its_advice() -> None:
    state, pauses = scripted(Failure(429, "slow down", retry_after=3, delay=2))
    async with model_server(state) as url:
        response = await ask(url)

    assert (response.status_code, response.headers["retry-after"]) == (429, "3")
    assert response.headers["request-id"].startswith("req_")
    assert response.json()["error"] == {"type": "rate_limit_error", "message": "slow down"}
    assert pauses.taken == [2]
    assert state.counters == {Outcome.FAILED: 1}


@scene
async def test_a_failure_without_advice_gives_none() -> None:
    state, _ = scripted(Failure(529))
    async with model_server(state) as url:
        assert "retry-after" not in (await ask(url)).headers


@pytest.mark.parametrize("stream", [True, False])
@scene
async def test_a_cut_closes_the_connection_in_the_middle_and_is_no_error_in_the_log(
    stream: bool,  # noqa: FBT001
    caplog: pytest.LogCaptureFixture,
) -> None:
    state, _ = scripted(Answer(LONG.text, ending=Ending.CUT))
    async with model_server(state) as url:
        with pytest.raises(httpx.RemoteProtocolError, match="incomplete"):
            await ask(url, stream=stream)

    assert state.counters == {Outcome.BROKEN: 1}
    assert state.running == 0
    assert caplog.messages == []


@scene
async def test_an_error_may_come_in_mid_stream() -> None:
    state, _ = scripted(Answer(LONG.text, ending=Ending.ERROR))
    async with model_server(state) as url:
        response = await ask(url)

    assert response.status_code == 200
    assert "content_block_delta" in response.text
    assert "overloaded_error" in response.text.splitlines()[-2]
    assert "message_stop" not in response.text


@scene
async def test_without_a_stream_that_error_is_the_whole_answer() -> None:
    state, _ = scripted(Answer(LONG.text, ending=Ending.ERROR))
    async with model_server(state) as url:
        assert (await ask(url, stream=False)).status_code == 529


@pytest.mark.parametrize("stream", [True, False])
@scene
async def test_what_is_verbatim_is_sent_as_it_is(stream: bool) -> None:  # noqa: FBT001
    state, _ = scripted(Verbatim(b"<html>Welcome to our network!</html>", "text/html"))
    async with model_server(state) as url:
        response = await ask(url, stream=stream)

    assert (response.status_code, response.headers["content-type"]) == (200, "text/html")
    assert response.text == "<html>Welcome to our network!</html>"
    assert state.counters == {Outcome.ANSWERED: 1}


@scene
async def test_a_stall_ends_when_the_client_leaves() -> None:
    state, _ = scripted(Answer(LONG.text, ending=Ending.STALL))
    content = json.dumps(body(user("ave"), stream=True))
    async with model_server(state) as url:
        reader, writer = await asyncio.open_connection("127.0.0.1", int(url.rpartition(":")[2]))
        head = f"POST /v1/messages HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(content)}\r\n\r\n"
        writer.write(f"{head}{content}".encode())
        await reader.readuntil(b"content_block_delta")
        stalled = state.running
        writer.close()
        await writer.wait_closed()
        await until(lambda: state.counters[Outcome.GONE] == 1)

    assert (stalled, state.running) == (1, 0)


@scene
async def test_silence_ends_when_the_client_leaves() -> None:
    state, _ = scripted(Silence())
    async with model_server(state) as url:
        waiting = asyncio.create_task(ask(url))
        await until(lambda: state.running == 1)
        waiting.cancel()
        await until(lambda: state.running == 0)

    assert state.counters == {Outcome.GONE: 1}


@pytest.mark.parametrize("stream", [True, False])
@pytest.mark.parametrize(
    "script", [Silence(), Answer(LONG.text, ending=Ending.STALL)], ids=["silence", "stall"]
)
@scene
async def test_a_server_that_stops_ends_what_hangs_at_once(script: Script, stream: bool) -> None:  # noqa: FBT001
    state, _ = scripted(script)
    loop = asyncio.get_running_loop()
    async with model_server(state) as url:
        waiting = asyncio.create_task(ask(url, stream=stream))
        await until(lambda: state.running == 1)
        await asyncio.sleep(0.05)  # let the stalling half arrive: it makes another way to end
        before = loop.time()
    took = loop.time() - before
    response = await waiting

    assert took < 1
    assert response.status_code == (503 if isinstance(script, Silence) else 200)
    assert ("the server stops" in response.text) == (stream or isinstance(script, Silence))
    assert state.counters == {Outcome.STOPPED: 1}


@scene
async def test_a_server_may_be_started_again() -> None:
    state = ModelState(answer=lambda _: LONG, latency=0.02)  # long enough for an old stop to come first
    for _ in range(2):
        async with model_server(state) as url:
            assert (await ask(url)).status_code == 200


@scene
async def test_what_was_just_ended_is_not_ended_twice_by_a_stop() -> None:
    state, _ = scripted(Failure(529))
    sent: list[str] = []

    async def send(event: Message) -> None:
        sent.append(event["type"])
        if event["type"] == "http.response.body":
            state.stopping.set()
            await asyncio.Event().wait()

    waiting = iter([{"type": "http.request", "body": b"", "more_body": False}])

    async def receive() -> Message:
        for event in waiting:
            return event
        await asyncio.Event().wait()
        raise AssertionError

    await Performance(state, asking(user("ave")), Failure(529))({"type": "http"}, receive, send)

    assert sent == ["http.response.start", "http.response.body"]
    assert state.counters == {Outcome.STOPPED: 1}
