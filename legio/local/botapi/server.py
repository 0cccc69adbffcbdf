"""The Bot API over HTTP: tokens, methods by name, answers in Telegram's shape, files, and broken connections.

What a method does is told in `sending`, `changing`, `receiving` and `settings`.
"""

import contextlib
import hmac
import re
from collections.abc import AsyncIterator, Mapping

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from legio.local.botapi import changing, receiving, sending, settings
from legio.local.botapi.faults import Fault
from legio.local.botapi.parameters import Parameters, read
from legio.local.botapi.state import BotApiState, Method, RefusedCall
from legio.local.botapi.waiting import first
from legio.local.botapi.wire import Refusal, Wire, unauthorized
from legio.loopback import connection, serving

TOKEN = re.compile(r"[1-9]\d*:[A-Za-z0-9_-]+")

METHODS: Mapping[str, Method] = {
    name.lower(): method
    for table in (sending.METHODS, changing.METHODS, receiving.METHODS, settings.METHODS)
    for name, method in table.items()
}


def bot_api_routes(state: BotApiState) -> list[Route]:
    """The two addresses of the Bot API: methods and files."""

    async def call(request: Request) -> Response:
        return await _call(state, request)

    async def download(request: Request) -> Response:
        return _download(state, request)

    return [
        Route("/file/bot{token}/{path:path}", download, methods=["GET"]),
        Route("/bot{token}/{method}", call, methods=["GET", "POST"]),
    ]


@contextlib.asynccontextmanager
async def bot_api_server(state: BotApiState, *, port: int = 0) -> AsyncIterator[str]:
    """Serves them on loopback and yields the base URL; at the end the state is closed, so nothing lingers."""
    async with serving(Starlette(routes=bot_api_routes(state)), port=port) as url:
        try:
            yield url
        finally:
            await state.close()


async def _call(state: BotApiState, request: Request) -> Response:
    name = request.path_params["method"]
    try:
        _check_token(state, request.path_params["token"])
        method = _method(name)
        parameters = await read(request)
        state.log(name, parameters.values)
        return await _answer(state, request, method, parameters)
    except Refusal as refusal:
        state.refused.append(RefusedCall(name, refusal.code, refusal.description))
        return JSONResponse(refusal.answer(), refusal.code)
    finally:
        state.activity.fire()


async def _answer(state: BotApiState, request: Request, method: Method, parameters: Parameters) -> Response:
    fault = state.faults.take(request.path_params["method"])
    if fault and not fault.done_first:
        return _trouble(fault)
    result = await first(_result(state, method, parameters), _gone(request.receive))
    return _Broken(at_once=fault.at_once) if fault else JSONResponse(result)


def _method(name: str) -> Method:
    try:
        return METHODS[name.lower()]
    except KeyError:
        raise Refusal(404, "Not Found") from None


async def _result(state: BotApiState, method: Method, parameters: Parameters) -> Wire:
    return {"ok": True, "result": await method(state, parameters)}


async def _gone(receive: Receive) -> Wire:
    """Returns when the caller has gone away: a poll that nobody hears the end of shall not go on."""
    while (await receive())["type"] != "http.disconnect":
        pass
    return {}


def _trouble(fault: Fault) -> Response:
    if refusal := fault.refusal():
        raise refusal
    return _Broken(at_once=fault.at_once)


class _Broken(Response):
    """No answer: the connection is reset at once, or held in silence until the caller gives up."""

    def __init__(self, *, at_once: bool) -> None:
        super().__init__()
        self._at_once = at_once

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._at_once:
            connection(receive).abort()
        await _gone(receive)


def _download(state: BotApiState, request: Request) -> Response:
    try:
        _check_token(state, request.path_params["token"])
    except Refusal as refusal:
        return JSONResponse(refusal.answer(), refusal.code)
    stored = state.files.at(request.path_params["path"])
    if stored is None:
        return JSONResponse(Refusal(404, "Not Found").answer(), 404)
    return Response(stored.upload.data, media_type="application/octet-stream")


def _check_token(state: BotApiState, token: str) -> None:
    if not TOKEN.fullmatch(token):
        raise Refusal(404, "Not Found")
    if state.revoked or not hmac.compare_digest(token, state.token):
        raise unauthorized()
