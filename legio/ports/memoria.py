"""The shared memory of plain files, as the core needs it."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Protocol


class Kind(StrEnum):
    """The three kinds of document. The value is the XML element's name."""

    EDICTUM = "edictum"
    ACTUM = "actum"
    COMMENTARIUM = "commentarium"


@dataclass(frozen=True, slots=True)
class Document:
    """One file of the memoria.

    `name` is its id and file stem (matches `[a-z0-9][a-z0-9-]{0,63}`); `author` is set by the host; `owner`
    is the agent whose commentarium it is, else "".
    """

    kind: Kind
    name: str
    title: str
    text: str
    author: str
    created: datetime
    owner: str = ""


@dataclass(frozen=True, slots=True)
class Shelf:
    """What a listing found: the documents, oldest first, and a word for each file that could not be read."""

    documents: tuple[Document, ...]
    broken: tuple[str, ...] = ()


class Memoria(Protocol):
    """The shared memory of plain files."""

    def list(self, kind: Kind, owner: str = "") -> Shelf:
        """1. All documents of a kind; a broken file is reported and skipped. Never raises for a file."""

    def read(self, kind: Kind, name: str, owner: str = "") -> Document:
        """2. One document, or raises `DocumentError` saying what there is instead."""

    def write(
        self, kind: Kind, *, title: str, text: str, author: str, owner: str = ""
    ) -> tuple[Document, str]:
        """3. Writes a new file atomically, never over an old one; returns it and a warning or ""."""

    def revoke(self, name: str, author: str) -> Document:
        """4. Takes an edictum out of force; its file is kept in the history."""
