"""How tokens are counted: once for each text, by who knows, and guessed where nobody answers."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from structlog.testing import capture_logs

from legio.claude.counting import GUESSED, MOST_KEPT, REST_SECONDS, ProviderCounter, guess
from legio.claude.probe import MODEL
from legio.local.model import ModelState, model_server
from legio.local.model.state import Outcome
from legio.loopback import serving
from legio.ports import TokenCounter, Tokens
from tests.claude.line import line
from tests.clocks import FakeClock
from tests.scenes import scene

BASE = 7


class Provider:
    """Counts a token a character, and notes what it was asked."""

    def __init__(self) -> None:
        self.asked: list[dict[str, Any]] = []
        self.status = 200
        self.answer: object = None

    async def count(self, request: Request) -> Response:
        body = await request.json()
        self.asked.append(body)
        number = {"input_tokens": BASE + len(body.get("system", ""))}
        return JSONResponse(number if self.answer is None else self.answer, self.status)


@contextlib.asynccontextmanager
async def provider(
    count: Callable[[Request], Awaitable[Response]] | None = None,
) -> AsyncIterator[tuple[Provider, str]]:
    made = Provider()
    routes = [Route("/v1/messages/count_tokens", count or made.count, methods=["POST"])]
    async with serving(Starlette(routes=routes)) as url:
        yield made, url


@scene
async def test_a_text_is_counted_as_a_system_prompt_and_what_every_request_has_is_taken_off() -> None:
    async with provider() as (asked, url):
        counter: TokenCounter = ProviderCounter(line(url), FakeClock())
        counted = await counter.count(["You build.", "You look."], model="claude-x")
    assert counted == (
        Tokens(10, about=False, rule="counted by claude-x"),
        Tokens(9, about=False, rule="counted by claude-x"),
    )
    assert sorted(each.get("system", "") for each in asked.asked) == ["", "You build.", "You look."]
    assert all(each["model"] == "claude-x" and each["messages"] for each in asked.asked)


@scene
async def test_a_text_is_asked_for_once_and_an_empty_one_has_none() -> None:
    async with provider() as (asked, url):
        counter = ProviderCounter(line(url), FakeClock())
        await counter.count(["one", "two", "one"], model="claude-x")
        again = await counter.count(["two", "", "three"], model="claude-x")
    assert [each.number for each in again] == [3, 0, 5]
    assert len(asked.asked) == 4


@pytest.mark.parametrize("model", [None, "opus", "sonnet", "haiku"])
@scene
async def test_where_nobody_knows_which_model_it_is_another_one_counts_and_that_is_said(
    model: str | None,
) -> None:
    async with provider() as (asked, url):
        (counted,) = await ProviderCounter(line(url), FakeClock()).count(["four"], model=model)
    assert counted == Tokens(4, about=True, rule=f"counted by {MODEL}, in the place of the agent's own model")
    assert {each["model"] for each in asked.asked} == {MODEL}


@pytest.mark.parametrize(
    ("status", "answer"),
    [
        (404, {}),
        (429, {}),
        (200, {}),
        (200, {"input_tokens": "many"}),
        (200, []),
        (200, {"input_tokens": None}),
    ],
)
@scene
async def test_who_does_not_count_is_let_alone_for_a_while_and_it_is_guessed(
    status: int, answer: object
) -> None:
    clock, guessed = FakeClock(), Tokens(guess("You build."), about=True, rule=GUESSED)
    async with provider() as (asked, url):
        asked.status, asked.answer = status, answer
        counter = ProviderCounter(line(url), clock)
        with capture_logs() as logs:
            assert await counter.count(["You build."], model="claude-x") == (guessed,)
        calls = len(asked.asked)
        assert await counter.count(["You build."], model="claude-x") == (guessed,)
        assert len(asked.asked) == calls
        asked.status, asked.answer = 200, None
        clock.advance(REST_SECONDS)
        (counted,) = await counter.count(["You build."], model="claude-x")
    assert counted == Tokens(10, about=False, rule="counted by claude-x")
    assert [entry["event"] for entry in logs] == ["tokens.uncounted"]


@scene
async def test_a_provider_that_hangs_or_is_not_there_is_not_waited_for() -> None:
    async def hang(_: Request) -> Response:
        await asyncio.sleep(1)
        return Response()

    async with provider(hang) as (_, url):
        for address in (url, "http://127.0.0.1:9", "https://127.0.0.1:9"):
            counter = ProviderCounter(line(address), FakeClock(), seconds=0.05)
            assert (await counter.count(["ave"], model="claude-x"))[0].rule == GUESSED


@scene
async def test_what_was_counted_long_ago_is_forgotten_first() -> None:
    async with provider() as (asked, url):
        counter = ProviderCounter(line(url), FakeClock())
        await counter.count(["kept"], model="claude-x")
        for number in range(0, MOST_KEPT, 100):
            await counter.count([f"{number + each}" for each in range(100)], model="claude-x")
            await counter.count(["kept"], model="claude-x")
        before = len(asked.asked)
        await counter.count(["kept"], model="claude-x")
        assert len(asked.asked) == before
        await counter.count([f"{number}" for number in range(100)], model="claude-x")
    assert len(asked.asked) > before


def test_a_guess_goes_by_bytes_so_that_no_script_is_thought_cheap() -> None:
    assert (guess(""), guess("x" * 35), guess("軍" * 7), guess("\ud800")) == (0, 10, 6, 1)


@scene
async def test_a_text_that_no_request_can_carry_is_guessed() -> None:
    async with provider() as (_, url):
        (counted,) = await ProviderCounter(line(url), FakeClock()).count(["\ud800"], model="claude-x")
    assert counted.rule == GUESSED


@scene
async def test_the_embedded_model_server_counts_and_answers_nothing() -> None:
    state = ModelState(key="scripted")
    async with model_server(state) as url:
        counter = ProviderCounter(line(url), FakeClock())
        (counted,) = await counter.count(["x" * 400], model="scripted-recruit")
    assert (counted.about, counted.rule) == (False, "counted by scripted-recruit")
    assert 95 <= counted.number <= 125
    assert state.counters == {Outcome.COUNTED: 2}
    assert not state.requests
