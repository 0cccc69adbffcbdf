"""The stored uploads of both sides, in memory and bounded; and what a stored file looks like in a message."""

import mimetypes
import re
import secrets
from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import PurePosixPath

from legio.local.botapi.images import dimensions
from legio.local.botapi.kept import Lost, Note, Stored, unkept
from legio.local.botapi.message import Media
from legio.local.botapi.wire import Wire, bad_request

CAPACITY_BYTES = 256 * 1024 * 1024
DOWNLOAD_BYTES = 20 * 1024 * 1024
PHOTO_BYTES = 10 * 1024 * 1024
PHOTO_SIDES = 10_000
PHOTO_RATIO = 20
SECONDS = 3
SIDE = 240
"""How long and how large what moves or sounds is said to be: nobody looks into it here."""
_COUNT = re.compile(r"file_(\d+)")
KINDS = frozenset({"document", "photo", "voice", "audio", "video", "video_note", "animation"})


@dataclass(frozen=True, slots=True)
class Upload:
    """A file as somebody hands it over."""

    name: str
    data: bytes
    type: str = ""

    @property
    def media_type(self) -> str:
        """What was said, or what the name says."""
        return self.type or mimetypes.guess_type(self.name)[0] or "application/octet-stream"


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A file as it is kept. `path` is what getFile tells, below `/file/bot<token>/`."""

    id: str
    kind: str
    path: str
    upload: Upload

    def wire(self) -> Wire:
        """Telegram's File without its path."""
        return {
            "file_id": self.id,
            "file_unique_id": self.id[-16:],
            "file_size": len(self.upload.data),
        }


class FileStore:
    """Files by id and by path; above the capacity the oldest go."""

    def __init__(self, capacity: int = CAPACITY_BYTES, *, note: Note = unkept) -> None:
        self._capacity = capacity
        self._note = note
        self._files: OrderedDict[str, StoredFile] = OrderedDict()
        self._paths: dict[str, str] = {}
        self._bytes = 0
        self._count = 0

    def add(self, upload: Upload, kind: str) -> StoredFile:
        """Keeps it. Raises `Refusal` for an empty file, and for a photo that is none."""
        if not upload.data:
            raise bad_request("file must be non-empty")
        if kind == "photo":
            _check_photo(upload)
        self._count += 1
        suffix = PurePosixPath(upload.name).suffix[:16] or mimetypes.guess_extension(upload.media_type) or ""
        path = f"{kind}s/file_{self._count}{suffix if suffix[1:].isalnum() else ''}"
        stored = StoredFile(secrets.token_urlsafe(24), kind, path, upload)
        self._note(Stored(stored.id, kind, path, upload.name, upload.type, upload.data))
        self._place(stored)
        return stored

    def restore(self, files: Iterable[Stored]) -> None:
        """What was kept in an earlier run."""
        for it in files:
            self._count = max(self._count, int(_COUNT.findall(it.path)[0]))
            self._place(StoredFile(it.id, it.kind, it.path, Upload(it.name, it.data, it.type)))

    def get(self, file_id: str) -> StoredFile | None:
        """By the id that messages carry."""
        return self._files.get(file_id)

    def at(self, path: str) -> StoredFile | None:
        """By the path that getFile told."""
        return self._files.get(self._paths.get(path, ""))

    def _place(self, stored: StoredFile) -> None:
        self._files[stored.id] = stored
        self._paths[stored.path] = stored.id
        self._bytes += len(stored.upload.data)
        while self._bytes > self._capacity and len(self._files) > 1:
            number, oldest = self._files.popitem(last=False)
            self._note(Lost((number,)))
            del self._paths[oldest.path]
            self._bytes -= len(oldest.upload.data)


def media(stored: StoredFile) -> Media:
    """The stored file as a message carries it."""
    body: object = stored.wire()
    match stored.kind:
        case "photo":
            width, height = dimensions(stored.upload.data) or (0, 0)
            body = [stored.wire() | {"width": width, "height": height}]
        case "voice":
            body = stored.wire() | {"duration": SECONDS, "mime_type": stored.upload.media_type}
        case "video_note":
            body = stored.wire() | {"duration": SECONDS, "length": SIDE}
        case "audio":
            body = _named(stored) | {"duration": SECONDS}
        case "video" | "animation":
            body = _named(stored) | {"duration": SECONDS, "width": SIDE, "height": SIDE}
        case _:
            body = _named(stored)
    also: Wire = {"document": _named(stored)} if stored.kind == "animation" else {}
    return Media(stored.kind, body, stored.id, also)


def _named(stored: StoredFile) -> Wire:
    return stored.wire() | {"file_name": stored.upload.name, "mime_type": stored.upload.media_type}


def _check_photo(upload: Upload) -> None:
    size = dimensions(upload.data)
    if size is None or 0 in size:
        raise bad_request("IMAGE_PROCESS_FAILED")
    if len(upload.data) > PHOTO_BYTES:
        raise bad_request(f"file of size {len(upload.data)} bytes is too big for a photo")
    if sum(size) > PHOTO_SIDES or max(size) > PHOTO_RATIO * min(size):
        raise bad_request("PHOTO_INVALID_DIMENSIONS")
