"""The room *Now*: how each agent is at this moment, live, and what can be done to him at once.

What is done here is done as by the bot's own commands, so Caesar is told of it in the chat.
"""

from collections.abc import AsyncGenerator, Sequence

from starlette.requests import Request
from starlette.routing import Route

from legio import logs
from legio.console.page import Room
from legio.console.streaming import HEARTBEAT_SECONDS, Sent, streamed
from legio.console.wire import answering, body, moment, text
from legio.errors import LegioError
from legio.legatus import HELD
from legio.survey import ASLEEP, Condition, Survey
from legio.tuning import Dial

LOOK_SECONDS = 1.0
LOOKS_BEFORE_WEIGHING = 10
"""Processes are weighed less often than looked at: the system has to be asked for all of theirs."""

KINDS = {ASLEEP: "asleep", "awake": "awake", HELD: "held"}
"""The state in one word that a style can be named by; what is none of these is work."""


def now_room(survey: Survey) -> Room:
    """The room over one survey, whose clock says when it is looked again."""

    async def agents(_: Request) -> object:
        return await _Look(survey).shown()

    async def live(request: Request) -> object:
        return streamed(request, _changes(survey))

    async def stop(request: Request) -> object:
        name = await _named(survey, request)
        return {"said": f"Stopping {name}." if survey.legatus.stop(name) else f"{name} has nothing to stop."}

    async def reset(request: Request) -> object:
        name = await _named(survey, request)
        survey.legatus.reset(name)
        return {"said": f"{name} is being reset."}

    async def sleep(request: Request) -> object:
        return {"said": survey.legatus.sleep(await _named(survey, request))}

    return Room(
        name="now",
        title="Now",
        script="/static/rooms/now.js",
        style="/static/rooms/agents.css",
        routes=(
            Route("/camp/now/agents", answering(agents)),
            Route("/camp/now/live", answering(live)),
            Route("/camp/now/stop", answering(stop), methods=["POST"]),
            Route("/camp/now/reset", answering(reset), methods=["POST"]),
            Route("/camp/now/sleep", answering(sleep), methods=["POST"]),
        ),
    )


async def _named(survey: Survey, request: Request) -> str:
    return survey.known(text(await body(request), "name"))


async def _changes(survey: Survey) -> AsyncGenerator[Sent | None, None]:
    """The whole state whenever it has changed, and a sign of life where it has not for long."""
    look, silent = _Look(survey), 0.0
    while True:
        sent = await look.news()
        silent = 0.0 if sent is not None else silent + LOOK_SECONDS
        if sent is not None or silent >= HEARTBEAT_SECONDS:
            silent = 0.0
            yield sent
        await survey.clock.sleep(LOOK_SECONDS)


class _Look:
    """One reader's look at the camp: it remembers what he was shown last."""

    def __init__(self, survey: Survey) -> None:
        self._survey = survey
        self._looks = 0
        self._seen: Sequence[Condition] = ()
        self._megabytes: dict[str, float | None] = {}
        self._told: object = None

    async def news(self) -> Sent | None:
        """What is to be shown now, or None where he was shown the same before."""
        told: object
        try:
            state, told = await self._look()
            sent = Sent("state", state)
        except LegioError as error:  # the record may be out of reach for a moment
            told = str(error)
            sent = Sent("trouble", {"error": logs.redacted(told)})
        if told == self._told:
            return None
        self._told = told
        return sent

    async def shown(self) -> object:
        """The state as JSON; raises `LegioError` when it cannot be read."""
        return (await self._look())[0]

    async def _look(self) -> tuple[object, object]:
        """The state as JSON, and the part of it by which one state differs from another."""
        conditions = await self._survey.all()
        if self._looks % LOOKS_BEFORE_WEIGHING == 0 or _processes(conditions) != _processes(self._seen):
            self._megabytes = {it.name: await self._survey.megabytes(it) for it in conditions}
        self._looks += 1
        self._seen = conditions
        rows = [_row(self._survey, it, self._megabytes.get(it.name)) for it in conditions]
        return {"agents": rows}, (conditions, _rounded(self._megabytes))


def _processes(conditions: Sequence[Condition]) -> list[object]:
    """Who has which process."""
    return [(it.name, it.state == ASLEEP, it.thread and it.thread.process) for it in conditions]


def _rounded(megabytes: dict[str, float | None]) -> list[object]:
    return [(name, None if weight is None else round(weight)) for name, weight in megabytes.items()]


def _row(survey: Survey, it: Condition, megabytes: float | None) -> dict[str, object]:
    return {
        "name": it.name,
        "description": it.description,
        "trouble": it.trouble,
        "state": it.state,
        "kind": KINDS.get(it.state, "working"),
        "seconds": 0.0 if it.state == ASLEEP else survey.clock.monotonic() - it.since,
        "tool": it.tool and {"name": it.tool.name, "seconds": survey.clock.monotonic() - it.tool.since},
        "waiting": it.waiting,
        "tokens": it.tokens,
        "most": survey.max_context_tokens,
        "share": survey.share(it.tokens),
        "cost": it.usd,
        "model": _in_force(it, Dial.MODEL),
        "effort": _in_force(it, Dial.EFFORT),
        "megabytes": None if megabytes is None else round(megabytes),
        **_threaded(it),
    }


def _in_force(it: Condition, dial: Dial) -> dict[str, str | None]:
    choice = it.in_force.get(dial)
    if choice is None:
        return {"value": None, "reason": ""}
    return {"value": choice.value, "reason": choice.reason}


def _threaded(it: Condition) -> dict[str, object]:
    """His thread: its id, why it was begun and when, and what has been renewed about it since."""
    thread = it.thread
    if thread is None:
        return {"thread": None, "rebuilt": "", "begun": None, "since": "", "active": None}
    return {
        "thread": thread.id,
        "rebuilt": thread.origin or thread.reason,
        "begun": moment(thread.begun),
        "since": thread.reason if thread.origin and thread.reason != thread.origin else "",
        "active": moment(thread.last_active),
    }
