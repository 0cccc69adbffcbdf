"""How heavy documents may be: what is refused, and what is written with a warning.

Agents read documents whole, and every turn is given the edicta.
"""

from pathlib import Path

from legio.errors import DocumentError
from legio.memoria import files
from legio.memoria.documents import render
from legio.ports import Document, Kind

FILE_BYTES = 50_000
"""Above this a document is written with a warning."""
JOURNAL_BYTES = 1_000_000
"""Above this an agent's commentarii are written to with a warning."""
NAME_LENGTH = 64
"""So much a file may still grow by the name that it is given."""


def rendered(document: Document) -> bytes:
    """The file's bytes; raises `DocumentError` for what could not be read again, or is too large for that."""
    content = render(document)
    if len(content) > files.READ_BYTES - NAME_LENGTH:
        what = f"this holds {_kilobytes(len(content))}, which is too much for one document."
        raise DocumentError(what, where=document.title, remedy="Write several shorter ones.")
    return content


def warning(document: Document, size: int, folder: Path) -> str:
    """What Caesar or the author should mend before memory gets too heavy to read; "" if all is well."""
    words = []
    if size > FILE_BYTES:
        words.append(f"'{document.name}' holds {_kilobytes(size)}: keep each below {_kilobytes(FILE_BYTES)}.")
    if document.kind is Kind.COMMENTARIUM and (total := files.size(folder)) > JOURNAL_BYTES:
        words.append(
            f"These commentarii hold {_kilobytes(total)}, more than {_kilobytes(JOURNAL_BYTES)}: "
            "write less, and ask Caesar to remove old ones."
        )
    return " ".join(words)


def _kilobytes(size: int) -> str:
    return f"{size / 1000:.0f} KB"
