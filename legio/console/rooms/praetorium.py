"""The room *Praetorium*: all that was said, by the page and by its words, and one nuntius with its way.

It reads and changes nothing. Days and hours are those of the owner's zone, and are written as its clock shows
them, wherever the browser is.
"""

import asyncio
from collections.abc import Sequence
from datetime import date, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from starlette.requests import Request
from starlette.responses import FileResponse
from starlette.routing import Route

from legio import logs
from legio.attachments import Depot
from legio.attachments.names import safe_name
from legio.console.exporting import Exporting, newest
from legio.console.page import Room
from legio.console.wire import LARGEST_PAGE, answering, number
from legio.days import beginning
from legio.endings import way
from legio.errors import CastraError, Refused
from legio.nuntius import CAESAR, Attachment, Nuntius, viewers
from legio.ports import Chronicle, Conversation, Found, Ledger, Passage, Search, Selection

PLACE: Final = "/camp/praetorium"
PAGE: Final = 50
EXCERPT_CHARACTERS: Final = 400
MOST_PICKED: Final = 500
"""How many nuntii can be named one by one in an address."""
YEARS: Final = range(1970, 3000)
"""The years of which a day may be asked for: nothing was said outside of them."""
_DIGITS: Final = 18


def praetorium_room(
    chronicle: Chronicle, ledger: Ledger, search: Search, depot: Depot, zone: ZoneInfo
) -> Room:
    """The room over the record; files that came with nuntii are given out of `depot`."""
    reading = _Reading(chronicle, ledger, search, depot, zone)
    return Room(
        "praetorium",
        "Praetorium",
        "/static/rooms/praetorium.js",
        [
            Route(f"{PLACE}/nuntii", answering(reading.nuntii)),
            Route(f"{PLACE}/search", answering(reading.found)),
            Route(f"{PLACE}/nuntius/{{seq}}", answering(reading.nuntius)),
            Route(f"{PLACE}/nuntius/{{seq}}/file/{{position}}", answering(reading.file)),
            Route(f"{PLACE}/export", answering(reading.export)),
        ],
        "/static/rooms/praetorium.css",
    )


class _Reading:
    """What is answered."""

    def __init__(
        self, chronicle: Chronicle, ledger: Ledger, search: Search, depot: Depot, zone: ZoneInfo
    ) -> None:
        self._chronicle = chronicle
        self._ledger = ledger
        self._search = search
        self._depot = depot
        self._zone = zone
        self._exporting = Exporting(chronicle, search, zone)

    async def nuntii(self, request: Request) -> object:
        """A page of a selection, newest first: the newest, those before a seq, or those after one."""
        selection, chronicle = self._selection(request), self._chronicle
        limit = number(request, "limit", PAGE, most=LARGEST_PAGE)
        after = number(request, "after", 0) if "after" in request.query_params else None
        page = await chronicle.page(
            selection, limit, before=number(request, "before", 0) or None, after=after
        )
        if after is not None and len(page) < limit:
            page = await chronicle.page(selection, limit)  # so near to the newest a page would not be full
        return {
            "nuntii": [self._brief(each) for each in page],
            "newer": bool(page and await chronicle.page(selection, 1, after=page[0].seq)),
            "older": bool(page and await chronicle.page(selection, 1, before=page[-1].seq)),
            "names": await chronicle.names(),
            "zone": str(self._zone),
        }

    async def found(self, request: Request) -> object:
        """Some of what is found by words, the best first; later pages go up to the `last` of the first."""
        last = number(request, "last", 0) or await newest(self._chronicle)
        offset = number(request, "offset", 0)
        hits = await self._search.find(
            CAESAR,
            _words(request),
            limit=number(request, "limit", PAGE, most=LARGEST_PAGE),
            offset=offset,
            last=last,
            within=self._selection(request),
        )
        return {
            "nuntii": [{**self._brief(each.nuntius), "parts": _parts(each)} for each in hits.found],
            "total": hits.total,
            "offset": offset,
            "last": last,
            "names": await self._chronicle.names(),
            "zone": str(self._zone),
        }

    async def nuntius(self, request: Request) -> object:
        """One nuntius: the whole of it, who sees it, what it belongs with, and the ways of its turns."""
        seq = _seq(request.path_params["seq"])
        conversation = await self._chronicle.conversation(seq)
        if conversation is None:
            raise Refused(f"there is no nuntius {seq}.", remedy="Look for it in the list.")
        nuntius = conversation.nuntius
        return {
            "nuntius": {**self._brief(nuntius), "text": nuntius.text, "seen": viewers(nuntius)},
            "above": [self._brief(each) for each in conversation.above],
            "below": [
                {**self._brief(each), "depth": depth}
                for each, depth in zip(conversation.below, _depths(conversation), strict=True)
            ],
            "more": conversation.more,
            "ways": [_way(each) for each in await self._ledger.passages(seq)],
        }

    async def file(self, request: Request) -> FileResponse:
        """A file that came with a nuntius, to be kept: a browser never opens what somebody sent."""
        seq, position = _seq(request.path_params["seq"]), _seq(request.path_params["position"])
        files = [each.attachments for each in await self._chronicle.picked([seq])]
        kept = dict(enumerate(files[0])) if files else {}
        attachment = kept.get(position)
        if attachment is None or not attachment.path:
            raise Refused("this file was not kept.", remedy="Look at the nuntius, which says why.")
        path = self._depot.path(attachment.path)
        if not await asyncio.to_thread(path.is_file):
            raise CastraError("this file is gone.", where=attachment.path, remedy="Look into a backup.")
        return FileResponse(
            path,
            media_type="application/octet-stream",
            filename=safe_name(attachment.name),
            headers={"Cache-Control": "no-store"},
        )

    async def export(self, request: Request) -> object:
        """The selection as a file: the nuntii that are named, else what is found, else all of it."""
        exporting, selection = self._exporting, self._selection(request)
        form = request.query_params.get("form", "")
        if named := request.query_params.get("seqs"):
            return exporting.answer(form, exporting.picked(_seqs(named)))
        if words := _words(request):
            seqs = await exporting.sought(words, selection)
            return exporting.answer(form, exporting.picked(seqs))
        return exporting.answer(form, exporting.selected(selection))

    def _selection(self, request: Request) -> Selection:
        """By whom or to whom, and on which of the owner's days."""
        agent = request.query_params.get("agent") or None
        given = request.query_params.get("day")
        if not given:
            return Selection(agent)
        day = _day(given)
        return Selection(agent, beginning(day, self._zone), beginning(day + timedelta(days=1), self._zone))

    def _brief(self, nuntius: Nuntius) -> dict[str, object]:
        """A nuntius as a list shows it: as much of its text as an excerpt holds."""
        return {
            "seq": nuntius.seq,
            "time": nuntius.timestamp.astimezone(self._zone).isoformat(timespec="seconds"),
            "sender": nuntius.sender,
            "audience": nuntius.audience,
            "text": nuntius.text[:EXCERPT_CHARACTERS],
            "cut": len(nuntius.text) > EXCERPT_CHARACTERS,
            "origin": nuntius.origin,
            "quote": nuntius.quote and {"sender": nuntius.quote.sender, "text": nuntius.quote.text},
            "answers": nuntius.reply_to is not None,
            "files": [_file(each) for each in nuntius.attachments],
        }


