"""The corpus of hard Markdown, and what a reader finds of a page in the messages that show it."""

import html
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations
from pathlib import Path

from legio.bot.piece import CODE, Entity, Piece, utf16_length, utf16_positions

FOLDER = Path(__file__).parent / "corpus"
PAGES = {path.stem: path.read_text() for path in sorted(FOLDER.glob("*.md"))}

_WORD = re.compile(r"[a-zA-Z0-9]+|[^\W_]")
"""Other scripts are looked at letter by letter: some of them set no space between words."""


def words(markdown: str) -> list[str]:
    """The words and figures of a text, in order; `&euro;` is the sign that it means."""
    return _WORD.findall(html.unescape(markdown))


def found(pieces: Sequence[Piece]) -> list[str]:
    """The words that can be read, or followed: a link's target behind it, a block's language before it."""
    return [word for piece in pieces for word in _WORD.findall(_spelled_out(piece))]


def lost(markdown: str, pieces: Sequence[Piece]) -> Counter[str]:
    """The words of a page that are nowhere to be found, each as often as it is missing."""
    return Counter(words(markdown)) - Counter(found(pieces))


def in_order(markdown: str, pieces: Sequence[Piece]) -> bool:
    """Whether what is found of a page stands in the order in which it was written."""
    gone = lost(markdown, pieces)
    shown: Iterator[str] = iter(found(pieces))
    return all(word in shown for word in words(markdown) if not gone[word])


def _spelled_out(piece: Piece) -> str:
    positions = utf16_positions(piece.text)
    marks: dict[int, list[str]] = {}
    for entity in piece.entities:
        at, said = _beside(entity)
        marks.setdefault(positions.index(at), []).append(f" {said} ")
    parts = [piece.text[index] for index in range(len(piece.text))] + [""]
    return "".join("".join(marks.get(index, [])) + part for index, part in enumerate(parts))


def _beside(entity: Entity) -> tuple[int, str]:
    if entity.language:
        return entity.offset, entity.language
    return entity.end, entity.url or ""


# --- whatever the text ---


def letters(text: str) -> list[str]:
    return re.findall(r"[^\W\d_]+", text)


def seen(pieces: tuple[Piece, ...]) -> list[str]:
    """All that a reader can see or follow: texts, targets and languages."""
    parts = [piece.text for piece in pieces]
    for piece in pieces:
        parts += [f"{it.url or ''} {it.language or ''}" for it in piece.entities]
    return letters(" ".join(parts))


def missing(markdown: str, pieces: tuple[Piece, ...]) -> str:
    """The letters of `markdown` that are nowhere to be seen, each as often as it is missing."""
    shown, lost = list("".join(seen(pieces))), []
    for letter in "".join(letters(markdown.replace("<br>", " ").replace("\ud800", " "))):
        if letter in shown:
            shown.remove(letter)
        else:
            lost.append(letter)
    return "".join(lost)


def assert_valid(piece: Piece) -> None:
    """Inside the text, on whole characters, and no two crossing or nested as Telegram forbids."""
    length = utf16_length(piece.text)
    for entity in piece.entities:
        assert 0 <= entity.offset < entity.end <= length
        assert covered(piece, entity)
    for one_, other in combinations(piece.entities, 2):
        apart = one_.end <= other.offset or other.end <= one_.offset
        nested = (one_.offset <= other.offset and other.end <= one_.end) or (
            other.offset <= one_.offset and one_.end <= other.end
        )
        assert apart or nested
        if {one_.type, other.type} & CODE and "quote" not in one_.type + other.type:
            assert apart


def covered(piece: Piece, entity: Entity) -> str:
    """The characters under an entity, found the way Telegram does."""
    return piece.text.encode("utf-16-le")[2 * entity.offset : 2 * entity.end].decode("utf-16-le")
