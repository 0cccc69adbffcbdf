"""Files as the memoria needs them: each appears whole or not at all, and takes another's place only by `put`.

The one place that touches file descriptors. What a file says and where it belongs is decided elsewhere; what
fails here is an `OSError`, for the caller to put into words.
"""

import contextlib
import errno
import fcntl
import os
import secrets
import stat
from collections.abc import Iterator
from pathlib import Path

from legio import disk

READ_BYTES = 1_000_000
"""No larger file is read: parsing it would hold up every turn."""

Fingerprint = tuple[int, int, int]
"""Modification time in ns, size, inode: when it is unchanged, the content is taken to be."""


def names(folder: Path) -> tuple[str, ...]:
    """The XML files' names, sorted; hidden ones are nobody's business. A missing folder is an empty one."""
    try:
        found = [path.name for path in folder.iterdir()]
    except FileNotFoundError:
        return ()
    return tuple(sorted(name for name in found if name.endswith(".xml") and not name.startswith(".")))


def size(folder: Path) -> int:
    """How many bytes the XML files of a folder hold."""
    total = 0
    for name in names(folder):
        with contextlib.suppress(FileNotFoundError):  # removed since the folder was listed
            total += (folder / name).lstat().st_size
    return total


def fingerprint(path: Path, most: int = READ_BYTES) -> Fingerprint:
    """Raises `OSError` for what is not a plain file of a bearable size: a link, a pipe, a folder."""
    status = path.lstat()
    if not stat.S_ISREG(status.st_mode):
        raise OSError(errno.EINVAL, "not a plain file")
    if status.st_size > most:
        raise OSError(errno.EFBIG, f"larger than {most // 1000} KB")
    return status.st_mtime_ns, status.st_size, status.st_ino


def read(path: Path, most: int = READ_BYTES) -> bytes:
    """The content, as far as it is bearable; a link that took the file's place is not followed."""
    with os.fdopen(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC), "rb") as file:
        return file.read(most)


def create(path: Path, content: bytes, *, mode: int = 0o600, modified: int | None = None) -> bool:
    """Write a new file and sync it with its folder; False, and nothing changes, if there is one already.

    The folder is made if it is missing, its parents are not. `modified` dates the file, in ns. A crash leaves
    at worst a hidden file.
    """
    _make(path.parent)
    if path.exists():
        return False  # spares the sync of a file that could not be linked anyway
    try:
        with drafted(path, content, mode=mode, modified=modified) as draft:
            # Unlike a rename, a link fails when the name was taken meanwhile: two writers cannot both win.
            os.link(draft, path)
    except FileExistsError:
        return False
    disk.sync(path.parent)
    return True


@contextlib.contextmanager
def drafted(path: Path, content: bytes, *, mode: int = 0o600, modified: int | None = None) -> Iterator[Path]:
    """A hidden file beside `path` that holds `content`, synced; it is gone when the block ends."""
    draft = path.with_name(f".{path.name}.{secrets.token_hex(4)}.draft")
    try:
        with disk.writing(draft, mode) as file:
            file.write(content)
        if modified is not None:
            os.utime(draft, ns=(modified, modified))
        yield draft
    finally:
        draft.unlink(missing_ok=True)


def put(draft: Path, path: Path) -> None:
    """Let the draft take the place of the file at `path`, in one step, and sync the folder."""
    os.replace(draft, path)  # noqa: PTH105  (says that it replaces)
    disk.sync(path.parent)


@contextlib.contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Inside, no other writer who asks for this folder is: not in this process, and in no other one.

    The lock is the system's, so that it ends with whoever holds it.
    """
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def remove(path: Path) -> None:
    """Take a file away for good; one that has gone already is no error."""
    path.unlink(missing_ok=True)
    disk.sync(path.parent)


def _make(folder: Path) -> None:
    try:
        folder.mkdir()
    except FileExistsError:
        return
    disk.sync(folder.parent)