# --- what is asked -----------------------------------------------------------------------------------------


def _words(request: Request) -> str:
    return request.query_params.get("words", "").strip()


def _seq(raw: str) -> int:
    if not (raw.isascii() and raw.isdecimal() and len(raw) <= _DIGITS):
        raise Refused("this is no number of a nuntius.", remedy="Choose it in the list.")
    return int(raw)


def _seqs(raw: str) -> list[int]:
    named = raw.split(",")
    if len(named) > MOST_PICKED:
        raise Refused(f"{len(named)} are too many.", remedy=f"Choose {MOST_PICKED} at most, or a filter.")
    return [_seq(each) for each in named]


def _day(raw: str) -> date:
    try:
        day = date.fromisoformat(raw)
    except ValueError:
        day = date.min
    if day.year not in YEARS:
        raise Refused(f"'{raw}' is no day.", remedy="Write year, month and day: 2026-11-01.")
    return day


# --- what is shown -----------------------------------------------------------------------------------------


def _file(attachment: Attachment) -> dict[str, object]:
    return {
        "name": attachment.name,
        "size": attachment.size,
        "type": attachment.media_type,
        "note": attachment.note,
        "kept": bool(attachment.path),
    }


def _parts(found: Found) -> list[tuple[str, bool]]:
    """The snippet in parts, each with whether it is marked: positions mean something else in a browser."""
    parts, end = [], 0
    for start, stop in found.marks:
        parts += [(found.snippet[end:start], False), (found.snippet[start:stop], True)]
        end = stop
    return [part for part in (*parts, (found.snippet[end:], False)) if part[0]]


def _depths(conversation: Conversation) -> Sequence[int]:
    """How many answers lie between each nuntius below and the one it is about, counted from 1."""
    depths = {conversation.nuntius.id: 0}
    for each in conversation.below:
        depths[each.id] = depths.get(each.reply_to or "", 0) + 1
    return [depths[each.id] for each in conversation.below]


def _way(passage: Passage) -> dict[str, object]:
    return {
        "agent": passage.turn.agent,
        "state": passage.turn.state,
        "detail": logs.redacted(passage.detail),
        "rows": way(passage),
    }
