"""The shared memory of plain files, as the core needs it."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Protocol

from legio.ports.messenger import Block


class Kind(StrEnum):
    """The three kinds of document. The value is the XML element's name."""

    EDICTUM = "edictum"
    ACTUM = "actum"
    COMMENTARIUM = "commentarium"


@dataclass(frozen=True, slots=True)
class Document:
    """One file of the memoria.

    `name` is its id and file stem (matches `[a-z0-9][a-z0-9-]{0,63}`); `author` is set by the host; `owner`
    is the agent whose commentarium it is, else "". `proof` is the id of the nuntius of Caesar's by which an
    agent published it, and `allowed` who allowed that; both "" where no such word was needed.
    """

    kind: Kind
    name: str
    title: str
    text: str
    author: str
    created: datetime
    owner: str = ""
    proof: str = ""
    allowed: str = ""


@dataclass(frozen=True, slots=True)
class Proof:
    """By whose word an agent gave an order: the id of Caesar's nuntius that led to it, and who allowed it."""

    nuntius: str
    allowed: str


@dataclass(frozen=True, slots=True)
class Order:
    """What an agent wants to do to the edicta: in words, as it stands, and how it is done once allowed.

    It is `grave` where an edictum would be revoked by it, as when Caesar revokes one himself.
    """

    agent: str
    text: str
    block: Block
    enact: Callable[[Proof], str]
    grave: bool = False


Sanction = Callable[[Order], Awaitable[str]]
"""Asks Caesar for an order to be enacted; returns what was done, or raises `Refused` with what became."""


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

    def revoke(self, name: str, author: str, proof: Proof | None = None) -> Document:
        """4. Takes an edictum out of force; its file is kept in the history, with the proof."""

    def ordain(self, *, title: str, text: str, author: str, proof: Proof) -> tuple[Document, str]:
        """5. As `write`, an edictum that an agent publishes by Caesar's word, which is written into it."""
