"""Where files are kept: `attachments/<day>/` in the castra, each whole or not there, and never changed.

Everything here blocks, and is called in a thread. An agent's file is copied, so that what is sent is what
there was when it was meant to be sent; on the way to it no link is followed, whoever changes it meanwhile.
"""

import contextlib
import os
import secrets
import stat
from collections.abc import Iterator
from datetime import date
from pathlib import Path, PurePosixPath
from typing import Final

from legio import disk
from legio.attachments.names import safe_name
from legio.castra import Castra
from legio.errors import CastraError, Refused

MOST_SENT_BYTES: Final = 50 * 1024 * 1024
"""What Telegram takes from a bot (https://core.telegram.org/bots/api#sending-files)."""
LENT: Final = "received"
"""The folder of a workspace in which an agent finds what was sent to him."""


class Depot:
    """The files of one castra. A place is a path relative to the castra, with "/"."""

    def __init__(self, castra: Castra) -> None:
        self._castra = castra

    def keep(self, day: date, key: str, name: str, content: bytes) -> str:
        """Write a file, whose place `key` makes one of its own, and return that place.

        The same key again takes the place of what is there: it is the same file, fetched once more. Raises
        `CastraError` when it cannot be written.
        """
        folder = self._castra.folder(self._castra.attachments / day.isoformat())
        path = self._castra.confine(folder / f"{safe_name(key)}-{safe_name(name)}")
        with _explained(path), disk.replacing(path) as file:
            file.write(content)
        return path.relative_to(self._castra.root).as_posix()

    def path(self, place: str) -> Path:
        """Where a place is; raises `CastraError` if it is none of an attachment."""
        path = self._castra.confine(self._castra.root / place)
        if not path.is_relative_to(self._castra.attachments):
            raise CastraError("this is no attachment.", where=place, remedy="Look at the praetorium.")
        return path

    def read(self, place: str, *, most: int = -1) -> bytes:
        """What is in it, `most` bytes of it if that is given; raises `CastraError` if it cannot be read."""
        path = self.path(place)
        with _explained(path), path.open("rb") as file:
            return file.read(most)

    def lend(self, place: str, workspace: Path) -> str:
        """Copy a file to where an agent's own tools see it, once; returns its path in the workspace.

        Raises `CastraError` when it cannot be: the workspace is the agent's, who may have put a link there.
        """
        content, name = self.read(place), PurePosixPath(place).name
        with _explained(workspace / LENT), _opened(workspace, ()) as own:
            with contextlib.suppress(FileExistsError):
                os.mkdir(LENT, 0o700, dir_fd=own)
            with _opened(workspace, (LENT,), folder=True) as folder:
                _lay(folder, name, content)
        return f"{LENT}/{name}"

    def own(self, agent: str, name: str) -> bytes:
        """The file `name` of the agent's workspace, a path relative to it.

        Raises `Refused` for what leaves the workspace, is no plain file, is empty or too large to be sent.
        """
        steps = PurePosixPath(name).parts
        if not steps or name.startswith("/") or ".." in steps or "\0" in name:
            raise Refused(f"'{name}' is not in your workspace.", remedy="Name a path relative to it.")
        try:
            with _opened(self._castra.confine(self._castra.workspace(agent)), steps) as descriptor:
                return _whole(descriptor, name)
        except OSError as error:
            raise Refused(
                f"'{name}' cannot be sent ({error.strerror}).",
                remedy="Name a file in your workspace; links are not followed.",
            ) from error


def _whole(descriptor: int, name: str) -> bytes:
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode):
        raise Refused(f"'{name}' is no plain file.", remedy="Name a file in your workspace.")
    with os.fdopen(os.dup(descriptor), "rb") as file:
        content = file.read(MOST_SENT_BYTES + 1)  # it may have grown since its size was told
    if not content:
        raise Refused(f"'{name}' is empty.", remedy="Write it first.")
    if len(content) > MOST_SENT_BYTES:
        raise Refused(f"'{name}' is larger than the 50 MB that Telegram takes.", remedy="Send less of it.")
    return content


@contextlib.contextmanager
def _opened(start: Path, steps: tuple[str, ...], *, folder: bool = False) -> Iterator[int]:
    """The file, or folder, behind `steps`, each opened from the one before it: no link can come between."""
    descriptor = os.open(start, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        for index, step in enumerate(steps):
            last = index == len(steps) - 1
            # A pipe would be waited for until somebody writes to it.
            flags = os.O_NONBLOCK if last and not folder else os.O_DIRECTORY
            inner = os.open(step, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | flags, dir_fd=descriptor)
            os.close(descriptor)
            descriptor = inner
        yield descriptor
    finally:
        os.close(descriptor)


def _lay(folder: int, name: str, content: bytes) -> None:
    """Write a new file into an open folder, whole or not at all; one that is there is left as it is."""
    with contextlib.suppress(FileNotFoundError):
        os.stat(name, dir_fd=folder, follow_symlinks=False)
        return
    draft = f".{secrets.token_hex(8)}.draft"
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    with os.fdopen(os.open(draft, flags, 0o600, dir_fd=folder), "wb") as file:
        file.write(content)
    os.rename(draft, name, src_dir_fd=folder, dst_dir_fd=folder)


@contextlib.contextmanager
def _explained(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise CastraError(
            f"this file cannot be used ({error.strerror}).",
            where=str(path),
            remedy="Look at the disk's space, and whether Legio may write in the castra.",
        ) from error
