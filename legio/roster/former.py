"""What stood in a prompt before: the copies that `rewriting` keeps, read again.

    vorenus/.history/prompt.20261121T034200Z.md

The name says when a version ended; all other files there are nobody's business.
"""

import os
import re
import stat
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from legio.castra import Castra, centurio_name
from legio.errors import CastraError
from legio.nuntius import LEGATUS
from legio.roster.register import LARGEST_PROMPT_BYTES
from legio.roster.rewriting import HISTORY

MOST = 200
"""So many versions are told, the newest."""

_FILE = re.compile(r"prompt\.([0-9]{8}T[0-9]{6}Z)(?:-([0-9]{1,6}))?\.md")


@dataclass(frozen=True, slots=True)
class Former:
    """A version that stood until `ended`; `id` tells it from the others of the agent."""

    id: str
    ended: datetime
    text: str


def former_prompts(castra: Castra, name: str) -> tuple[Former, ...]:
    """The former versions of an agent's prompt, the newest first; those that cannot be read are left out.

    Raises `ProfileError` for a name that could lead elsewhere, `CastraError` for a folder that is none.
    """
    folder = castra.confine(castra.post(name if name == LEGATUS else centurio_name(name)) / HISTORY)
    try:
        names = [path.name for path in folder.iterdir()]
    except FileNotFoundError:
        return ()
    except OSError as error:
        what = f"the history cannot be read ({error.strerror})."
        raise CastraError(what, where=name, remedy="Put the folder .history right.") from error
    found = [(match, ended) for each in names if (match := _FILE.fullmatch(each)) and (ended := _date(match))]
    found.sort(key=lambda each: (each[1], int(each[0][2] or 1)), reverse=True)
    versions = [
        Former(match[0].removeprefix("prompt.").removesuffix(".md"), ended, text)
        for match, ended in found[:MOST]
        if (text := _text(folder / match[0])) is not None
    ]
    return tuple(versions)


def _date(match: re.Match[str]) -> datetime | None:
    try:
        return datetime.strptime(match[1], "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
    except ValueError:  # digits that are no date
        return None


def _text(path: Path) -> str | None:
    """A plain file of a bearable size; no link is followed and no pipe waited for."""
    try:
        status = path.lstat()
        if not stat.S_ISREG(status.st_mode) or status.st_size > LARGEST_PROMPT_BYTES:
            return None
        with os.fdopen(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC), "rb") as file:
            return file.read(LARGEST_PROMPT_BYTES).decode()
    except (OSError, UnicodeDecodeError):
        return None
