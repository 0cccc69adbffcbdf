"""What the tests of the record share: a clock that only moves when told, and values with short names."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import NAMESPACE_OID, uuid5

from legio.nuntius import Nuntius, TurnState
from legio.ports import Dispatch, Ending, Parcel
from legio.praetorium import Praetorium, open_praetorium

UNTOLD = """
    SELECT turns.id FROM turns LEFT JOIN events ON events.turn = turns.id
        AND events.kind IN ('user', 'handoff', 'assistant', 'error', 'event') AND (
            events.kind <> 'event' OR events.text LIKE 'The turn %'
        )
    GROUP BY turns.id
    HAVING count(*) FILTER (WHERE events.kind IN ('user', 'handoff')) <> 1
        OR count(*) FILTER (WHERE events.kind = 'assistant') <> (turns.state = 'answered')
        OR count(*) FILTER (WHERE events.kind = 'error') <> (turns.state = 'failed')
        OR count(*) FILTER (WHERE events.kind = 'event') <> (turns.state IN ('stopped', 'expired'))
"""
"""The turns of which the feed does not say, once each, how they began and how they ended."""
START = datetime(2026, 11, 21, 3, 4, 5, 123456, tzinfo=UTC)
CHAT = 7


class StillClock:
    """A clock that stands at `START` until `moment` is set."""

    def __init__(self) -> None:
        self.moment = START

    def now(self) -> datetime:
        return self.moment

    def monotonic(self) -> float:
        return (self.moment - START).total_seconds()

    async def sleep(self, seconds: float) -> None:
        self.moment += timedelta(seconds=seconds)
        await asyncio.sleep(0)


@asynccontextmanager
async def praetorium_in(folder: Path, clock: StillClock | None = None) -> AsyncIterator[Praetorium]:
    async with open_praetorium(folder / "praetorium.db", clock or StillClock()) as praetorium:
        yield praetorium


def identity(label: str) -> str:
    return str(uuid5(NAMESPACE_OID, label))


def said(
    text: str,
    sender: str = "caesar",
    audience: tuple[str, ...] = ("legatus",),
    reply_to: Nuntius | None = None,
) -> Nuntius:
    """A nuntius whose id follows from who said what."""
    return Nuntius(
        id=identity(f"{sender}: {text}"),
        sender=sender,
        text=text,
        audience=audience,
        timestamp=START,
        reply_to=None if reply_to is None else reply_to.id,
    )


def answered(text: str, agent: str, question: Nuntius, *parcels: Parcel) -> Ending:
    reply = said(text, agent, ("caesar",), reply_to=question)
    return Ending(state=TurnState.ANSWERED, reply=reply, parcels=parcels)


def parcel(payload: str, seq: int | None = None) -> Parcel:
    return Parcel(chat=CHAT, payload=payload, seq=seq)


def payloads(dispatches: tuple[Dispatch, ...]) -> list[str]:
    return [dispatch.parcel.payload for dispatch in dispatches]
