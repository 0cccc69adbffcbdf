"""How a prompt's file is written anew: the former version is kept first, and nobody ever reads half of one.

Whether the new text can be used and may take the place of the old one is the register's business.
"""

import contextlib
import os
import secrets
import stat
from datetime import UTC, datetime
from itertools import count
from pathlib import Path

from legio import disk

HISTORY = ".history"
"""The folder beside a prompt that keeps its former versions."""


def keep(path: Path, history: Path, now: datetime) -> Path:
    """Copy the file into the folder `history`, dated; returns the copy. Raises `OSError`."""
    former, stem = path.read_bytes(), f"{path.stem}.{now.astimezone(UTC):%Y%m%dT%H%M%SZ}"
    for number in count(1):
        copy = history / f"{stem}{f'-{number}' if number > 1 else ''}{path.suffix}"
        with contextlib.suppress(FileExistsError):
            _write(copy, former)
            break
    disk.sync(history)
    return copy


def put(path: Path, content: bytes) -> None:
    """Put `content` in the place of the file there, whole or not at all. Raises `OSError`.

    Its rights stay as they were. A crash leaves at worst a hidden draft.
    """
    draft = path.with_name(f".{path.name}.{secrets.token_hex(4)}.draft")
    try:
        _write(draft, content)
        draft.chmod(stat.S_IMODE(path.lstat().st_mode))
        os.replace(draft, path)  # noqa: PTH105  (says that it replaces)
    finally:
        draft.unlink(missing_ok=True)
    disk.sync(path.parent)


def _write(path: Path, content: bytes) -> None:
    """A new file, whole or not at all; `FileExistsError` where there is one."""
    try:
        with disk.writing(path) as file:
            file.write(content)
    except FileExistsError:
        raise
    except OSError:
        path.unlink(missing_ok=True)
        raise
