"""The end of an answer that is still being written, rendered so that it can be shown at any moment. Pure.

Markdown that was cut off (an open fence, half a link, a lone asterisk) is what a growing answer always is:
the renderer shows it as far as it goes. Only its beginning is cut here, and a fence that began there is
opened again.
"""

import re
from bisect import bisect_left
from typing import Final

from legio.bot.piece import Piece, utf16_positions
from legio.bot.render import converted

READ_CHARACTERS: Final = 8000
"""No more of the end is rendered: more than a message holds, and little enough to do it every second."""

CUT: Final = Piece("…\n")
_LINE_REACH: Final = 200
"""How far a cut may move on to begin with a whole line."""

_FENCE = re.compile(r"^ {0,3}(?P<mark>`{3,}|~{3,})(?P<rest>[^\n]*)$", re.MULTILINE)


def tail(markdown: str, *, units: int, entities: int) -> Piece:
    """The last of `markdown` within both limits, under a sign if something is missing before it."""
    read, cut = _end(markdown)
    piece = converted(read)
    start = _start(piece, units - len(CUT.text), entities)
    if start == 0 and not cut:
        return piece
    return piece.part(start, len(piece.text)).after(CUT)


def _end(markdown: str) -> tuple[str, bool]:
    """The last lines of it, whether anything stood before them, with the fence that was open there."""
    if len(markdown) <= READ_CHARACTERS:
        return markdown, False
    start = len(markdown) - READ_CHARACTERS
    line = markdown.find("\n", start, start + _LINE_REACH)
    start = start if line < 0 else line + 1
    return _open_fence(markdown[:start]) + markdown[start:], True


def _open_fence(head: str) -> str:
    """The line that opened the fence in which `head` ends, with its newline; "" where none is open."""
    opened: re.Match[str] | None = None
    for found in _FENCE.finditer(head):
        if opened is None:
            if found["mark"][0] == "~" or "`" not in found["rest"]:
                opened = found
        elif found["mark"].startswith(opened["mark"]) and not found["rest"].strip():
            opened = None
    return "" if opened is None else f"{opened[0]}\n"


def _start(piece: Piece, units: int, entities: int) -> int:
    """The first index from which on both limits are kept, at the beginning of a line if one is near."""
    positions = utf16_positions(piece.text)
    least = positions[-1] - units
    ends = sorted(entity.end for entity in piece.entities)
    if len(ends) > entities:
        least = max(least, ends[-entities - 1])
    start = bisect_left(positions, least) if least > 0 else 0
    if start == 0:
        return 0
    line = piece.text.find("\n", start, start + _LINE_REACH)
    if line < 0 or line + 1 == len(piece.text):
        return start
    blank = len(piece.text[line:]) - len(piece.text[line:].lstrip("\n"))
    return line + blank
