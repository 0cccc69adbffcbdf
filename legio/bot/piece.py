"""Text as Telegram takes it: characters, and entities measured in UTF-16 units.

Everything about offsets lives here: counting, slicing, joining, and the rules by which entities may overlap.
What the entities mean in Markdown, and where a text is cut, is for `render` to say. Pure, and free of
`telegram`.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Final

TEXT_UNITS: Final = 4096
"""The longest message in UTF-16 units (Bot API, sendMessage)."""

CAPTION_UNITS: Final = 1024
"""The longest caption in UTF-16 units (Bot API, sendDocument)."""

ENTITIES: Final = 100
"""The most entities of one message: Telegram drops the others in silence."""

# The Bot API lets these stand alone only: none of them may contain or cross another of them, and styles
# may not touch the first two.
CODE: Final = frozenset({"code", "pre"})
SOLID: Final = CODE | {"text_link"}
QUOTES: Final = frozenset({"blockquote", "expandable_blockquote"})
_FOLLOWABLE: Final = re.compile(r"(https?|tg)://\S")


@dataclass(frozen=True, slots=True)
class Entity:
    """A stretch of a text with a meaning; `offset` and `length` are in UTF-16 units."""

    type: str
    offset: int
    length: int
    url: str | None = None
    language: str | None = None

    @property
    def end(self) -> int:
        """The unit after the last one."""
        return self.offset + self.length


@dataclass(frozen=True, slots=True)
class Piece:
    """A text with its entities, sorted by offset, outer before inner."""

    text: str
    entities: tuple[Entity, ...] = ()

    def after(self, prefix: "Piece") -> "Piece":
        """`prefix` and then this, as one piece."""
        moved = shifted(self.entities, utf16_length(prefix.text))
        return Piece(prefix.text + self.text, prefix.entities + moved)

    def part(self, start: int, end: int) -> "Piece":
        """The characters from index `start` to `end`; entities that reach beyond are clipped."""
        first = utf16_length(self.text[:start])
        last = first + utf16_length(self.text[start:end])
        touched = (it for it in self.entities if it.offset < last and it.end > first)
        clipped = tuple(_clip(entity, first, last) for entity in touched)
        return Piece(self.text[start:end], shifted(clipped, -first))


def utf16_length(text: str) -> int:
    """How many UTF-16 units a text takes: two for a character beyond the basic plane."""
    return len(text) if text.isascii() else len(text) + sum(character > "\uffff" for character in text)


def utf16_positions(text: str) -> list[int]:
    """The unit at which each character begins, and the whole length at the end."""
    return list(accumulate((2 if character > "\uffff" else 1 for character in text), initial=0))


def shifted(entities: Iterable[Entity], units: int) -> tuple[Entity, ...]:
    """The same entities, `units` further on."""
    return tuple(replace(entity, offset=entity.offset + units) for entity in entities)


def sendable(text: str) -> str:
    """`text` without what Telegram refuses or removes: lone surrogates, NUL, carriage returns."""
    whole = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return whole.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "")


def followable(url: str) -> bool:
    """Whether Telegram takes it as the target of a link."""
    return _FOLLOWABLE.match(url) is not None


def tidy(text: str, entities: Iterable[Entity]) -> tuple[Entity, ...]:
    """The entities that Telegram would take as they are: inside the text, nested or apart, none twice.

    Code and links win over the styles around them; of two quotes, or two links or codes, the outer stays.
    """
    length = utf16_length(text)
    clipped = (_clip(entity, 0, length) for entity in entities)
    inside = sorted((entity for entity in clipped if entity.length > 0), key=_order)
    solid = _apart(entity for entity in inside if entity.type in SOLID and _reachable(entity))
    quotes = _apart(entity for entity in inside if entity.type in QUOTES)
    styles = _merged(entity for entity in inside if entity.type not in SOLID | QUOTES)
    code = [entity for entity in solid if entity.type in CODE]
    bare = [part for style in styles for part in _without(style, code)]
    return tuple(sorted([*solid, *quotes, *bare], key=_order))


def _order(entity: Entity) -> tuple[int, int, bool, str]:
    return (entity.offset, -entity.length, entity.type in CODE, entity.type)


def _clip(entity: Entity, first: int, last: int) -> Entity:
    offset = max(entity.offset, first)
    return replace(entity, offset=offset, length=min(entity.end, last) - offset)


def _reachable(entity: Entity) -> bool:
    return entity.type != "text_link" or followable(entity.url or "")


def _apart(entities: Iterable[Entity]) -> list[Entity]:
    kept: list[Entity] = []
    for entity in entities:
        if not kept or entity.offset >= kept[-1].end:
            kept.append(entity)
    return kept


def _merged(styles: Iterable[Entity]) -> list[Entity]:
    """Bold inside bold is one bold; without this the count of entities could exceed any limit at one spot."""
    merged: dict[str, list[Entity]] = {}
    for style in styles:
        same = merged.setdefault(style.type, [])
        if same and style.offset < same[-1].end:
            same[-1] = replace(same[-1], length=max(same[-1].end, style.end) - same[-1].offset)
        else:
            same.append(style)
    return [style for same in merged.values() for style in same]


def _without(style: Entity, code: Iterable[Entity]) -> Iterator[Entity]:
    start = style.offset
    for hole in code:
        if hole.offset >= style.end or hole.end <= start:
            continue
        if hole.offset > start:
            yield replace(style, offset=start, length=hole.offset - start)
        start = hole.end
    if start < style.end:
        yield replace(style, offset=start, length=style.end - start)
