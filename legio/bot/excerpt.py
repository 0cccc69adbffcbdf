"""A block as one entity of a card: whole where it fits, else its beginning and its end.

What is left out is counted where it is missing: nobody may take the part for the whole when he decides.
"""

from typing import Final
from unicodedata import category

from legio.bot.piece import Entity, Piece, sendable, utf16_length, utf16_positions
from legio.ports import Block

GAP_UNITS: Final = 60
"""Room for the line that says how much is left out."""
HIDDEN: Final = frozenset({"Cc", "Cf"})
"""Unicode's categories of controls and of formatting signs, such as those that turn the reading round."""
SEEN: Final = frozenset("\n\t\u200d")
"""Those of them that a reader needs: the last one joins parts of an emoji."""
BEGINNING: Final = 0.7
"""How much of what is shown is the beginning."""


def excerpt(block: Block, *, units: int) -> Piece:
    """The block within `units` UTF-16 units."""
    text = plain_to_see(sendable(block.text)).strip("\n") or " "
    if utf16_length(text) > units:
        text = _shortened(text, units - GAP_UNITS)
    # Words are quoted and not set as code: they are read by lines that end where the screen does.
    kind = "pre" if block.language else "blockquote"
    return Piece(text, (Entity(kind, 0, utf16_length(text), language=block.language or None),))


def plain_to_see(text: str) -> str:
    """The text with every sign written out that is not seen, or turns the reading round."""
    return "".join(
        sign if sign in SEEN or category(sign) not in HIDDEN else f"\\u{ord(sign):04x}" for sign in text
    )


def _shortened(text: str, units: int) -> str:
    positions = utf16_positions(text)
    head_units = int(units * BEGINNING)
    head = next(index for index, at in enumerate(positions) if at >= head_units)
    first = positions[-1] - (units - head_units)
    tail = next(index for index, at in enumerate(positions) if at >= first)
    # Whole lines read better, where there are any.
    head = text.rfind("\n", head // 2, head) + 1 or head
    newline = text.find("\n", tail, tail + (len(text) - tail) // 2)
    tail = newline + 1 if newline >= 0 else tail
    gap = f"… {tail - head:,} characters are not shown …"
    return f"{text[:head].rstrip()}\n{gap}\n{text[tail:]}"
