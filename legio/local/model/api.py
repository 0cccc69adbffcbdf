"""The Messages API on loopback: routes in, scripts performed.

It speaks what the `claude` CLI and the Agent SDK ask for: messages, token counts, models, and the probes of
the base address. What is answered is decided by the state's recruit, how by the performance.
"""

import contextlib
import json
from collections.abc import AsyncIterator

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from legio.errors import Refused
from legio.local.model.performance import Performance
from legio.local.model.request import ModelRequest, read_request
from legio.local.model.state import ModelState, Outcome
from legio.local.model.stream import error
from legio.local.model.usage import PromptCache
from legio.loopback import serving

MODEL = "scripted-recruit"
MAX_BODY_BYTES = 32 * 1024 * 1024
"""As the API's documentation of limits gives it for messages."""
ANSWERED_ONLY = frozenset(
    {
        *("max_tokens", "metadata", "service_tier", "stop_sequences", "stream", "temperature", "top_k"),
        "top_p",
    }
)
"""The parameters of a message that counting its tokens does not take
(https://docs.anthropic.com/en/api/messages-count-tokens)."""


def create_app(state: ModelState) -> Starlette:
    """The application over `state`, to be run with `serving`; `model_server` does both."""

    async def messages(request: Request) -> Performance:
        asked = await _read(request, state)
        return Performance(state, asked, state.decide(asked))

    async def count_tokens(request: Request) -> Response:
        asked = await _read(request, state)
        _only_counted(request, asked)
        state.counters[Outcome.COUNTED] += 1
        return JSONResponse({"input_tokens": PromptCache().weigh(asked.body).total})

    def refused(_: Request, problem: Exception) -> Response:
        assert isinstance(problem, HTTPException)
        state.counters[Outcome.REFUSED] += 1
        return JSONResponse(error(problem.status_code, problem.detail), problem.status_code)

    return Starlette(
        routes=[
            Route("/", _alive),
            Route("/v1/messages", messages, methods=["POST"]),
            Route("/v1/messages/count_tokens", count_tokens, methods=["POST"]),
            Route("/v1/models", _models),
            Route("/v1/models/{model}", _model),
        ],
        exception_handlers={HTTPException: refused},
    )


@contextlib.asynccontextmanager
async def model_server(state: ModelState, *, port: int = 0) -> AsyncIterator[str]:
    """Serve `state` and yield the base URL; on leaving, whatever still hangs is ended at once."""
    state.stopping.clear()
    async with serving(create_app(state), port=port) as url:
        try:
            yield url
        finally:
            state.stopping.set()


async def _read(request: Request, state: ModelState) -> ModelRequest:
    credential = _credential(request)
    if not state.admits(credential):
        raise HTTPException(401, "invalid x-api-key")
    body = await request.body()
    if len(body) > MAX_BODY_BYTES:
        raise HTTPException(413, "Request exceeds the maximum size")
    try:
        return read_request(json.loads(body), credential=credential)
    except ValueError as broken:
        raise HTTPException(400, f"The request body is not valid JSON: {broken}") from broken
    except Refused as refused:
        raise HTTPException(400, refused.what) from refused


def _only_counted(request: Request, asked: ModelRequest) -> None:
    """Raise for what the real API refuses here: a call without a version, and what only an answer needs."""
    if "anthropic-version" not in request.headers:
        raise HTTPException(400, "anthropic-version: header is required")
    for name in asked.body:
        if name in ANSWERED_ONLY:
            raise HTTPException(400, f"{name}: Extra inputs are not permitted")


def _credential(request: Request) -> str:
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    return request.headers.get("x-api-key") or (token if scheme.lower() == "bearer" else "")


async def _alive(_: Request) -> Response:
    return JSONResponse({"status": "ok"})


async def _models(_: Request) -> Response:
    model = _described(MODEL)
    return JSONResponse({"data": [model], "has_more": False, "first_id": MODEL, "last_id": MODEL})


async def _model(request: Request) -> Response:
    return JSONResponse(_described(request.path_params["model"]))


def _described(model: str) -> dict[str, str]:
    return {"type": "model", "id": model, "display_name": model, "created_at": "2026-01-01T00:00:00Z"}
