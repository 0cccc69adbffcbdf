"""What a model reads of the memoria: compact XML, bounded, in which no text can close a tag.

Titles, texts, authors and the words about broken files were all written by somebody; each is escaped here,
so that none can pose as Legio. What may be asked, and by whom, is the tools' business.
"""

from html import escape

from legio.errors import DocumentError
from legio.memoria.documents import PLURAL
from legio.ports import Document, Kind, Shelf

LISTED = 100
"""So many documents a listing shows, the newest; a search word reaches the others."""
PART_CHARACTERS = 20_000
"""So much of a text one reading gives: the CLI refuses tool results of more than 25,000 tokens."""


def listing(kind: Kind, shelf: Shelf, *, containing: str = "") -> str:
    """The documents whose title or text contains the words, in any case, and what could not be read."""
    wanted = containing.casefold()
    matching = [each for each in shelf.documents if wanted in f"{each.title}\n{each.text}".casefold()]
    older = len(matching) - LISTED
    return "\n".join(
        (
            f'<{PLURAL[kind]} count="{len(matching)}">',
            *([f'<older count="{older}">Use containing to find them.</older>'] if older > 0 else ()),
            *map(line, matching[-LISTED:]),
            *(f"<broken>{escape(word, quote=False)}</broken>" for word in shelf.broken),
            f"</{PLURAL[kind]}>",
        )
    )


def reading(document: Document, *, part: int = 1) -> str:
    """The document, or one part of a long one, counted from 1; raises `DocumentError` beyond the last."""
    parts = -(-len(document.text) // PART_CHARACTERS)
    if part > parts:
        what = f"there is no part {part}."
        raise DocumentError(what, where=document.name, remedy=f"Its last part is {parts}.")
    text = document.text[(part - 1) * PART_CHARACTERS : part * PART_CHARACTERS]
    position = f' part="{part}" parts="{parts}"' if parts > 1 else ""
    title = f"<title>{escape(document.title, quote=False)}</title>"
    body = f"<text>{escape(text, quote=False)}</text>"
    return f"<{document.kind} {_attributes(document)}{position}>\n{title}\n{body}\n</{document.kind}>"


def line(document: Document) -> str:
    """The document by name, author, date and title, without its text."""
    title = escape(document.title, quote=False)
    return f"<{document.kind} {_attributes(document)}>{title}</{document.kind}>"


def _attributes(document: Document) -> str:
    created = document.created.isoformat(timespec="seconds")
    return f'name="{document.name}" author="{escape(document.author)}" created="{created}"'
