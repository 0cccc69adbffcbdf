"""The one key that Legio writes into `legio.toml` itself: who Caesar is, once he has paired.

The file is the owner's: whatever else stands in it, comments and all, stays byte for byte, and it is replaced
as a whole or not at all. Where the line has to go is found by trying; what tomllib reads afterwards decides.
"""

import contextlib
import os
import re
import secrets
import stat
import tomllib
from collections.abc import Iterator
from pathlib import Path

from legio import disk
from legio.errors import LegioError

BYTE_ORDER_MARK = "\ufeff"
_HEAD = re.compile(r"""^[ \t]*\[[ \t]*(?:telegram|"telegram"|'telegram')[ \t]*\][^\n]*\n?""", re.MULTILINE)
_COMMENT = re.compile(r"^#[ \t]*caesar_id\b[^\n]*\n?", re.MULTILINE)
_NEXT_HEAD = re.compile(r"^[ \t]*\[", re.MULTILINE)


def write_caesar(path: Path, caesar_id: int) -> None:
    """Write `caesar_id` under [telegram] into the file, atomically.

    Raises `LegioError`, which says what to do instead, when the file may not be written, cannot be replaced
    where it lies (a file that is a mount of its own), or names somebody else by now.
    """
    remedy = (
        f"Write `caesar_id = {caesar_id}` under [telegram] there yourself, or set"
        f" LEGIO_TELEGRAM_CAESAR_ID={caesar_id}; until then each start asks anew."
    )
    try:
        text = path.read_bytes().decode()
        changed = with_caesar(text, caesar_id)
        if changed != text:
            _replace(path, changed.encode())
    except OSError as error:
        raise LegioError(
            f"it cannot be written ({error.strerror}).", where=str(path), remedy=remedy
        ) from error
    except ValueError as error:  # it was changed since it was read at the start
        raise LegioError(f"it was left as it is: {error}.", where=str(path), remedy=remedy) from error


def with_caesar(text: str, caesar_id: int) -> str:
    """The file's `text` with the key in it; raises `ValueError` when it has no place for it."""
    document = _read(text)
    telegram = document.setdefault("telegram", {})
    if not isinstance(telegram, dict):
        raise ValueError("[telegram] is no table")  # noqa: TRY004  (a value of the file, not of the program)
    there = telegram.get("caesar_id")
    if there == caesar_id:
        return text
    if there is not None:
        raise ValueError(f"it names {there!r} as Caesar by now")
    telegram["caesar_id"] = caesar_id
    for candidate in _candidates(text, f"caesar_id = {caesar_id}"):
        with contextlib.suppress(tomllib.TOMLDecodeError):
            if _read(candidate) == document:
                return candidate
    raise ValueError("there is no line in it where the key could stand")


def _read(text: str) -> dict[str, object]:
    return tomllib.loads(text.removeprefix(BYTE_ORDER_MARK))


def _candidates(text: str, line: str) -> Iterator[str]:
    """Under the table's head, behind the commented key if there is one; as a table at the end; at the top."""
    newline = "\r\n" if "\r\n" in text else "\n"
    for head in _HEAD.finditer(text):
        place = _place(text, head.end())
        yield f"{_ended(text[:place], newline)}{line}{newline}{text[place:]}"
    yield f"{_ended(text, newline)}{newline}[telegram]{newline}{line}{newline}"
    mark = BYTE_ORDER_MARK if text.startswith(BYTE_ORDER_MARK) else ""
    yield f"{mark}telegram.{line}{newline}{text.removeprefix(mark)}"


def _place(text: str, start: int) -> int:
    following = _NEXT_HEAD.search(text, start)
    comment = _COMMENT.search(text, start, following.start() if following else len(text))
    return comment.end() if comment else start


def _ended(text: str, newline: str) -> str:
    return text if not text or text.endswith("\n") else text + newline


def _replace(path: Path, content: bytes) -> None:
    if not os.access(path, os.W_OK):  # a rename would go over a file that says it must not be written
        raise PermissionError(0, "it is read-only")
    status = path.stat()
    draft = path.with_name(f".{path.name}.{secrets.token_hex(4)}.draft")
    try:
        with disk.writing(draft) as file:
            file.write(content)
            with contextlib.suppress(OSError):  # another's file, where giving away is not ours
                os.fchown(file.fileno(), status.st_uid, status.st_gid)
            os.fchmod(file.fileno(), stat.S_IMODE(status.st_mode))
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)
    disk.sync(path.parent)
