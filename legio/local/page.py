"""The chat page in front of the Bot API server: what the owner's phone would show, what his thumb would do.

The page is in `static/`; here are its own few addresses and its stream of events. `create_app` joins them
with the Bot API; `chat_server` serves both.
"""

import contextlib
import json
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path
from urllib.parse import quote

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response, StreamingResponse
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles

from legio.local.botapi.faults import Trouble
from legio.local.botapi.files import Upload
from legio.local.botapi.images import dimensions
from legio.local.botapi.message import Reply
from legio.local.botapi.parameters import Parameters, read
from legio.local.botapi.server import bot_api_routes
from legio.local.botapi.state import BotApiState
from legio.local.botapi.text import pieces
from legio.local.botapi.wire import Refusal, Wire, bad_request
from legio.loopback import LoopbackGuard, serving

STATIC = Path(__file__).parent / "static"
SHOWN = 500
ALBUM = 10
PICTURES = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})
VOICES = frozenset({"audio/ogg", "audio/webm"})


def create_app(state: BotApiState) -> Starlette:
    """The Bot API for bots and, behind the guard, the page for the owner."""
    page = Mount("/", routes=page_routes(state), middleware=[Middleware(LoopbackGuard)])
    return Starlette(routes=[*bot_api_routes(state), page])


@contextlib.asynccontextmanager
async def chat_server(state: BotApiState, *, port: int = 0) -> AsyncIterator[str]:
    """Serves both on loopback and yields the base URL; at the end the state is closed, so nothing lingers."""
    async with serving(create_app(state), port=port, setting="[local] port") as url:
        try:
            yield url
        finally:
            await state.close()


def page_routes(state: BotApiState) -> list[BaseRoute]:
    """What the page asks for."""
    deeds: dict[str, Callable[[BotApiState, Parameters], Wire]] = {
        "say": _say,
        "edit": _edit,
        "press": _press,
        "upload": _upload,
        "fault": _fault,
    }

    async def index(_: Request) -> Response:
        return FileResponse(STATIC / "index.html")

    async def events(request: Request) -> Response:
        position = request.headers.get("last-event-id") or request.query_params.get("after", "")
        return StreamingResponse(_stream(state, position), media_type="text/event-stream")

    async def snapshot(_: Request) -> Response:
        return JSONResponse(_snapshot(state))

    async def do(request: Request) -> Response:
        deed = deeds.get(request.path_params["deed"])
        if deed is None:
            return JSONResponse({"error": "There is no such address."}, 404)
        return await _answered(lambda parameters: deed(state, parameters), request)

    async def file(request: Request) -> Response:
        return _file(state, request.path_params["file_id"])

    return [
        Route("/", index),
        Route("/events", events),
        Route("/chat/state", snapshot),
        Route("/chat/file/{file_id}", file),
        Route("/chat/{deed}", do, methods=["POST"]),
        Mount("/static", StaticFiles(directory=STATIC)),
    ]


# --- what is shown -----------------------------------------------------------------------------------------


def _snapshot(state: BotApiState) -> Wire:
    """All that a page needs to begin; the events after `position` are news."""
    chat = state.chat
    return {
        "position": state.events.position,
        "bot": state.bot.wire(),
        "owner": state.owner.wire(),
        "topics": chat.topics_wire(),
        "messages": [state.chats.view(message) for message in state.messages[-SHOWN:]],
        "drafts": [
            {"id": number, "text": text.plain, "entities": [entity.wire() for entity in text.entities]}
            for number, text in chat.drafts.items()
        ],
    }


async def _stream(state: BotApiState, position: str) -> AsyncIterator[str]:
    """Server-sent events of the owner's chat."""
    yield "retry: 1000\n\n"
    async for event in state.events.follow(position):
        if event is None:
            yield ": still here\n\n"
        elif event.chat in {0, state.owner.id}:
            yield f"id: {event.position}\nevent: {event.kind}\ndata: {json.dumps(event.data)}\n\n"


