"""A record that rooms are shown of: three days, an answer, a failure, a file, a quote, a schedule's word."""

import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

from legio.attachments import Depot
from legio.castra import Castra
from legio.console.page import Room
from legio.console.rooms.praetorium import praetorium_room
from legio.events import Usage
from legio.nuntius import Attachment, Nuntius, Quote, TurnState
from legio.ports import Ending, Letter
from legio.praetorium import Praetorium
from tests.praetorium.record import START, answered, parcel, praetorium_in, said

ZURICH = ZoneInfo("Europe/Zurich")
USAGE = Usage(
    input_tokens=1_200, output_tokens=34, cost_usd=0.0123, context_tokens=1_234, model="claude-sonnet-4-5"
)
CONTENT = b"all of Gaul"


@dataclass(frozen=True, slots=True)
class Kept:
    """An open record, the castra that it stands in, and the room over both."""

    praetorium: Praetorium
    castra: Castra
    depot: Depot
    room: Room

    async def said(self, text: str, *, hours: float = 0.0, **more: object) -> Nuntius:
        """A nuntius so many hours after the start of the record."""
        nuntius = said(text)
        return await self.praetorium.nuntii.post(
            replace(nuntius, timestamp=START + timedelta(hours=hours), **more)  # type: ignore[arg-type]
        )


@contextlib.asynccontextmanager
async def kept(folder: Path) -> AsyncIterator[Kept]:
    """An empty one in that folder."""
    castra = Castra(folder)
    async with praetorium_in(folder) as praetorium:
        depot = Depot(castra)
        room = praetorium_room(praetorium.chronicle, praetorium.ledger, praetorium.search, depot, ZURICH)
        yield Kept(praetorium, castra, depot, room)


async def conversed(kept: Kept) -> None:
    """Two are asked, one answers and is thanked, the other fails: nuntii 1 to 3."""
    praetorium = kept.praetorium
    await praetorium.inbox.put(Letter(id=501, payload="{}", received=START))
    question = said("How deep is the ford?", audience=("vorenus", "pullo"))
    turns = await praetorium.turns.admit(question, ["vorenus", "pullo"], update_id=501, message=41)
    ending = answered("So deep that tents float.", "vorenus", turns[0].nuntius, parcel("so deep"))
    reply = await praetorium.turns.end(turns[0], replace(ending, usage=USAGE, seconds=12.34))
    await praetorium.turns.end(turns[1], Ending(TurnState.FAILED, None, (), detail="no model", seconds=2))
    await praetorium.nuntii.post(said("Thanks for the tents.", audience=("vorenus",), reply_to=reply))


def filed(kept: Kept, name: str = "plan of war.pdf") -> Attachment:
    """A file that came in."""
    place = kept.depot.keep(datetime(2026, 11, 21).date(), "7", name, CONTENT)  # noqa: DTZ001  (a day)
    return Attachment(place, name, "application/pdf", len(CONTENT), "document")


def quoted(text: str) -> Quote:
    """Words that a nuntius is about."""
    return Quote("vorenus", text)
