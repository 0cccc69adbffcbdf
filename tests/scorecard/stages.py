"""The stages of Legio's life at which it can be ended, as they show from outside: in processes and calls."""

import asyncio
import time
from collections.abc import Callable
from enum import StrEnum
from itertools import takewhile

from legio.local.model import Outcome
from tests.processes import LegioProcess, Station

TICK_SECONDS = 0.004


class Stage(StrEnum):
    """What has just begun when Legio is ended; START and ANY begin with its process."""

    START = "start"
    INTAKE = "intake"
    COMMAND = "command"
    CONNECT = "connect"
    TURN = "turn"
    SETTLE = "settle"
    OUTBOX = "outbox"
    ANY = "any"


SPREAD = {
    Stage.START: 2.0,
    Stage.INTAKE: 0.05,
    Stage.COMMAND: 0.003,
    Stage.CONNECT: 0.5,
    Stage.TURN: 0.1,
    Stage.SETTLE: 0.08,
    Stage.OUTBOX: 0.03,
    Stage.ANY: 3.0,
}
"""The longest delay in seconds, from the stage's beginning to the end of Legio."""


def begun(stage: Stage, station: Station, process: LegioProcess) -> Callable[[], bool]:
    """Tells whether the stage has begun, from this moment on."""
    telegram, model, since = station.telegram, station.model, time.monotonic()
    answered, edicta = model.counters[Outcome.ANSWERED], _edicta(station)

    def called(method: str) -> bool:
        new = takewhile(lambda call: call.at > since, reversed(telegram.calls))
        return any(call.method == method for call in new)

    match stage:
        case Stage.START | Stage.ANY:
            return lambda: True
        case Stage.INTAKE:
            return lambda: called("getUpdates")
        case Stage.COMMAND:
            return lambda: _edicta(station) > edicta
        case Stage.CONNECT:
            return lambda: len(process.family()) > 1
        case Stage.TURN:
            return lambda: model.running > 0
        case Stage.SETTLE:
            return lambda: model.counters[Outcome.ANSWERED] > answered
        case Stage.OUTBOX:
            return lambda: called("sendMessage")


async def within(seconds: float, condition: Callable[[], bool], *, tick: float = TICK_SECONDS) -> bool:
    """Wait until `condition()` is true, and no longer than `seconds`; returns whether it is."""
    end = time.monotonic() + seconds
    while time.monotonic() < end and not condition():  # noqa: ASYNC110  (no process tells when it is gone)
        await asyncio.sleep(tick)
    return condition()


def _edicta(station: Station) -> int:
    return len(list(station.castra.edicta.glob("*.xml")))