def _file(state: BotApiState, file_id: str) -> Response:
    """A stored file: a picture to be looked at, anything else to be saved and never opened in the page."""
    stored = state.files.get(file_id)
    if stored is None:
        return JSONResponse({"error": "There is no such file."}, 404)
    kind = stored.upload.media_type
    shown = kind in PICTURES and dimensions(stored.upload.data) is not None
    disposition = "inline" if shown else f"attachment; filename*=UTF-8''{quote(stored.upload.name, safe='')}"
    headers = {"Content-Disposition": disposition, "Cache-Control": "private, max-age=86400"}
    return Response(
        stored.upload.data, media_type=kind if shown else "application/octet-stream", headers=headers
    )


# --- what is done ------------------------------------------------------------------------------------------


async def _answered(deed: Callable[[Parameters], Wire], request: Request) -> Response:
    """A deed of the page's; the guard has seen to it that it is our page's."""
    try:
        return JSONResponse(deed(await read(request)))
    except Refusal as refusal:
        return JSONResponse({"error": refusal.description}, refusal.code)


def _say(state: BotApiState, parameters: Parameters) -> Wire:
    """A text; what is longer than a message is cut as a phone would cut it, and the first part replies."""
    _enter(state, parameters)
    parts = [part for part in pieces(parameters.string("text")) if part.strip()] or [""]
    reply = _reply(parameters)
    updates = [state.say(part, reply_to=None if index else reply) for index, part in enumerate(parts)]
    return {"message_ids": [update["message"]["message_id"] for update in updates]}


def _enter(state: BotApiState, parameters: Parameters) -> None:
    """What the owner does happens in the topic `thread`, or in the chat itself."""
    chosen = parameters.integer("thread") or None
    if chosen is not None and chosen not in state.chat.topics:
        raise bad_request("message thread not found")
    state.topic = chosen


def _edit(state: BotApiState, parameters: Parameters) -> Wire:
    """Other words for what the owner said."""
    update = state.edit(parameters.integer("message_id"), parameters.string("text"))
    return {"message_ids": [update["edited_message"]["message_id"]]}


def _press(state: BotApiState, parameters: Parameters) -> Wire:
    update = state.press(parameters.integer("message_id"), parameters.string("data"))
    return {"query": update["callback_query"]["id"]}


def _fault(state: BotApiState, parameters: Parameters) -> Wire:
    """Arms a trouble, to see how the bot bears it."""
    try:
        trouble = Trouble(parameters.string("trouble"))
    except ValueError:
        raise bad_request(f"trouble is one of {', '.join(Trouble)}") from None
    times, retry_after = parameters.integer("times", 1), parameters.integer("retry_after", 1)
    state.faults.arm(parameters.string("method"), trouble, times=times, retry_after=retry_after)
    return {"armed": times}


def _upload(state: BotApiState, parameters: Parameters) -> Wire:
    """One file, or several as an album."""
    _enter(state, parameters)
    files = list(parameters.uploads.values())
    caption, kind = parameters.string("caption"), _kind(files)
    if not files:
        raise bad_request("there is no file in the request")
    if len(files) > ALBUM:
        raise bad_request(f"at most {ALBUM} files at once")
    if len(files) > 1:
        sent = state.send_album(files, kind=kind, caption=caption)
    else:
        sent = [state.send_file(files[0], kind=kind, caption=caption, reply_to=_reply(parameters))]
    return {"message_ids": [update["message"]["message_id"] for update in sent]}


def _kind(files: Sequence[Upload]) -> str:
    if all(file.media_type in PICTURES and dimensions(file.data) for file in files):
        return "photo"
    return "voice" if len(files) == 1 and files[0].media_type in VOICES else "document"


def _reply(parameters: Parameters) -> Reply | None:
    number = parameters.integer("reply_to")
    return Reply(number, parameters.string("quote")) if number else None
