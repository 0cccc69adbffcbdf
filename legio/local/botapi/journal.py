"""What outlives the server, in the castra: a line for each change, its kind and then JSON.

The lines are appended as things happen, read at the next start, and written anew in short at the end and
whenever they have grown too many. A process that is killed leaves at worst a torn line, which is passed over.
A disk that fails costs what was to be kept, and never the chat at hand.
"""

import os
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import structlog
from pydantic import TypeAdapter

from legio import disk
from legio.castra import Castra
from legio.errors import CastraError
from legio.local.botapi.kept import Change, Kept, Lost, Stored

log = structlog.get_logger()

LEAST_BYTES = 8_000_000
CHAT, FILES = "chat.jsonl", "files"
_SHAPES: dict[str, TypeAdapter[Any]] = {kind.__name__: TypeAdapter(kind) for kind in get_args(Change)}


class Journal:
    """The journal of one castra; without one nothing is kept. One Legio at a time writes it.

    One that has grown by less than `least_bytes` is not written anew while the server works.
    """

    def __init__(self, castra: Castra | None = None, *, least_bytes: int = LEAST_BYTES) -> None:
        self._castra = castra
        self._least_bytes = least_bytes
        self._kept = Kept()
        self._descriptor = -1
        self._grown = 0
        self._short = 0
        self._trouble = False

    def read(self) -> Kept:
        """What earlier runs left. Raises `CastraError` when it cannot be read."""
        if self._castra is None:
            return self._kept
        path = self._castra.confine(self._castra.local / CHAT)
        try:
            for line in path.read_bytes().splitlines() if path.exists() else ():
                self._recall(self._castra, line)
        except OSError as error:
            raise CastraError(
                f"the chat of an earlier run cannot be read ({error.strerror}).",
                where=str(path),
                remedy="Give Legio the right to read it, or move it away: then the chat begins empty.",
            ) from error
        return self._kept

    def note(self, change: Change) -> None:
        """Keep one change."""
        if self._castra is None:
            return
        self._kept.take(replace(change, data=b"") if isinstance(change, Stored) else change)
        try:
            self._append(self._castra, change)
            if self._grown > max(self._least_bytes, 2 * self._short):
                self._shorten(self._castra)
            self._trouble = False
        except (OSError, CastraError) as error:
            self._complain(error)

    def close(self) -> None:
        """Write it in short, if anything has changed. Idempotent."""
        if self._castra is None or self._descriptor < 0:
            return
        try:
            self._shorten(self._castra)
        except (OSError, CastraError) as error:
            self._complain(error)
        self._let_go()

    def _recall(self, castra: Castra, line: bytes) -> None:
        kind, _, raw = line.partition(b" ")
        if not kind:
            return
        try:
            change = _SHAPES[kind.decode()].validate_json(raw)
            if isinstance(change, Stored):
                change = replace(change, data=_file(castra, change.id).read_bytes())
            self._kept.take(change)
        except (ValueError, KeyError, FileNotFoundError) as error:  # what does not fit is a ValueError too
            log.warning("chat.line_passed_over", kind=repr(kind[:20]), error=type(error).__name__)

    def _append(self, castra: Castra, change: Change) -> None:
        if self._descriptor < 0:
            path = castra.folder(castra.local) / CHAT
            flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC
            self._descriptor = os.open(path, flags, 0o600)
        if isinstance(change, Stored):
            castra.folder(castra.local / FILES)
            with disk.writing(_file(castra, change.id)) as file:
                file.write(change.data)
        if isinstance(change, Lost):
            for number in change.ids:
                _file(castra, number).unlink(missing_ok=True)
        # Begun with a new line, so that one that was torn before spoils no other.
        self._grown += os.write(self._descriptor, b"\n" + _line(change))

    def _shorten(self, castra: Castra) -> None:
        with disk.replacing(castra.local / CHAT) as file:
            file.writelines(_line(change) + b"\n" for change in self._kept.changes())
            self._short = file.tell()
        self._let_go()

    def _let_go(self) -> None:
        descriptor, self._descriptor, self._grown = self._descriptor, -1, 0
        if descriptor >= 0:
            os.close(descriptor)

    def _complain(self, error: Exception) -> None:
        if not self._trouble:
            log.warning("chat.unkept", error=str(error))
        self._trouble = True


def _file(castra: Castra, number: str) -> Path:
    return castra.confine(castra.local / FILES / number)


def _line(change: Change) -> bytes:
    kind = type(change).__name__
    return f"{kind} ".encode() + _SHAPES[kind].dump_json(change)
