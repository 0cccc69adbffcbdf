"""An answer in Markdown becomes messages that Telegram accepts: text and entities, never a parse mode.

    markdown -> tables made readable -> nothing lost -> converted -> headed -> cut

With entities there is no markup left that Telegram could refuse to parse. A text is cut by 4096 UTF-16 units
and by 100 entities, whichever comes first: at a blank line, else at a newline, else at a space, else hard;
never inside a character. An entity that crosses a cut goes on behind it, so a code block keeps its language
on both sides. Whatever the converter cannot take is shown as it was written. Pure, and free of `telegram`.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from telegramify_markdown import MessageEntity, convert
from telegramify_markdown.config import RenderConfig

from legio.bot.markdown import COMMA, settled
from legio.bot.piece import (
    CODE,
    ENTITIES,
    TEXT_UNITS,
    Entity,
    Piece,
    sendable,
    tidy,
    utf16_length,
    utf16_positions,
)
from legio.bot.tables import rewritten

__all__ = ["RULE", "Entity", "Piece", "converted", "cut", "render"]

_BEHIND_LANGUAGE: Final = re.compile(r"[ ,]+")

RULE: Final = "─" * 14
"""The line between an answer's heading and the answer."""

HEADING_UNITS: Final = 256
"""A centurio's description may be long; a heading is one line."""


def render(markdown: str, heading: str = "") -> tuple[Piece, ...]:
    """The messages that show `markdown`, the first of them headed; none if there is nothing to show."""
    body = converted(markdown)
    return cut(body.after(_headed(heading)) if heading.strip() else body)


def converted(markdown: str) -> Piece:
    """`markdown` as one piece of any length."""
    source = sendable(markdown).strip("\n")
    try:
        text, found = convert(settled(rewritten(source)), latex_escape=False, config=_config())
    except Exception:  # noqa: BLE001 - a foreign parser on any text: what it trips over still goes out
        return Piece(source.strip())
    if not text.strip():
        return Piece(source.strip())
    text = text.rstrip().replace(COMMA, ",")
    return _with_whole_languages(Piece(text, tidy(text, map(_entity, found))))


def cut(piece: Piece, *, units: int = TEXT_UNITS, entities: int = ENTITIES) -> tuple[Piece, ...]:
    """The piece as pieces within both limits; blank space at a cut is dropped, nothing else is."""
    parts = (piece.part(start, end) for start, end in _spans(piece, units, entities))
    return tuple(part for part in parts if part.text.strip())


def _config() -> RenderConfig:
    """Plain signs, and no quote folded away unseen; the library's own config is shared, so never touched."""
    config = RenderConfig.isolated()
    config.cite_expandable = False
    signs = config.markdown_symbol
    signs.heading_level_1 = signs.heading_level_2 = signs.heading_level_3 = signs.heading_level_4 = ""
    signs.unordered_list_item = "•"
    signs.task_completed, signs.task_uncompleted = "☑", "☐"
    signs.image = "🖼 "
    signs.horizontal_rule = RULE
    return config


def _entity(found: MessageEntity) -> Entity:
    language = found.language and found.language.replace(COMMA, ",")
    return Entity(found.type, found.offset, found.length, found.url, language)


def _headed(heading: str) -> Piece:
    line = " ".join(sendable(heading).split())
    if utf16_length(line) > HEADING_UNITS:
        line = line[: HEADING_UNITS // 2].rstrip() + "…"
    return Piece(f"{line}\n{RULE}\n", (Entity("bold", 0, utf16_length(line)),))


def _with_whole_languages(piece: Piece) -> Piece:
    """A fence's first word is its language; the rest (a file's name, mostly) becomes the line above it."""
    for entity in reversed(piece.entities):
        language, *rest = _BEHIND_LANGUAGE.split(entity.language or "", maxsplit=1)
        if any(rest):
            piece = _with_line_above(piece, entity, language, rest[0].strip())
    return piece


def _with_line_above(piece: Piece, block: Entity, language: str, line: str) -> Piece:
    index = utf16_positions(piece.text).index(block.offset)
    text = f"{piece.text[:index]}{line}\n{piece.text[index:]}"
    grown = utf16_length(line) + 1

    def moved(entity: Entity) -> Entity:
        if entity == block:
            return replace(block, offset=block.offset + grown, language=language)
        if entity.offset > block.offset:
            return replace(entity, offset=entity.offset + grown)
        around = entity.end > block.offset
        return replace(entity, length=entity.length + grown) if around else entity

    return Piece(text, tidy(text, map(moved, piece.entities)))


def _spans(piece: Piece, units: int, entities: int) -> Iterator[tuple[int, int]]:
    positions = utf16_positions(piece.text)
    start, last = 0, len(piece.text)
    while start < last:
        edge = _edge(piece, positions, start, units, entities)
        end = edge if edge == last else _best_cut(piece, positions, start, edge)
        yield start, end - _trailing_space(piece.text[start:end])
        start = _next_start(piece, positions, end)


def _edge(piece: Piece, positions: list[int], start: int, units: int, entities: int) -> int:
    """The furthest index that keeps both limits, and at least one character further than `start`."""
    here = positions[start]
    ahead = [entity for entity in piece.entities if entity.end > here]
    limit = here + units
    if len(ahead) > entities:
        limit = min(limit, ahead[entities].offset)
    edge = start + 1
    low, high = edge, len(piece.text)
    while low <= high:
        middle = (low + high) // 2
        if positions[middle] <= limit:
            edge, low = middle, middle + 1
        else:
            high = middle - 1
    return edge


def _best_cut(piece: Piece, positions: list[int], start: int, edge: int) -> int:
    """The best place in the second half of the window: cutting earlier would leave messages half empty."""
    blocks = [entity for entity in piece.entities if entity.type in CODE]
    low = start + (edge - start) // 2
    for mark, outside_code in (("\n\n", True), ("\n\n", False), ("\n", False), (" ", False)):
        at = piece.text.rfind(mark, low, edge + len(mark))
        while at > start:
            unit = positions[at]
            if not outside_code or not any(block.offset < unit < block.end for block in blocks):
                return at
            at = piece.text.rfind(mark, low, at + len(mark) - 1)
    return edge


def _trailing_space(text: str) -> int:
    return len(text) - len(text.rstrip())


def _next_start(piece: Piece, positions: list[int], end: int) -> int:
    """Past the blank space at the cut; in code only past the newline, for what follows is indentation."""
    inside = end < len(piece.text) and any(
        block.type == "pre" and block.offset < positions[end] < block.end for block in piece.entities
    )
    if inside:
        return end + (piece.text[end] == "\n")
    return end + len(piece.text[end:]) - len(piece.text[end:].lstrip())
