"""Tables for a phone: a grid of letters of one width where that fits, else its rows, one under the other.

A bubble holds some thirty-two such letters; beyond that a phone breaks the lines and nothing stands under
anything any more. A grid cannot hold links either. So each table is written anew, as Markdown, before the
whole is converted: as a code block, with its columns drawn together where that makes it fit, or as one
paragraph a row and one `**Header:** cell` line a cell. In a list or a quote it stays in there.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from legio.bot.markdown import Edit, Happening, Unsettled, edited, read, settled

GRID_WIDTH: Final = 32
"""Letters of one width that fit in a message bubble of a usual phone."""

WIDE_GAP, NARROW_GAP = (" | ", "-+-"), (" ", " ")
"""What stands between two columns, and in the line under the header: where there is room, and where not."""

_EMPTY: Final = "–".encode()
_NAMELESS: Final = "· ".encode()
_STYLED = re.compile(rb"[*_`\[\]]")
_FIGURE = re.compile(r"[-+±~≈<>]?\s?[$€£¥]?\s?[-+]?\d[\d.,'  ]*\s?[%€$kKMGx°]?")
_PIPE = re.compile(rb"(?<!\\)\|")
_ANCHOR: Final = "x "
"""Stands before a cell that is read by itself: what begins it is no list's mark and no heading's."""
_UNMARKED = re.compile(r"([^\W_]|[\s.,;:%€£()+/'\"?–—-])*")
_TILDES = re.compile(r"~{3,}")


@dataclass(slots=True)
class _Cell:
    source: bytes
    text: str = ""
    """What of it a grid can show."""


@dataclass(slots=True)
class _Table:
    """A table while it is read; `rows[0]` is its header. `prefix` is what stands before it on its line."""

    start: int
    end: int
    prefix: bytes
    sides: tuple[str, ...]
    rows: list[list[_Cell]] = field(default_factory=list)
    linked: bool = False

    def widths(self) -> list[int]:
        """How wide each column has to be."""
        return [max(_columns(row[index].text) for row in self.rows) for index in range(len(self.rows[0]))]


def rewritten(markdown: str) -> str:
    """`markdown` with every table in it readable on a phone."""
    if "|" not in markdown:
        return markdown
    source = markdown.encode()
    edits = [Edit(table.start, table.end, _inside(table)) for table in _tables(source, read(source))]
    return edited(source, edits).decode()


# --- reading ------------------------------------------------------------------------------------------


def _tables(source: bytes, happenings: list[Happening]) -> Iterator[_Table]:
    table: _Table | None = None
    for it in happenings:
        if it.kind == "Start" and it.tag == "Table":
            line = source.rfind(b"\n", 0, it.start) + 1
            table = _Table(it.start, it.end, source[line : it.start], tuple(it.data))
        elif it.kind == "End" and it.tag == "Table" and table is not None:
            _square(table)
            yield table
            table = None
        elif table is not None:
            _note(table, source, it)


def _note(table: _Table, source: bytes, it: Happening) -> None:
    match it.kind, it.tag:
        case "Start", "TableHead" | "TableRow":
            table.rows.append([])
        case "Start", "TableCell":
            table.rows[-1].append(_cell(source[it.start : it.end]))
        case "Start", "Link" | "Image":
            table.linked = True
        case "End", "TableHead" | "TableRow":
            table.rows[-1] += _surplus(source[it.start : it.end], len(table.rows[0]))


def _cell(source: bytes) -> _Cell:
    bare = source.strip().replace(rb"\|", b"|")
    return _Cell(bare, _plain(bare.decode()))


def _surplus(row: bytes, columns: int) -> list[_Cell]:
    """Cells beyond the header's, which every CommonMark parser drops, and their text with them."""
    line = row.strip()
    line = line[1:] if line.startswith(b"|") else line
    line = line[:-1] if line.endswith(b"|") and not line.endswith(rb"\|") else line
    cells = [_cell(cell) for cell in _PIPE.split(line)[columns:]]
    return cells if any(cell.source for cell in cells) else []


def _square(table: _Table) -> None:
    """As many cells in each row as in the longest; the columns that nobody named have no name."""
    most = max(len(row) for row in table.rows)
    for row in table.rows:
        row += [_Cell(b"") for _ in range(most - len(row))]
    table.sides += ("None",) * (most - len(table.sides))


