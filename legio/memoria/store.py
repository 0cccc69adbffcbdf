"""The memoria in the castra: what is written there, and what becomes of it.

Nothing is ever overwritten: a new document gets a free name, a revoked edictum goes to the `history`. Which
file holds which document is `folders`' business, who may write what `tools`'.
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC
from itertools import count

from legio.castra import Castra
from legio.memoria import files
from legio.memoria.documents import render, tidy, tidy_line
from legio.memoria.folders import Folders
from legio.memoria.history import FileHistory
from legio.memoria.weight import rendered, warning
from legio.ports import Clock, Document, Kind, Proof, Shelf

SLUG_LENGTH = 56
"""Of the 64 characters of a name: it may still be given a number."""


class FileMemoria:
    """The `Memoria` port over the XML files of one castra. The files settle every race for a name."""

    def __init__(self, castra: Castra, clock: Clock) -> None:
        self._folders = Folders(castra)
        self._history = FileHistory(castra, clock)
        self._clock = clock

    def list(self, kind: Kind, owner: str = "") -> Shelf:
        """Every document, oldest first, and a word for each file that is none."""
        return self._folders.list(kind, owner)

    def read(self, kind: Kind, name: str, owner: str = "") -> Document:
        """One document; the error of a missing one names those that there are."""
        return self._folders.read(kind, name, owner)

    def write(
        self, kind: Kind, *, title: str, text: str, author: str, owner: str = ""
    ) -> tuple[Document, str]:
        """A new document, named after its title. Characters that XML cannot hold are left out."""
        return self._written(self._draft(kind, title, text, author=author, owner=owner))

    def ordain(self, *, title: str, text: str, author: str, proof: Proof) -> tuple[Document, str]:
        """A new edictum that an agent publishes at Caesar's word."""
        draft = self._draft(Kind.EDICTUM, title, text, author=author)
        return self._written(replace(draft, proof=tidy_line(proof.nuntius), allowed=tidy_line(proof.allowed)))

    def revoke(self, name: str, author: str, proof: Proof | None = None) -> Document:
        """The edictum's file is kept in the history as it was, with a line on who ended it, when and why."""
        document = self.read(Kind.EDICTUM, name)
        self._history.revoke(document, author, proof)
        return document

    def _draft(self, kind: Kind, title: str, text: str, *, author: str, owner: str = "") -> Document:
        return Document(
            kind=kind,
            name=kind.value,
            title=tidy_line(title),
            text=tidy(text),
            author=tidy_line(author),
            created=self._clock.now().astimezone(UTC),
            owner=owner,
        )

    def _written(self, draft: Document) -> tuple[Document, str]:
        folder = self._folders.of(draft.kind, draft.owner)
        size = len(rendered(draft))
        with self._folders.explained(folder):
            self._folders.castra.confine(folder)
            document = next(
                each for each in _named(draft) if files.create(folder / f"{each.name}.xml", render(each))
            )
            return document, warning(document, size, folder)


def _named(draft: Document) -> Iterator[Document]:
    """The draft named after its title, then with numbers; its kind, if the title has no a-z or 0-9."""
    plain = unicodedata.normalize("NFKD", draft.title).encode("ascii", "ignore").decode().lower()
    slug = re.sub(r"[^a-z0-9]+", "-", plain)[:SLUG_LENGTH].strip("-") or draft.kind.value
    yield replace(draft, name=slug)
    yield from (replace(draft, name=f"{slug}-{number}") for number in count(2))
