"""What comes with a file: gathered while its album is under way, fetched beside the intake, heard as one.

The intake only hands over; a slow download holds up no text, no button and no command. Until Caesar's words
are recorded, their updates stand unfinished in the inbox, so that whatever happens here, an earlier process's
work is begun again and nothing is lost. Messages with files keep their order among each other.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC
from typing import Final

import structlog
from telegram import Message, Update

from legio.bot.attachments.contents import AUDIO, VOICE, Remote, calling_nobody, content, said_in
from legio.bot.attachments.porter import Errand, Porter
from legio.bot.attachments.transcriber import Transcriber
from legio.errors import LegioError
from legio.legatus import Legatus
from legio.nuntius import Attachment, distinct
from legio.ports import Clock, Inbox

Take = Callable[[Update], Awaitable[None]]

log = structlog.get_logger()

ALBUM_SECONDS: Final = 1.0
"""An album is whole when none of it has come for so long; Telegram does not say how many it has."""
ALBUM: Final = 10
AT_ONCE: Final = 2
"""How many files of an album are fetched at once: each stands in the memory until it is kept."""
TRANSCRIBED: Final = "what is said in it stands in the message, as a machine heard it"


@dataclass(frozen=True, slots=True)
class Part:
    """One message with a file, and the update that brought it."""

    update_id: int
    message: Message
    text: str
    file: Remote


@dataclass(slots=True)
class _Album:
    """What has come of an album, and when the last of it came."""

    parts: list[Part]
    last: float

    def add(self, part: Part, now: float) -> None:
        """One more of it has come."""
        self.parts.append(part)
        self.last = now


@dataclass(frozen=True, slots=True)
class _Taken:
    """A file as it was taken, what is said in it, and what Caesar has to be told of it."""

    file: Attachment
    words: str = ""
    trouble: str = ""


class Arrivals:
    """Takes messages with files to the Legatus. `run` is the one task's body."""

    def __init__(
        self, inbox: Inbox, legatus: Legatus, porter: Porter, transcriber: Transcriber, clock: Clock
    ) -> None:
        self._inbox = inbox
        self._legatus = legatus
        self._porter = porter
        self._transcriber = transcriber
        self._clock = clock
        self._incoming: asyncio.Queue[Part] = asyncio.Queue()
        self._whole: asyncio.Queue[list[Part]] = asyncio.Queue()
        self._albums: dict[str, _Album] = {}
        self._few = asyncio.Semaphore(AT_ONCE)

    def before(self, take: Take) -> Take:
        """An intake that takes messages with files, in their own time, and leaves the rest to `take`."""

        async def intake(update: Update) -> None:
            said = None if update.message is None else content(update.message)
            if update.message is None or said is None or said.file is None:
                await take(update)
            else:
                self._incoming.put_nowait(Part(update.update_id, update.message, said.text, said.file))

        return intake

    async def run(self) -> None:
        """Pass on for ever, until cancelled; what was under way then is begun again by the next process."""
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._carry(), name="arrivals:carry")
            while True:
                part = await self._incoming.get()
                album = part.message.media_group_id
                if album is None:
                    self._whole.put_nowait([part])
                elif album in self._albums:
                    self._albums[album].add(part, self._clock.monotonic())
                else:
                    self._albums[album] = _Album([part], self._clock.monotonic())
                    tasks.create_task(self._gather(album), name=f"arrivals:{album}")

    async def _gather(self, name: str) -> None:
        album = self._albums[name]
        while len(album.parts) < ALBUM and (rest := album.last + ALBUM_SECONDS - self._clock.monotonic()) > 0:
            await self._clock.sleep(rest)
        del self._albums[name]
        self._whole.put_nowait(sorted(album.parts, key=lambda part: part.message.message_id))

    async def _carry(self) -> None:
        while True:
            parts = await self._whole.get()
            try:
                await self._pass_on(parts)
            except Exception:  # the border of one message: its updates stay open until the next start
                log.exception("arrival.broke", updates=[part.update_id for part in parts])

    async def _pass_on(self, parts: Sequence[Part]) -> None:
        taken = [await self._heard(it) for it in await asyncio.gather(*map(self._fetched, parts))]
        words = distinct(filter(None, (*(part.text for part in parts), *map(_spoken, parts, taken))))
        said = replace(
            said_in(parts[0].message, parts[0].update_id, "\n\n".join(words)),
            attachments=tuple(it.file for it in taken),
            further=tuple(part.update_id for part in parts[1:]),
        )
        asked = bool(said.text) or any(it.file.path for it in taken)
        # Before it is asked: whatever happens in between, Caesar is told, at worst twice.
        await self._complain([it for it in taken if it.trouble], asked=asked)
        if asked:
            await self._legatus.hear(said)
        else:
            for update_id in said.updates:
                await self._inbox.finish(update_id)

    async def _fetched(self, part: Part) -> _Taken:
        day = part.message.date.astimezone(UTC).date()
        async with self._few:
            file = await self._porter.fetch(Errand(part.file, str(part.update_id), day))
        return _Taken(file, trouble="" if file.path else file.note)

    async def _heard(self, taken: _Taken) -> _Taken:
        """A sound with what is said in it; any other file as it is."""
        file = taken.file
        if not file.path or file.kind not in (VOICE, AUDIO):
            return taken
        try:
            words = await self._transcriber.words(file.path)
        except LegioError as error:
            trouble = f"it was not heard: {error}"
            return _Taken(replace(file, note=trouble), trouble=trouble)
        return _Taken(replace(file, note=TRANSCRIBED), words)

    async def _complain(self, troubled: Sequence[_Taken], *, asked: bool) -> None:
        if troubled:
            rows = [f"⚠️ {it.file.name}: {it.trouble}" for it in troubled]
            rest = "What else there was is passed on." if asked else "Nothing was passed on."
            await self._legatus.tell("\n".join([*rows, rest]))


def _spoken(part: Part, taken: _Taken) -> str:
    """What is said in a sound; in one that was passed on somebody else says it."""
    return taken.words if part.message.forward_origin is None else calling_nobody(taken.words)
