"""What a tool would change in a file, as a diff against the file as it is now.

It shows what is sure: where a change does not fit the file as it is, or the file cannot be compared, that is
said, and what would go and come is shown by itself.
"""

import contextlib
import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from legio.ports import Block

MOST_CHARACTERS = 200_000
"""A file beyond this is not compared: that takes seconds, and nobody reads it on a phone."""
CONTEXT_LINES = 2
HEADER_LINES = 2
LONGEST_LINE = 300
NOTHING = "(nothing would change)"

Edit = Mapping[object, object]
"""One change of a file: `old_string`, `new_string`, `replace_all`."""


@dataclass(frozen=True, slots=True)
class Unfit:
    """Why no diff against the file can be shown, in words that follow a dash."""

    why: str


def writing(path: str, content: str, workspace: Path) -> tuple[str, Block]:
    """What it means to write the file anew: in words that follow "asks to", and the diff."""
    now = _content(workspace / path)
    return _change(path, workspace, now, now if isinstance(now, Unfit) else content, ("", content))


def editing(path: str, edits: Sequence[object], workspace: Path) -> tuple[str, Block]:
    """What it means to make these edits, one after the other: in words, and the diff."""
    now = _content(workspace / path)
    sound = [edit for edit in edits if isinstance(edit, Mapping)]
    after = now if isinstance(now, Unfit) else _edited(now or "", sound)
    gone, come = ("\n".join(str(edit.get(key, "")) for edit in sound) for key in ("old_string", "new_string"))
    return _change(path, workspace, now, after, (gone, come))


def _change(
    path: str, workspace: Path, now: str | Unfit | None, after: str | Unfit, parts: tuple[str, str]
) -> tuple[str, Block]:
    shown = _shown(path, workspace)
    if isinstance(now, Unfit) or isinstance(after, Unfit):
        why = now.why if isinstance(now, Unfit) else after.why if isinstance(after, Unfit) else ""
        lines = [*_marked("-", parts[0]), *_marked("+", parts[1])]
        return f"change {shown} — {why}.", Block("\n".join(lines) or NOTHING, "diff")
    lines = _diff(now or "", after)
    come, gone = (sum(line.startswith(sign) for line in lines) for sign in "+-")
    verb = "create" if now is None else "change"
    return f"{verb} {shown} (+{come} -{gone} lines).", Block("\n".join(lines) or NOTHING, "diff")


def _edited(now: str, edits: Sequence[Edit]) -> str | Unfit:
    for edit in edits:
        old, new = str(edit.get("old_string", "")), str(edit.get("new_string", ""))
        if old not in now:
            return Unfit("what it would replace is not in it as it is now")
        now = now.replace(old, new, -1 if edit.get("replace_all") is True else 1) if old else now + new
    return now


def _content(file: Path) -> str | Unfit | None:
    """The file's text, None where there is no such file."""
    try:
        if file.stat().st_size > MOST_CHARACTERS:
            return Unfit("it is too large to be compared")
        return file.read_text(encoding="utf-8")
    except FileNotFoundError:
        return None
    except UnicodeDecodeError:
        return Unfit("it holds no text")
    except (OSError, ValueError):
        return Unfit("it cannot be read")


def _diff(before: str, after: str) -> list[str]:
    if len(after) > MOST_CHARACTERS:
        return _marked("+", after)
    found = difflib.unified_diff(before.splitlines(), after.splitlines(), n=CONTEXT_LINES, lineterm="")
    return [_clipped(line) for line in list(found)[HEADER_LINES:]]


def _marked(sign: str, text: str) -> list[str]:
    return [_clipped(f"{sign}{line}") for line in text.splitlines()]


def _clipped(line: str) -> str:
    return line if len(line) <= LONGEST_LINE else f"{line[:LONGEST_LINE]}… ({len(line):,} characters)"


def _shown(path: str, workspace: Path) -> str:
    """The path as it stands in the workspace, on one line."""
    with contextlib.suppress(OSError, ValueError, RuntimeError):  # what leads out is refused elsewhere
        path = str((workspace / path).resolve().relative_to(workspace.resolve()))
    return _clipped(" ".join(path.split()))
