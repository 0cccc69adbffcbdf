"""What stood in the memoria before, as the core needs it: seen, amended, ended and put back.

Only Caesar amends and puts back; agents write and, at his word, revoke.
"""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Protocol

from legio.ports.memoria import Document, Kind, Proof


class Fate(StrEnum):
    """What became of a version."""

    STANDS = "stands"
    REPLACED = "replaced"
    REVOKED = "revoked"


@dataclass(frozen=True, slots=True)
class Version:
    """A document as it stands or once stood.

    `id` tells it from the others of its name, and is "" for the one that stands. `ended` is when it did, in
    UTC, and `by` who ended it: None and "" while it stands. `proof` is Caesar's word where an agent ended it.
    """

    document: Document
    fate: Fate = Fate.STANDS
    id: str = ""
    ended: datetime | None = None
    by: str = ""
    proof: Proof | None = None


@dataclass(frozen=True, slots=True)
class Past:
    """Versions, the newest first, and a word for each file that could not be read."""

    versions: tuple[Version, ...]
    broken: tuple[str, ...] = ()


class History(Protocol):
    """What stood before, none of which is ever lost."""

    def versions(self, kind: Kind, name: str, owner: str = "") -> Past:
        """1. What stands under a name, if anything does, and before it all that stood there."""

    def gone(self, kind: Kind, owner: str = "") -> Past:
        """2. The last version of each name under which nothing stands any more."""

    def amend(self, was: Document, *, title: str, text: str, author: str) -> tuple[Document, str]:
        """3. Puts a new text in the place of `was`, or raises `Refused` if that does not stand any more."""

    def revoke(self, was: Document, author: str, proof: Proof | None = None) -> None:
        """4. Takes `was` away, or raises `Refused` if it does not stand any more."""

    def restore(self, version: Version, author: str, *, over: Document | None = None) -> Document:
        """5. Lets a version stand again as it stood, instead of `over`; `Refused` if that has changed."""
