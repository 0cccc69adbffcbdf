"""Tables for a phone: a narrow one stays a grid, any other becomes its rows, written one under the other.

A grid in fixed width is readable up to some thirty characters; beyond that a phone breaks its lines. A grid
cannot hold links either. Here a table that suffers from either is rewritten as Markdown, one paragraph a row
and one `**Header:** cell` line a cell, before the whole is converted. Tables inside lists and quotes stay.
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from legio.bot.markdown import Edit, Happening, edited, read

GRID_WIDTH: Final = 36
"""Characters in fixed width that fit in a message bubble of a usual phone."""

_GAP: Final = 3  # " | "
_EMPTY: Final = "–".encode()
_STYLED = re.compile(rb"[*_`\[\]]")
_WORD = re.compile(r"\w")


@dataclass(slots=True)
class _Cell:
    source: bytes
    width: int = 0


@dataclass(slots=True)
class _Table:
    """A table while it is read; `rows[0]` is its header. `surplus`: some row has more cells than that."""

    start: int
    end: int
    rows: list[list[_Cell]] = field(default_factory=list)
    linked: bool = False
    surplus: bool = False

    @property
    def width(self) -> int:
        columns = [max(row[index].width for row in self.rows) for index in range(len(self.rows[0]))]
        return sum(columns) + _GAP * (len(columns) - 1)

    @property
    def readable(self) -> bool:
        """Whether the grid shows everything and fits; a header alone has no rows to be written as."""
        fits = self.width <= GRID_WIDTH or len(self.rows) == 1
        return fits and not self.linked and not self.surplus


def rewritten(markdown: str) -> str:
    """`markdown` with every table in it readable on a phone."""
    if "|" not in markdown:
        return markdown
    source = markdown.encode()
    edits = [
        Edit(table.start, table.end, _as_rows(source, table))
        for table in _tables(source, read(source))
        if not table.readable
    ]
    return edited(source, edits).decode()


def _tables(source: bytes, happenings: list[Happening]) -> Iterator[_Table]:
    depth = 0
    table: _Table | None = None
    for it in happenings:
        if it.kind == "Start" and it.tag == "Table" and depth == 0:
            table = _Table(it.start, it.end)
        if table is not None:
            _note(table, source, it)
        if it.kind == "End" and it.tag == "Table" and depth == 1 and table is not None:
            yield table
            table = None
        depth += {"Start": 1, "End": -1}.get(it.kind, 0)


def _note(table: _Table, source: bytes, it: Happening) -> None:
    match it.kind, it.tag:
        case "Start", "TableHead" | "TableRow":
            table.rows.append([])
        case "Start", "TableCell":
            table.rows[-1].append(_Cell(source[it.start : it.end].strip()))
        case "Start", "Link" | "Image":
            table.linked = True
        case (("Text" | "Code" | "InlineMath" | "InlineHtml"), _):
            table.rows[-1][-1].width += _columns(str(it.data))
        case "End", "TableHead" | "TableRow":
            table.surplus |= _has_surplus(source, it, len(table.rows[0]))


def _has_surplus(source: bytes, row: Happening, columns: int) -> bool:
    """Cells beyond the header's are dropped by every CommonMark parser, and their text with them."""
    line = source[row.start : row.end].decode().strip().strip("|")
    cells = re.split(r"(?<!\\)\|", line)
    return any(_WORD.search(cell) for cell in cells[columns:])


def _columns(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(character) in "WF" else 1 for character in text)


def _as_rows(source: bytes, table: _Table) -> bytes:
    if table.surplus:
        lines = source[table.start : table.end].strip(b"\n")
        return b"\n~~~~~~\n" + lines + b"\n~~~~~~\n\n"
    header, *rows = table.rows
    return b"\n" + b"\n\n".join(_as_paragraph(header, row) for row in rows) + b"\n\n"


def _as_paragraph(header: list[_Cell], row: list[_Cell]) -> bytes:
    pairs = ((name.source, cell.source) for name, cell in zip(header, row, strict=True))
    return b"  \n".join(_as_line(name, cell) for name, cell in pairs if name or cell)


def _as_line(name: bytes, cell: bytes) -> bytes:
    text = cell.replace(rb"\|", b"|") or _EMPTY
    if not name:
        return text
    label = name.replace(rb"\|", b"|") + b":"
    return (label if _STYLED.search(label) else b"**" + label + b"**") + b" " + text
