"""What was found, as one message: five nuntii a page, the words that fit in bold, a button for each.

Pure. A button carries the number of its search and the page, or the seq of a nuntius: it lives as long as
the record does. What a press does is for `pages` to say.
"""

from datetime import tzinfo
from typing import Final

from legio.bot.payload import Rows, TextMessage
from legio.bot.piece import TEXT_UNITS, Entity, Piece, sendable, tidy, utf16_length
from legio.bot.render import cut
from legio.brevity import on_one_line
from legio.ports import Button, Found, Hits, Sought

PAGE: Final = "search"
QUOTE: Final = "found"
PER_PAGE: Final = 5
SNIPPET_CHARACTERS: Final = 400
WORDS_CHARACTERS: Final = 100
QUOTED_UNITS: Final = TEXT_UNITS - 4

_BLANKS: Final = {ord(sign): " " for sign in "\n\r\t\0"}


def results(sought: Sought, hits: Hits, number: int, zone: tzinfo) -> TextMessage:
    """Page `number`, counted from 1, of what was found for `sought`; `hits` are those of that page."""
    words = on_one_line(sought.words, WORDS_CHARACTERS)
    if not hits.total:
        return TextMessage(sendable(f"🔎 {words}\n\nNothing was found."))
    whole = Piece(sendable(f"🔎 {words} · {hits.total:,} found"))
    first = (number - 1) * PER_PAGE + 1
    for position, found in enumerate(hits.found, first):
        whole = _snippet(found).after(_head(found, position, zone).after(Piece("\n\n").after(whole)))
    return TextMessage(whole.text, tidy(whole.text, whole.entities), buttons=_buttons(sought, hits, number))


def pages(total: int) -> int:
    """How many pages so many nuntii take."""
    return max(1, -(-total // PER_PAGE))


def quotation(found: Found, zone: tzinfo) -> TextMessage:
    """A nuntius that was found, in reply to the message that showed it first, if there was one."""
    nuntius = found.nuntius
    text = sendable(f"{_way(found, zone, '%Y-%m-%d %H:%M')}\n\n{nuntius.text}")
    (first, *more) = cut(Piece(text), units=QUOTED_UNITS)
    return TextMessage(f"{first.text} …" if more else first.text, reply_to=found.message)


def _head(found: Found, position: int, zone: tzinfo) -> Piece:
    return Piece(sendable(f"{position} · {_way(found, zone)}\n"))


def _way(found: Found, zone: tzinfo, form: str = "%Y-%m-%d") -> str:
    nuntius = found.nuntius
    to = on_one_line(", ".join(nuntius.audience), WORDS_CHARACTERS)
    return f"{nuntius.sender} → {to} · {nuntius.timestamp.astimezone(zone):{form}}"


def _snippet(found: Found) -> Piece:
    text = found.snippet[:SNIPPET_CHARACTERS].translate(_BLANKS)
    return Piece(text, tuple(_bold(text, start, end) for start, end in found.marks if start < len(text)))


def _bold(text: str, start: int, end: int) -> Entity:
    return Entity("bold", utf16_length(text[:start]), utf16_length(text[start:end]))


def _buttons(sought: Sought, hits: Hits, number: int) -> Rows:
    first, last = (number - 1) * PER_PAGE + 1, pages(hits.total)
    numbers = tuple(
        Button(str(position), f"{QUOTE}:{found.nuntius.seq}")
        for position, found in enumerate(hits.found, first)
    )
    return (numbers, _paging(sought, number, last)) if last > 1 else (numbers,)


def _paging(sought: Sought, number: int, last: int) -> tuple[Button, ...]:
    before = (Button("‹", f"{PAGE}:{sought.id}:{number - 1}"),) if number > 1 else ()
    after = (Button("›", f"{PAGE}:{sought.id}:{number + 1}"),) if number < last else ()
    return (*before, Button(f"{number}/{last}", f"{PAGE}:{sought.id}:{number}"), *after)
