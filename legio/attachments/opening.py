"""What came with a nuntius, as an agent is shown it: pictures within the model's limits, texts within bounds.

It happens when the agent is asked, in a thread, one nuntius at a time: a picture that is unfolded takes much
memory. What cannot be shown is said, and never fails the turn.
"""

import asyncio
import codecs
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import structlog

from legio.attachments.depot import Depot
from legio.attachments.pictures import fit
from legio.errors import LegioError, Refused
from legio.nuntius import Attachment, Nuntius
from legio.ports import Enclosed, Picture

log = structlog.get_logger()

MOST_PICTURES: Final = 10
"""An album has no more, and a request has its bounds."""
TEXT_CHARACTERS: Final = 40_000
ALL_TEXT_CHARACTERS: Final = 80_000
"""How much of one text file, and of all with a nuntius, is told."""
_MOST_BYTES: Final = 4 * TEXT_CHARACTERS + 4
TEXTUAL: Final = frozenset(
    {
        "application/json", "application/xml", "application/toml", "application/yaml", "application/x-yaml",
        "application/javascript", "application/x-sh", "application/sql", "application/x-subrip",
    }
)  # fmt: skip


class Opening:
    """The `Enclose` of one castra."""

    def __init__(self, depot: Depot) -> None:
        self._depot = depot
        self._one_at_a_time = asyncio.Lock()

    async def __call__(self, nuntius: Nuntius, workspace: Path | None = None) -> Enclosed:
        """Open what came with it, and lend it to the workspace if one is named."""
        kept = [it for it in nuntius.attachments if it.path]
        if not kept:
            return Enclosed()
        async with self._one_at_a_time:
            return await asyncio.to_thread(self._opened, kept, workspace)

    def _opened(self, attachments: Sequence[Attachment], workspace: Path | None) -> Enclosed:
        pictures: list[Picture] = []
        texts: dict[str, str] = {}
        flaws: dict[str, str] = {}
        lent: dict[str, str] = {}
        for it in attachments:
            try:
                if workspace is not None:
                    lent[it.path] = self._depot.lend(it.path, workspace)
                if is_picture(it.media_type):
                    pictures.append(self._picture(it, room=len(pictures) < MOST_PICTURES))
                elif is_text(it.media_type, it.name):
                    left = ALL_TEXT_CHARACTERS - sum(map(len, texts.values()))
                    texts[it.path], whole = self._text(it, min(left, TEXT_CHARACTERS))
                    if not whole:
                        flaws[it.path] = f"only its first {len(texts[it.path])} characters are shown"
            except LegioError as error:
                log.warning("attachment.unshown", path=it.path, error=str(error))
                flaws[it.path] = f"it cannot be shown: {error.what}"
        return Enclosed(tuple(pictures), texts, flaws, lent)

    def _picture(self, attachment: Attachment, *, room: bool) -> Picture:
        if not room:
            raise Refused(f"no more than {MOST_PICTURES} pictures are shown at once.")
        return fit(self._depot.read(attachment.path))

    def _text(self, attachment: Attachment, most: int) -> tuple[str, bool]:
        """As much of the file as `most` allows, and whether that is all of it."""
        text = decoded(self._depot.read(attachment.path, most=_MOST_BYTES))
        return text[:most], len(text) <= most and attachment.size <= _MOST_BYTES


def is_picture(media_type: str) -> bool:
    """Whether it may be shown as an image; a drawing in SVG is a text."""
    return media_type.startswith("image/") and media_type != "image/svg+xml"


def is_text(media_type: str, name: str) -> bool:
    """Whether its content can be told in words: by its type, or by a name that tells more than the type."""
    plain = media_type.partition(";")[0].strip().lower()
    return (
        plain.startswith("text/")
        or plain in TEXTUAL
        or plain.endswith(("+xml", "+json"))
        or name.lower().endswith((".md", ".txt", ".csv", ".log", ".toml", ".yaml", ".yml", ".py", ".ini"))
    )


def decoded(content: bytes) -> str:
    """The text of a file: UTF-8, UTF-16 where it says so, or else Latin-1, in which every byte is a sign."""
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return content.decode("utf-16", "replace")
    try:
        # A cut in the middle of a letter is no sign of another encoding.
        return codecs.getincrementaldecoder("utf-8-sig")().decode(content, final=False)
    except UnicodeDecodeError:
        return content.decode("latin-1")
