"""What was selected of the record, as a file to keep: written while it is read, a part at a time.

So an export of a million nuntii holds no more memory than one of five hundred. How a nuntius is written is
the scribe's business.
"""

import contextlib
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from datetime import tzinfo
from typing import Final

from starlette.responses import StreamingResponse

from legio.errors import Refused
from legio.nuntius import CAESAR, Nuntius
from legio.ports import Chronicle, Search, Selection
from legio.scribe import FORMS

PART: Final = 500
"""So many nuntii are read at once."""
KINDS: Final = {
    "jsonl": ("praetorium.jsonl", "application/jsonl; charset=utf-8"),
    "markdown": ("praetorium.md", "text/markdown; charset=utf-8"),
}
"""Of each form, how its file is called and what kind of file it is."""

Parts = AsyncGenerator[Sequence[Nuntius], None]


@dataclass(frozen=True, slots=True)
class Exporting:
    """Writes out what the record holds, oldest first; days and hours are those of `zone`."""

    chronicle: Chronicle
    search: Search
    zone: tzinfo

    async def selected(self, selection: Selection) -> Parts:
        """All of a selection."""
        after = 0
        while page := await self.chronicle.page(selection, PART, after=after):
            yield page[::-1]
            after = page[0].seq

    async def picked(self, seqs: Sequence[int]) -> Parts:
        """Those of these seqs that there are."""
        ordered = sorted(set(seqs))
        for start in range(0, len(ordered), PART):
            yield await self.chronicle.picked(ordered[start : start + PART])

    async def sought(self, words: str, within: Selection) -> list[int]:
        """The seqs of all that is found for `words`; raises `Refused` where there is no word in them."""
        last, seqs = await newest(self.chronicle), list[int]()
        while True:
            hits = await self.search.find(
                CAESAR, words, limit=PART, offset=len(seqs), last=last, within=within
            )
            seqs += [each.nuntius.seq for each in hits.found]
            if len(hits.found) < PART:
                return seqs

    def answer(self, form: str, parts: Parts) -> StreamingResponse:
        """The parts as a download in that form; raises `Refused` where there is no such form.

        A record that cannot be read any more breaks the download off, which the browser notices.
        """
        if form not in KINDS:
            raise Refused(f"there is no form '{form}'.", remedy=f"There are: {', '.join(KINDS)}.")
        name, kind = KINDS[form]
        headers = {"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "no-store"}
        return StreamingResponse(self.written(form, parts), media_type=kind, headers=headers)

    async def written(self, form: str, parts: Parts) -> AsyncGenerator[str, None]:
        """The parts in that form, each read when it is asked for."""
        write = FORMS[form](self.zone)
        async with contextlib.aclosing(parts):
            async for part in parts:
                yield "".join(map(write, part))


async def newest(chronicle: Chronicle) -> int:
    """The last seq that was given; 0 while nothing was said."""
    return next((each.seq for each in await chronicle.page(Selection(), 1)), 0)
