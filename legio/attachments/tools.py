"""What an agent sends to Caesar: a file of his own workspace, copied so that it is sent as it was meant.

Each is a nuntius of the agent's with its parcel, written in one transaction: so a reply to it addresses him,
and the record holds what went out.
"""

import asyncio
import mimetypes
import uuid
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import PurePosixPath
from typing import Final

from legio.attachments.depot import Depot
from legio.endings import Endings
from legio.errors import Refused
from legio.nuntius import ALL, CAESAR, PHOTO, Attachment, Nuntius, Turn, distinct, reply_audience
from legio.ports import Tool, takes
from legio.record import Record
from legio.sessions import Sessions

MOST_IN_A_TURN: Final = 10
"""An agent that sends files without end would flood Caesar's chat and fill his disk."""
CAPTION_CHARACTERS: Final = 500
PICTURES: Final = frozenset({"image/jpeg", "image/png", "image/webp"})


class Sending:
    """Sends agents' files. `sessions` gives the sessions, which are built later than this."""

    def __init__(
        self, record: Record, depot: Depot, endings: Endings, sessions: Callable[[], Sessions], replies: str
    ) -> None:
        self._record = record
        self._depot = depot
        self._endings = endings
        self._sessions = sessions
        self._replies = replies
        self._sent: Counter[int] = Counter()

    async def send(self, agent: str, path: str, caption: str) -> str:
        """Put the file on its way; raises `Refused` for one that may not be sent, or when it is too many."""
        turn = self._sessions().of(agent).current
        if turn is None:
            raise Refused("there is no turn of yours to send a file for.")
        self._count(turn)
        now = self._record.clock.now()
        identity = str(uuid.uuid4())
        content = await asyncio.to_thread(self._depot.own, agent, path)
        name = PurePosixPath(path).name
        place = await asyncio.to_thread(self._depot.keep, now.date(), identity, name, content)
        kind, media_type = _kind(name)
        file = Attachment(place, name, media_type, len(content), kind)
        nuntius = Nuntius(
            identity, agent, caption, self._heard(turn), now, reply_to=turn.nuntius.id, attachments=(file,)
        )
        parcel = self._record.messenger.file(turn, self._endings.heading(agent), file, caption)
        posted = await self._record.nuntii.post(nuntius, [parcel])
        self._record.messenger.wake()
        return f"{name} is on its way to Caesar, as nuntius {posted.seq}."

    def _count(self, turn: Turn) -> None:
        if self._sent[turn.id] == MOST_IN_A_TURN:
            raise Refused(f"you have sent {MOST_IN_A_TURN} files in this turn; that is all.")
        if turn.id not in self._sent and len(self._sent) > 100:
            self._sent.clear()  # turns long gone
        self._sent[turn.id] += 1

    def _heard(self, turn: Turn) -> tuple[str, ...]:
        """Caesar, who gets it, and whoever will hear the answer."""
        heard = reply_audience(turn.agent, turn.nuntius, self._replies)
        return heard if heard == (ALL,) else distinct((CAESAR, *heard))


def _kind(name: str) -> tuple[str, str]:
    """What it is sent as, and its media type, by its name: what is in it nobody looks at here."""
    media_type = mimetypes.guess_type(name, strict=False)[0] or "application/octet-stream"
    return (PHOTO if media_type in PICTURES else "document"), media_type


def file_tools(sending: Sending, agent: str) -> tuple[Tool, ...]:
    """The tool of `agent` for sending a file; whose workspace it is stands in the closure."""

    async def send_file(arguments: Mapping[str, object]) -> str:
        return await sending.send(agent, str(arguments["path"]), str(arguments.get("caption", "")))

    return (
        Tool(
            "send_file",
            "Send Caesar a file or a picture from your workspace folder. Use it when he asked for a file, or"
            " when a picture or a document says it better than words. `path` is relative to your workspace."
            " Your answer in words is still your final text.",
            takes(
                optional=("caption",),
                path={"type": "string", "minLength": 1, "maxLength": 500},
                caption={"type": "string", "maxLength": CAPTION_CHARACTERS},
            ),
            send_file,
        ),
    )