def _plain(cell: str) -> str:
    """The text of a cell without its marks."""
    if _UNMARKED.fullmatch(cell):
        return cell
    try:
        happenings = read(settled(_ANCHOR + cell).encode())
    except Unsettled:
        return cell
    shown = [_shown(it) for it in happenings]
    return "".join(shown).removeprefix(_ANCHOR).strip()


def _shown(it: Happening) -> str:
    match it.kind:
        case "Text" | "Code" | "InlineMath" | "DisplayMath" | "InlineHtml" | "Html":
            return str(it.data)
        case "HardBreak":
            return " / "
        case _:
            return ""


def _columns(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(character) in "WF" else 1 for character in text)


# --- writing ------------------------------------------------------------------------------------------


def _inside(table: _Table) -> bytes:
    """What is written for the table, each line of it in the list or quote that the table was in."""
    within = re.sub(rb"[^\s>]", b" ", table.prefix)
    lines = [b"", *_lines(table)]
    return (b"\n" + within).join(lines) + b"\n" + (b"" if within else b"\n")


def _lines(table: _Table) -> list[bytes]:
    gap = _gap(table)
    if gap is not None:
        return _grid(table, *gap)
    header, *rows = table.rows
    paragraphs = [_as_paragraph(header, row) for row in rows]
    if table.prefix and b">" not in table.prefix:
        # Paragraphs of a list are set close together; points of a list in it can be told apart.
        paragraphs = [b"- " + paragraph.replace(b"\n", b"\n  ") for paragraph in paragraphs]
        return b"\n".join(paragraphs).split(b"\n")
    return b"\n\n".join(paragraphs).split(b"\n")


def _gap(table: _Table) -> tuple[str, str] | None:
    """What its columns are held apart by, if it can be a grid; a header alone cannot be written as rows."""
    if len(table.rows) == 1:
        return WIDE_GAP
    widths = table.widths()
    for gap in (WIDE_GAP, NARROW_GAP):
        if not table.linked and sum(widths) + len(gap[0]) * (len(widths) - 1) <= GRID_WIDTH:
            return gap
    return None


def _grid(table: _Table, gap: str, crossing: str) -> list[bytes]:
    widths, sides = table.widths(), _sides(table)
    rows = [gap.join(map(_set, row, widths, sides)).rstrip() for row in table.rows]
    rule = crossing.join("-" * width for width in widths)
    text = [rows[0], rule, *rows[1:]]
    fence = max([*_TILDES.findall("\n".join(text)), "~~~~~"], key=len) + "~"
    return [line.encode() for line in (fence, *text, fence)]


def _sides(table: _Table) -> list[str]:
    """To which side each column is set: as it is written, else figures to the right."""
    _, *rows = table.rows
    figures = [
        any(row[index].text for row in rows)
        and all(_FIGURE.fullmatch(row[index].text) for row in rows if row[index].text)
        for index in range(len(table.sides))
    ]
    return [
        "Right" if side == "None" and figure else side
        for side, figure in zip(table.sides, figures, strict=True)
    ]


def _set(cell: _Cell, width: int, side: str) -> str:
    room = width - _columns(cell.text)
    match side:
        case "Right":
            return " " * room + cell.text
        case "Center":
            return " " * (room // 2) + cell.text + " " * (room - room // 2)
        case _:
            return cell.text + " " * room


def _as_paragraph(header: Sequence[_Cell], row: Sequence[_Cell]) -> bytes:
    pairs = [(name.source, cell.source) for name, cell in zip(header, row, strict=True)]
    lines = [
        _as_line(name, cell, first=not index) for index, (name, cell) in enumerate(pairs) if name or cell
    ]
    return b"  \n".join(lines)


def _as_line(name: bytes, cell: bytes, *, first: bool) -> bytes:
    if not name:
        # A nameless first column names its row; what else has no name must not begin a list or a heading.
        return _bold(cell) if first else _NAMELESS + cell
    return _bold(name + b":") + b" " + (cell or _EMPTY)


def _bold(text: bytes) -> bytes:
    return text if not text or _STYLED.search(text) else b"**" + text + b"**"
