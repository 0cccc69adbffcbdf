"""Which file of the castra holds which document, and what it says.

Listing is cheap enough for every turn: a file is parsed again only when it has changed. A file that cannot
be read is reported and left alone. A file's form is `documents`' business, how it gets to the disk `files`'.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from legio.castra import Castra, centurio_name
from legio.errors import CastraError, DocumentError
from legio.memoria import files
from legio.memoria.documents import NAME, PLURAL, parse
from legio.nuntius import LEGATUS
from legio.ports import Document, Kind, Shelf

SHOWN = 30
"""So many names an error about a missing document gives, the newest."""

_LAST_SECOND = 253_402_300_799  # 9999-12-31: a file system can hold later dates than a datetime


@dataclass(frozen=True, slots=True)
class _Parsed:
    """What a file was found to hold, and how the file looked then."""

    fingerprint: files.Fingerprint
    outcome: Document | DocumentError


class Folders:
    """The folders of one castra in which documents lie."""

    def __init__(self, castra: Castra) -> None:
        self.castra = castra
        self._parsed: dict[Path, dict[str, _Parsed]] = {}

    def of(self, kind: Kind, owner: str = "") -> Path:
        """Where documents of a kind lie; raises `ProfileError` for an owner who could lead elsewhere."""
        if kind is Kind.COMMENTARIUM:
            return self.castra.commentarii(owner if owner == LEGATUS else centurio_name(owner))
        return self.castra.edicta if kind is Kind.EDICTUM else self.castra.acta

    def list(self, kind: Kind, owner: str = "") -> Shelf:
        """Every document, oldest first, and a word for each file that is none."""
        folder = self.of(kind, owner)
        try:
            with self.explained(folder):
                names = files.names(self.castra.confine(folder))
        except CastraError as error:
            return Shelf((), (str(error),))
        found = [self._open(folder / name, kind, owner) for name in names]
        self._forget_all_but(folder, names)
        documents = [each for each in found if isinstance(each, Document)]
        documents.sort(key=lambda each: (each.created, each.name))
        broken = tuple(str(each) for each in found if isinstance(each, DocumentError))
        return Shelf(tuple(documents), broken)

    def read(self, kind: Kind, name: str, owner: str = "") -> Document:
        """One document; the error of a missing one names those that there are."""
        found = self.find(kind, name, owner)
        if found is None:
            raise self._missing(kind, name, owner)
        return found

    def find(self, kind: Kind, name: str, owner: str = "") -> Document | None:
        """One document, or None if there is none of that name; raises `DocumentError` for a broken file."""
        folder = self.of(kind, owner)
        with self.explained(folder):
            self.castra.confine(folder)
        found = self._open(folder / f"{name}.xml", kind, owner) if NAME.fullmatch(name) else None
        if isinstance(found, DocumentError):
            raise DocumentError(found.what, where=found.where, remedy=found.remedy)
        return found

    @contextmanager
    def explained(self, path: Path) -> Iterator[None]:
        """Whatever the file system refuses is told as a `DocumentError` about `path`."""
        try:
            yield
        except OSError as error:
            raise self.unusable(path, error) from error

    def shown(self, path: Path) -> str:
        """A path as people are told it."""
        return path.relative_to(self.castra.root).as_posix()

    def unusable(self, path: Path, error: OSError) -> DocumentError:
        """Why a file or folder cannot be used."""
        return DocumentError(
            f"this cannot be used ({error.strerror}).",
            where=self.shown(path),
            remedy="Check its folder, its permissions and the free space; links and pipes are not followed.",
        )

    def _open(self, path: Path, kind: Kind, owner: str) -> Document | DocumentError | None:
        """What the file holds, or why it cannot be told; None if it is not there."""
        try:
            fingerprint = files.fingerprint(path)
            known = self._parsed.setdefault(path.parent, {})
            if path.name not in known or known[path.name].fingerprint != fingerprint:
                outcome = self._parse(path, kind, owner, modified=fingerprint[0])
                known[path.name] = _Parsed(fingerprint, outcome)
            return known[path.name].outcome
        except FileNotFoundError:
            return None
        except OSError as error:
            return self.unusable(path, error)  # not remembered: permissions change and the file does not

    def _parse(self, path: Path, kind: Kind, owner: str, *, modified: int) -> Document | DocumentError:
        content = files.read(path)
        try:
            return parse(content, kind=kind, file=self.shown(path), modified=moment(modified), owner=owner)
        except DocumentError as error:
            return error

    def _forget_all_but(self, folder: Path, names: tuple[str, ...]) -> None:
        known = self._parsed.get(folder, {})
        self._parsed[folder] = {name: known[name] for name in names if name in known}

    def _missing(self, kind: Kind, name: str, owner: str) -> DocumentError:
        there = [document.name for document in self.list(kind, owner).documents]
        more = f" and {len(there) - SHOWN} older" if len(there) > SHOWN else ""
        remedy = (
            f"There are: {', '.join(reversed(there[-SHOWN:]))}{more}." if there else "There are none yet."
        )
        return DocumentError(f"there is no {kind} '{name}'.", where=owner or PLURAL[kind], remedy=remedy)


def moment(modified: int) -> datetime:
    """A file's date, in ns, to the second."""
    return datetime.fromtimestamp(min(max(modified // 10**9, 0), _LAST_SECOND), UTC)
