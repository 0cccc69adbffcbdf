"""Markdown as a model writes it, made into Markdown that loses nothing when it is converted.

CommonMark drops or swallows what models mean literally: `<user_id>` as HTML, `[INFO]: started` as the target
of a link, `2*3*4` and `__init__` as emphasis, `$HOME/$USER` as mathematics, `a || b || c` as a spoiler, a
table's surplus cells. The parser itself (the one under telegramify-markdown) is asked how it reads the text,
and what it would lose is escaped, until it reads nothing wrongly any more. Only meaning is decided here;
entities and cutting are for `render`.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import pyromark
from pyromark.event import Event, Range

from legio.bot.piece import followable

OPTIONS: Final = (
    pyromark.Options.ENABLE_TABLES
    | pyromark.Options.ENABLE_STRIKETHROUGH
    | pyromark.Options.ENABLE_TASKLISTS
    | pyromark.Options.ENABLE_MATH
)
"""What telegramify-markdown parses with: another set would see another document."""

COMMA: Final = "\ue000"
"""Stands for a comma on the line of a fence, until the whole is converted."""

ROUNDS: Final = 40
"""More readings than any real text needs; a text that is still not settled is sent as it is written."""

_UNQUOTED_ANGLE = re.compile(rb"(`+).*?\1|(<)")
_LINE_BREAK = re.compile(rb"<br\s*/?>", re.IGNORECASE)
_DUNDER = re.compile(rb"__[a-z][a-z0-9_]*__")
_SUFFIX = re.compile(rb"\.[a-z0-9]")
_LATEX = re.compile(rb"\\\((?P<inline>[^\n]+?)\\\)|\\\[(?P<display>(?:[^\n]|\n(?!\s*\n))+?)\\\]")
_FORMULA = re.compile(rb"[\\^_{}=]")


class Unsettled(ValueError):
    """A text whose reading did not settle; the caller shows it raw."""


@dataclass(frozen=True, slots=True)
class Happening:
    """One event of the parser: its kind, what it carries, and the bytes of the source it covers."""

    kind: str
    tag: str
    data: Any
    start: int
    end: int


@dataclass(frozen=True, slots=True, order=True)
class Edit:
    """Bytes `start` to `end` of the source, replaced."""

    start: int
    end: int
    text: bytes


def read(source: bytes) -> list[Happening]:
    """How the parser reads the source, in order."""
    events = pyromark.events_with_range(source.decode(), options=OPTIONS)
    return [_happening(event, span) for event, span in events]


def edited(source: bytes, edits: list[Edit]) -> bytes:
    """The source with the edits done; of two that overlap the earlier one."""
    parts: list[bytes] = []
    cursor = 0
    for edit in sorted(set(edits)):
        if edit.start >= cursor:
            parts += (source[cursor : edit.start], edit.text)
            cursor = edit.end
    return b"".join([*parts, source[cursor:]])


def settled(markdown: str) -> str:
    """`markdown` such that its conversion shows all of its text. Raises `Unsettled`."""
    source = _with_dollar_formulas(markdown.encode())
    for _ in range(ROUNDS):
        edits = list(_misreadings(source))
        if not edits:
            return source.decode()
        source = edited(source, edits)
    raise Unsettled(f"the Markdown did not settle in {ROUNDS} readings")


def _happening(event: Event, span: Range) -> Happening:
    kind, payload = _opened(event)
    tag, data = _opened(payload) if kind in {"Start", "End"} else ("", payload)
    return Happening(kind, tag, data, span["start"], span["end"])


def _opened(node: object) -> tuple[str, object]:
    """pyromark writes a variant as its bare name, or as a dictionary of one: name and content."""
    return next(iter(node.items())) if isinstance(node, dict) else (str(node), None)


def _misreadings(source: bytes) -> Iterator[Edit]:
    happenings = read(source)
    tables = [(it.start, it.end) for it in happenings if it.kind == "Start" and it.tag == "Table"]
    for index, it in enumerate(happenings):
        match it.kind, it.tag:
            case "InlineHtml", _:
                yield _inline_html(source, it, tables)
            case "Html", _:
                yield from _block_html(source, it)
            case "Start", "Link" | "Image":
                yield from _link(source, it, empty=happenings[index + 1].kind == "End")
            case "Start", "Emphasis" | "Strong":
                yield from _emphasis(source, it)
            case "Start", "CodeBlock" if happenings[index + 1].kind == "End":
                yield from _empty_block(source, it)
            case "Start", "CodeBlock":
                yield from _commas(source, it)
            case "InlineMath", _:
                yield from _mathematics(source, it)
    yield from _definitions(source, happenings)
    yield from _spoilers(source, happenings, tables)


def _escape(*offsets: int) -> Iterator[Edit]:
    return (Edit(offset, offset, b"\\") for offset in offsets)


def _inline_html(source: bytes, it: Happening, tables: list[tuple[int, int]]) -> Edit:
    if not _LINE_BREAK.fullmatch(source, it.start, it.end):
        return Edit(it.start, it.start, b"\\")
    in_table = any(start <= it.start < end for start, end in tables)
    return Edit(it.start, it.end, b" / " if in_table else b"  \n")


def _block_html(source: bytes, it: Happening) -> Iterator[Edit]:
    for found in _UNQUOTED_ANGLE.finditer(source, it.start, it.end):
        if found.group(2):
            yield from _escape(found.start())


def _link(source: bytes, it: Happening, *, empty: bool) -> Iterator[Edit]:
    """A link that cannot be followed is shown as it is written, so that its target is not lost."""
    email = it.data["link_type"] == "Email"
    if (email or followable(it.data["dest_url"])) and not empty:
        return
    bang = 1 if it.tag == "Image" else 0
    yield from _escape(it.start + bang)


def _emphasis(source: bytes, it: Happening) -> Iterator[Edit]:
    """`2*3*4` is a product, `__init__` a name, and `src/*.py or test/*.py` are paths."""
    before, after = source[it.start - 1 : it.start], source[it.end : it.end + 1]
    width = 2 if it.tag == "Strong" else 1
    within = source[it.start + width : it.end - width]
    path = within.startswith(b"/") or within.endswith(b"/") or _SUFFIX.match(source, it.end)
    if (before.isalnum() and after.isalnum()) or path or _DUNDER.fullmatch(source, it.start, it.end):
        yield from _escape(*range(it.start, it.start + width), *range(it.end - width, it.end))


def _empty_block(source: bytes, it: Happening) -> Iterator[Edit]:
    """A fence with nothing in it: what stands on its line is all there is to show."""
    info = it.data["Fenced"] if isinstance(it.data, dict) else ""
    if info:
        fence = re.compile(rb"`+|~+").match(source, it.start)
        yield from _escape(*range(it.start, fence.end() if fence else it.start))


def _commas(source: bytes, it: Happening) -> Iterator[Edit]:
    """```` ```rust,no_run ````: the converter drops what is behind a comma on the line of a fence."""
    info = it.data["Fenced"] if isinstance(it.data, dict) else ""
    if "," in info:
        end = source.find(b"\n", it.start)
        for found in re.finditer(b",", source[it.start : end]):
            yield Edit(it.start + found.start(), it.start + found.end(), COMMA.encode())


def _mathematics(source: bytes, it: Happening) -> Iterator[Edit]:
    """`$HOME/$USER` and `US$5 or US$6` are no formulas: a formula's dollar signs touch no word outside."""
    before, after = source[it.start - 1 : it.start], source[it.end : it.end + 1]
    if before.isalnum() or after.isalnum() or after == b"_":
        yield from _escape(it.start, it.end - 1)


def _definitions(source: bytes, happenings: list[Happening]) -> Iterator[Edit]:
    """`[INFO]: started` is a line of text unless it is a link's target and a link points to it."""
    used = {
        str(it.data["id"]).casefold()
        for it in happenings
        if it.kind == "Start" and it.tag in {"Link", "Image"}
    }
    for label, definition in pyromark.reference_definitions(source.decode(), options=OPTIONS).items():
        if not followable(definition["dest"]) or label.casefold() not in used:
            yield from _escape(definition["span"]["start"])
            yield from _same_label(source, happenings, label)


def _same_label(source: bytes, happenings: list[Happening], label: str) -> Iterator[Edit]:
    """A label counts once, but a log repeats its own: without this each line would take another reading."""
    mark = re.compile(rb"(?<!\\)\[" + re.escape(label.encode()) + rb"\]:", re.IGNORECASE)
    for start, end in _outside_code(source, happenings):
        for found in mark.finditer(source, start, end):
            yield from _escape(found.start())


def _spoilers(source: bytes, happenings: list[Happening], tables: list[tuple[int, int]]) -> Iterator[Edit]:
    """`a || b || c` is a condition; in a table the two bars are an empty cell."""
    if b"||" not in source:
        return
    plain = _outside_code(source, happenings)
    for start, end in plain:
        for found in re.finditer(rb"(?<!\\)\|(?=\|)", source[start:end]):
            offset = start + found.start()
            in_table = any(first <= offset < last for first, last in tables)
            yield Edit(offset + 1, offset + 1, b" ") if in_table else Edit(offset, offset, b"\\")


def _outside_code(source: bytes, happenings: list[Happening]) -> Iterator[tuple[int, int]]:
    cursor = 0
    for it in happenings:
        if it.kind == "Code" or (it.kind == "Start" and it.tag == "CodeBlock"):
            yield cursor, it.start
            cursor = it.end
    yield cursor, len(source)


def _with_dollar_formulas(source: bytes) -> bytes:
    r"""LaTeX's own `\( \)` and `\[ \]` become `$ $` and `$$ $$`, but never in code: shells write them too."""
    if rb"\(" not in source and rb"\[" not in source:
        return source
    edits = [
        Edit(found.start(), found.end(), _dollars(found))
        for start, end in _outside_code(source, read(source))
        for found in _LATEX.finditer(source, start, end)
        if _FORMULA.search(found.group(found.lastgroup or 0))
    ]
    return edited(source, edits)


def _dollars(found: re.Match[bytes]) -> bytes:
    formula = found.group(found.lastgroup or 0).strip()
    return b"$$" + formula + b"$$" if found.lastgroup == "display" else b"$" + formula + b"$"
