"""The chat in front of the Bot API server: what the owner's phone would show, what his thumb would do.

It is one room of a page that others serve, behind a wall of theirs: here are the room's addresses and its
stream of events, in `static/` its script and style.
"""

import asyncio
import contextlib
import json
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from pathlib import Path
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles

from legio.errors import LegioError
from legio.local.botapi.events import Event
from legio.local.botapi.faults import Trouble
from legio.local.botapi.files import Upload
from legio.local.botapi.images import dimensions
from legio.local.botapi.message import Message, Reply
from legio.local.botapi.parameters import Parameters, read
from legio.local.botapi.settings import menu
from legio.local.botapi.state import BotApiState
from legio.local.botapi.text import pieces
from legio.local.botapi.waiting import first
from legio.local.botapi.wire import Refusal, Wire, bad_request
from legio.loopback import ENDING
from legio.nuntius import ALL, LEGATUS

NAME, TITLE = "chat", "Chat"
SCRIPT, STYLE = "/chat/static/room.js", "/chat/static/chat.css"
STATIC = Path(__file__).parent / "static"
SHOWN = 500
EARLIER = 200
"""So many messages the page begins with, and so many more it gets at once from further up."""
ALBUM = 10
PICTURES = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})
VOICES = frozenset({"audio/ogg", "audio/webm"})
OVER = Event("", "over", 0, {})
ALWAYS = ((LEGATUS, "Answers whoever names nobody"), (ALL, "Everybody at once"))

People = Callable[[], Sequence[tuple[str, str]]]
"""Who can be named with @ beside those who always can: names, and what each is for."""


def page_routes(state: BotApiState, people: People = tuple) -> list[BaseRoute]:
    """What the room asks for."""
    reads: dict[str, Callable[[Parameters], Wire]] = {
        "state": lambda _: _snapshot(state),
        "earlier": lambda parameters: _earlier(state, parameters),
        "commands": lambda _: {"commands": menu(state)},
        "people": lambda _: {
            "people": [{"name": name, "description": about} for name, about in (*people(), *ALWAYS)]
        },
    }
    deeds: dict[str, Callable[[Parameters], Wire]] = {
        "say": lambda parameters: _say(state, parameters),
        "edit": lambda parameters: _edit(state, parameters),
        "press": lambda parameters: _press(state, parameters),
        "upload": lambda parameters: _upload(state, parameters),
        "fault": lambda parameters: _fault(state, parameters),
    }

    async def events(request: Request) -> Response:
        position = request.headers.get("last-event-id") or request.query_params.get("after", "")
        ending = request.scope.get(ENDING) or asyncio.Event()
        return StreamingResponse(_stream(state, position, ending), media_type="text/event-stream")

    async def asked(request: Request) -> Response:
        known = reads if request.method == "GET" else deeds
        answer = known.get(request.path_params["name"])
        if answer is None:
            return JSONResponse({"error": "There is no such address."}, 404)
        return await _answered(answer, request)

    async def file(request: Request) -> Response:
        return _file(state, request.path_params["file_id"])

    return [
        Mount("/chat/static", StaticFiles(directory=STATIC)),
        Route("/chat/events", events),
        Route("/chat/file/{file_id}", file),
        Route("/chat/{name}", asked, methods=["GET", "POST"]),
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
        **_last(state, state.messages, SHOWN),
        "drafts": [
            {"id": number, "text": text.plain, "entities": [entity.wire() for entity in text.entities]}
            for number, text in chat.drafts.items()
        ],
    }


def _earlier(state: BotApiState, parameters: Parameters) -> Wire:
    """What stands above the message `before`."""
    before = parameters.integer("before")
    return _last(state, [message for message in state.messages if message.id < before], EARLIER)


def _last(state: BotApiState, messages: Sequence[Message], count: int) -> Wire:
    """The newest of them, and whether there are more."""
    shown = [state.chats.view(message) for message in messages[-count:]]
    return {"messages": shown, "more": len(messages) > count}


async def _stream(state: BotApiState, position: str, ending: asyncio.Event) -> AsyncIterator[str]:
    """Server-sent events of the owner's chat, until the server is about to stop."""
    yield "retry: 1000\n\n"
    async with contextlib.aclosing(state.events.follow(position)) as events:
        while (event := await first(_next(events), _over(ending))) is not OVER:
            if event is None:
                yield ": still here\n\n"
            elif event.chat in {0, state.owner.id}:
                yield f"id: {event.position}\nevent: {event.kind}\ndata: {json.dumps(event.data)}\n\n"


async def _next(events: AsyncGenerator[Event | None, None]) -> Event | None:
    """The next event, None for a sign of life, or the end."""
    return await anext(events, OVER)


async def _over(ending: asyncio.Event) -> Event | None:
    await ending.wait()
    return OVER


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
    """What the page asked for, or why not; the wall has seen to it that it is our page."""
    try:
        return JSONResponse(deed(await read(request)))
    except Refusal as refusal:
        return JSONResponse({"error": refusal.description}, refusal.code)
    except LegioError as error:
        return JSONResponse({"error": str(error)}, 400)


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
