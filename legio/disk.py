"""What outlasts a power cut: files whose content, and folders whose entries, have reached the disk."""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO


@contextlib.contextmanager
def writing(path: Path, mode: int = 0o600, *, over: bool = False) -> Iterator[BinaryIO]:
    """An open file to write, synced when the block ends well; its name lasts once its folder is synced.

    The file is new, unless it may be written `over` what is there; a link is never followed, and `mode` is
    cut by the umask. Raises `OSError` (`FileExistsError` among it) for whatever the file system refuses.
    """
    flags = os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC | (os.O_TRUNC if over else os.O_EXCL)
    with os.fdopen(os.open(path, flags, mode), "wb") as file:
        yield file
        file.flush()
        os.fsync(file.fileno())


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """An open file that takes the place of `path` in one step when the block ends well, and lasts then.

    It is a hidden draft beside it, of the same name each time: what a crash leaves behind is taken the next
    time. Raises `OSError` for whatever the file system refuses.
    """
    draft = path.with_name(f".{path.name}.draft")
    with writing(draft, over=True) as file:
        yield file
    draft.replace(path)
    sync(path.parent)


def sync(folder: Path) -> None:
    """Make a folder's entries last: a synced file whose name was not is lost. Raises `OSError`."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
