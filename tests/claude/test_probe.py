"""Whether the credential is accepted: asked once, for nothing, and only a plain refusal counts."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass, field, replace

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from structlog.testing import capture_logs

from legio.claude.probe import MODEL, OAUTH, VERSION, probe
from legio.events import Fault
from legio.local.model import ModelState, model_server
from legio.local.model.state import Outcome
from legio.loopback import serving
from tests.claude.line import line
from tests.scenes import scene

KEY = "sk-ant-" + "a-key"


@dataclass
class Provider:
    """Answers with one status, and notes what it was asked."""

    status: int
    headers: dict[str, str] = field(default_factory=dict)
    body: dict[str, object] = field(default_factory=dict)

    async def answer(self, request: Request) -> Response:
        self.headers, self.body = dict(request.headers), await request.json()
        return JSONResponse({}, self.status)


@contextlib.asynccontextmanager
async def provider(status: int) -> AsyncIterator[tuple[Provider, str]]:
    asked = Provider(status)
    routes = [Route("/v1/messages/count_tokens", asked.answer, methods=["POST"])]
    async with serving(Starlette(routes=routes)) as url:
        yield asked, url


@pytest.mark.parametrize(
    ("status", "verdict", "level"),
    [
        (200, None, "info"),
        (401, Fault.CREDENTIAL, "error"),
        (403, Fault.FORBIDDEN, "error"),
        (404, None, "info"),
        (429, None, "info"),
        (529, None, "info"),
    ],
)
@scene
async def test_only_a_plain_refusal_is_one(status: int, verdict: Fault | None, level: str) -> None:
    async with provider(status) as (_, url):
        with capture_logs() as logs:
            assert await probe(line(url), None) == verdict
    assert [(entry["log_level"], entry["event"], entry["status"]) for entry in logs] == [
        (level, "model.probed", status)
    ]


@pytest.mark.parametrize(
    ("variable", "headers"),
    [
        ("ANTHROPIC_API_KEY", {"x-api-key": KEY}),
        ("ANTHROPIC_AUTH_TOKEN", {"authorization": f"Bearer {KEY}"}),
        ("CLAUDE_CODE_OAUTH_TOKEN", {"authorization": f"Bearer {KEY}", "anthropic-beta": OAUTH}),
    ],
)
@scene
async def test_each_credential_has_its_header(variable: str, headers: dict[str, str]) -> None:
    async with provider(200) as (asked, url):
        await probe(replace(line(url), credential=(variable, KEY)), None)
    ours = {"x-api-key", "authorization", "anthropic-beta"} & asked.headers.keys()
    assert {name: asked.headers[name] for name in ours} == headers
    assert asked.headers["anthropic-version"] == VERSION
    assert asked.body["model"] == MODEL


@scene
async def test_without_a_credential_none_is_shown_and_the_model_is_the_configured_one() -> None:
    async with provider(200) as (asked, url):
        await probe(replace(line(url), credential=None), "opus")
    assert not {"x-api-key", "authorization"} & asked.headers.keys()
    assert asked.body["model"] == "opus"


@scene
async def test_a_login_that_may_not_count_tokens_may_still_talk() -> None:
    async with provider(403) as (_, url):
        login = replace(line(url), credential=("CLAUDE_CODE_OAUTH_TOKEN", KEY))
        assert await probe(login, None) is None


@scene
async def test_a_network_that_is_down_says_nothing_of_the_credential() -> None:
    with capture_logs() as logs:
        assert await probe(line("http://127.0.0.1:9"), None) is None
    assert [(entry["log_level"], entry["event"]) for entry in logs] == [("warning", "model.unreachable")]


@scene
async def test_a_provider_that_hangs_is_not_waited_for() -> None:
    async def hang(_: Request) -> Response:
        await asyncio.sleep(1)
        return Response()

    routes = [Route("/v1/messages/count_tokens", hang, methods=["POST"])]
    async with serving(Starlette(routes=routes)) as url:
        with capture_logs() as logs:
            assert await probe(line(url), None, seconds=0.05) is None
    assert logs[0]["event"] == "model.unreachable"


@scene
async def test_the_embedded_model_server_understands_it_and_charges_nothing() -> None:
    state = ModelState(key="scripted")
    async with model_server(state) as url:
        assert await probe(line(url), None) is None
        state.key = "another"
        assert await probe(line(url), None) is Fault.CREDENTIAL
    assert state.counters == {Outcome.COUNTED: 1, Outcome.REFUSED: 1}
    assert not state.requests
