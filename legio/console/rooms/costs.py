"""The room *Costs and health*: what the legion takes day by day, how Legio is, and what has not gone out.

It shows what other parts know and changes one thing: what was given up is sent again.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Final
from zoneinfo import ZoneInfo

from starlette.requests import Request
from starlette.routing import Route

from legio import logs
from legio.budget import Cap
from legio.console.accounts import Account, By, wire
from legio.console.health import complaints
from legio.console.page import Room
from legio.console.scorecard import PLACE, scorecard
from legio.console.server import Console
from legio.console.wire import answering, body, moment, number
from legio.days import day_of, last_days
from legio.errors import LegioError, Refused
from legio.nuntius import Tally
from legio.ports import Clock, Figures, Ledger, Pulse, Undelivered, Unsent

DAYS: Final = 30
MOST_DAYS: Final = 90
WIDTH: Final = 640
NARROWEST: Final = 240
WIDEST: Final = 1600
"""In pixels: between them a picture is drawn as wide as the page has room."""

Wire = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Sources:
    """Where the room looks. `zone` is where the owner's days begin.

    `caps` gives the budget as it stands; `preview` says in a line what a parcel's payload carries; `wake` has
    the outbox looked at.
    """

    console: Console
    figures: Figures
    caps: Callable[[], Awaitable[tuple[Cap, ...]]]
    ledger: Ledger
    clock: Clock
    zone: ZoneInfo
    preview: Callable[[str], str]
    wake: Callable[[], None]
    scorecard: Path = PLACE


def costs_room(sources: Sources) -> Room:
    """The room over these sources."""
    handlers = (
        ("figures", _figures, "GET"),
        ("health", _health, "GET"),
        ("outbox", _outbox, "GET"),
        ("retry", _retry, "POST"),
        ("scorecard", _scorecard, "GET"),
    )
    return Room(
        name="costs",
        title="Costs and health",
        script="/static/rooms/costs.js",
        routes=[
            Route(f"/camp/costs/{name}", answering(partial(handler, sources)), methods=[method])
            for name, handler, method in handlers
        ],
        style="/static/rooms/costs.css",
    )


# --- costs -------------------------------------------------------------------------------------------------


async def _figures(sources: Sources, request: Request) -> Wire:
    """What the last days took: `days` of them, today among them, `by` agent or model, pictures of `width`."""
    count = max(1, number(request, "days", DAYS, most=MOST_DAYS))
    width = max(NARROWEST, number(request, "width", WIDTH, most=WIDEST))
    by = _by(request.query_params.get("by", By.AGENT))
    days = last_days(day_of(sources.clock.now(), sources.zone), count)
    account = Account(days, await sources.figures.of(days, sources.zone), by)
    # A long account is some milliseconds of drawing, which nobody else has to wait for.
    return {"zone": sources.zone.key, **await asyncio.to_thread(wire, account, width=width)}


def _by(text: str) -> By:
    try:
        return By(text)
    except ValueError:
        raise Refused(f"'by' is one of {', '.join(By)}.", remedy="Load the page again.") from None


# --- health ------------------------------------------------------------------------------------------------


async def _health(sources: Sources, _: Request) -> Wire:
    """How Legio is and what of today's budget is gone; a record that cannot be read is a complaint."""
    try:
        pulse, caps = await sources.console.pulse(), await sources.caps()
    except LegioError as error:
        return {"well": False, "complaints": [logs.redacted(str(error))], "pulse": None, "caps": []}
    said = [logs.redacted(each) for each in complaints(pulse, sources.console.bounds)]
    return {
        "well": not said,
        "complaints": said,
        "pulse": _pulse(pulse),
        "caps": [{**asdict(cap), "size": cap.size} for cap in caps],
    }


def _pulse(pulse: Pulse) -> Wire:
    backlog, reception = pulse.backlog, pulse.reception
    return {
        "uptime": pulse.uptime_seconds,
        "sessions": pulse.live_sessions,
        "own": pulse.own_bytes,
        "started": pulse.started_bytes,
        "error": moment(pulse.last_error),
        "silent": reception.silent_seconds,
        "troubles": reception.troubles,
        "restarts": reception.restarts,
        "inbox": backlog.inbox,
        "inbox_seconds": backlog.inbox_seconds,
        "turn_seconds": backlog.turn_seconds,
        "slowest": backlog.slowest,
        "slowest_seconds": backlog.slowest_seconds,
        "outbox": backlog.outbox,
        "outbox_seconds": backlog.outbox_seconds,
        "undeliverable": backlog.undeliverable,
        "law": _law(backlog.tally),
    }


def _law(tally: Tally) -> Wire:
    """received = answered + failed + stopped + expired + pending, and whether it is so."""
    return {**asdict(tally), "holds": tally.holds}


# --- the outbox --------------------------------------------------------------------------------------------


async def _outbox(sources: Sources, _: Request) -> Wire:
    """What waits and what was given up, oldest first, at most a hundred of each."""
    return {
        "unsent": [_waiting(sources, each) for each in await sources.ledger.unsent()],
        "undelivered": [_parcel(sources, each) for each in await sources.ledger.undelivered()],
    }


def _waiting(sources: Sources, unsent: Unsent) -> Wire:
    return {**_parcel(sources, unsent), "tries": unsent.tries, "doubtful": unsent.doubtful}


def _parcel(sources: Sources, parcel: Unsent | Undelivered) -> Wire:
    return {
        "id": parcel.id,
        "created": moment(parcel.created),
        "carries": sources.preview(parcel.parcel.payload),
        "error": logs.redacted(parcel.error),
    }


async def _retry(sources: Sources, request: Request) -> Wire:
    """Send again all that was given up."""
    await body(request)
    count = await sources.ledger.retry()
    sources.wake()
    return {"count": count}


# --- the scorecard -----------------------------------------------------------------------------------------


async def _scorecard(sources: Sources, _: Request) -> Wire:
    """What was measured of this version; `groups` is empty where nothing was."""
    found = await asyncio.to_thread(scorecard, sources.scorecard)
    return {"measured": "", "explained": "", "head": [], "groups": []} if found is None else asdict(found)
