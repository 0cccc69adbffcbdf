"""The memoria in the castra: which file holds which document, and what becomes of it.

Nothing is ever overwritten: a new document gets a free name, a revoked edictum goes to `edicta/.history`, a
file that cannot be read is reported and left alone. Listing is cheap enough for every turn: a file is parsed
again only when it has changed. The form of a file is `documents`' business, how it gets to the disk `files`',
who may write what `tools`'.
"""

import re
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from html import escape
from itertools import count
from pathlib import Path

from legio.castra import Castra, centurio_name
from legio.errors import CastraError, DocumentError
from legio.memoria import files
from legio.memoria.documents import NAME, PLURAL, parse, render, tidy, tidy_line
from legio.nuntius import LEGATUS
from legio.ports import Clock, Document, Kind, Proof, Shelf

FILE_BYTES = 50_000
"""Above this a document is written with a warning: agents read documents whole."""
JOURNAL_BYTES = 1_000_000
"""Above this an agent's commentarii are written to with a warning."""
SHOWN = 30
"""So many names an error about a missing document gives, the newest."""
NAME_LENGTH = 64

_LAST_SECOND = 253_402_300_799  # 9999-12-31: a file system can hold later dates than a datetime


@dataclass(frozen=True, slots=True)
class _Parsed:
    """What a file was found to hold, and how the file looked then."""

    fingerprint: files.Fingerprint
    outcome: Document | DocumentError


class FileMemoria:
    """The `Memoria` port over the XML files of one castra. Nothing is locked: the files settle every race."""

    def __init__(self, castra: Castra, clock: Clock) -> None:
        self._castra = castra
        self._clock = clock
        self._parsed: dict[Path, dict[str, _Parsed]] = {}

    def list(self, kind: Kind, owner: str = "") -> Shelf:
        """Every document, oldest first, and a word for each file that is none."""
        folder = self._folder(kind, owner)
        try:
            with self._explained(folder):
                names = files.names(self._castra.confine(folder))
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
        folder = self._folder(kind, owner)
        with self._explained(folder):
            self._castra.confine(folder)
        found = self._open(folder / f"{name}.xml", kind, owner) if NAME.fullmatch(name) else None
        if found is None:
            raise self._missing(kind, name, owner)
        if isinstance(found, DocumentError):
            raise DocumentError(found.what, where=found.where, remedy=found.remedy)
        return found

    def write(
        self, kind: Kind, *, title: str, text: str, author: str, owner: str = ""
    ) -> tuple[Document, str]:
        """A new document, named after its title. Characters that XML cannot hold are left out."""
        return self._written(self._draft(kind, title, text, author=author, owner=owner))

    def ordain(self, *, title: str, text: str, author: str, proof: Proof) -> tuple[Document, str]:
        """A new edictum that an agent publishes at Caesar's word."""
        draft = self._draft(Kind.EDICTUM, title, text, author=author)
        return self._written(replace(draft, proof=tidy_line(proof.nuntius), allowed=tidy_line(proof.allowed)))

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
        folder = self._folder(draft.kind, draft.owner)
        size = len(render(draft))
        if size > files.READ_BYTES - NAME_LENGTH:
            what = f"this holds {_kilobytes(size)}, which is too much for one document."
            raise DocumentError(what, where=draft.title, remedy="Write several shorter ones.")
        with self._explained(folder):
            self._castra.confine(folder)
            document = next(
                each for each in _named(draft) if files.create(folder / f"{each.name}.xml", render(each))
            )
            return document, _warning(document, size, folder)

    def revoke(self, name: str, author: str, proof: Proof | None = None) -> Document:
        """The edictum's file is kept in the history as it was, with a line on who ended it, when and why."""
        document = self.read(Kind.EDICTUM, name)
        path = self._castra.edicta / f"{name}.xml"
        now = self._clock.now().astimezone(UTC)
        line = f'<?revoked by="{escape(tidy_line(author))}" at="{now.isoformat()}"{_sanction(proof)}?>\n'
        history = self._castra.edicta / ".history"
        stem = f"{name}.{now:%Y%m%dT%H%M%SZ}"
        with self._explained(path):
            self._castra.confine(history)
            content = files.read(path) + line.encode()
            next(each for each in _numbered(stem) if files.create(history / f"{each}.xml", content))
            # Only now: a crash in between leaves the edictum in force and a copy, never neither.
            files.remove(path)
        return document

    def _folder(self, kind: Kind, owner: str) -> Path:
        """Raises `ProfileError` for an owner whose name could lead elsewhere."""
        if kind is Kind.COMMENTARIUM:
            return self._castra.commentarii(owner if owner == LEGATUS else centurio_name(owner))
        return self._castra.edicta if kind is Kind.EDICTUM else self._castra.acta

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
            return self._unusable(path, error)  # not remembered: permissions change and the file does not

    def _parse(self, path: Path, kind: Kind, owner: str, *, modified: int) -> Document | DocumentError:
        content = files.read(path)
        seconds = min(max(modified // 10**9, 0), _LAST_SECOND)
        moment = datetime.fromtimestamp(seconds, UTC)
        try:
            return parse(content, kind=kind, file=self._shown(path), modified=moment, owner=owner)
        except DocumentError as error:
            return error

    def _forget_all_but(self, folder: Path, names: tuple[str, ...]) -> None:
        known = self._parsed.get(folder, {})
        self._parsed[folder] = {name: known[name] for name in names if name in known}

    @contextmanager
    def _explained(self, path: Path) -> Iterator[None]:
        """Whatever the file system refuses is told as a `DocumentError` about `path`."""
        try:
            yield
        except OSError as error:
            raise self._unusable(path, error) from error

    def _shown(self, path: Path) -> str:
        return path.relative_to(self._castra.root).as_posix()

    def _unusable(self, path: Path, error: OSError) -> DocumentError:
        return DocumentError(
            f"this cannot be used ({error.strerror}).",
            where=self._shown(path),
            remedy="Check its folder, its permissions and the free space; links and pipes are not followed.",
        )

    def _missing(self, kind: Kind, name: str, owner: str) -> DocumentError:
        there = [document.name for document in self.list(kind, owner).documents]
        more = f" and {len(there) - SHOWN} older" if len(there) > SHOWN else ""
        remedy = (
            f"There are: {', '.join(reversed(there[-SHOWN:]))}{more}." if there else "There are none yet."
        )
        return DocumentError(f"there is no {kind} '{name}'.", where=owner or PLURAL[kind], remedy=remedy)


def _sanction(proof: Proof | None) -> str:
    """The proof as attributes."""
    if proof is None:
        return ""
    return f' proof="{escape(tidy_line(proof.nuntius))}" allowed="{escape(tidy_line(proof.allowed))}"'


def _named(draft: Document) -> Iterator[Document]:
    """The draft named after its title, then with numbers; its kind, if the title has no a-z or 0-9."""
    plain = unicodedata.normalize("NFKD", draft.title).encode("ascii", "ignore").decode().lower()
    slug = re.sub(r"[^a-z0-9]+", "-", plain)[: NAME_LENGTH - 8].strip("-")
    return (replace(draft, name=name) for name in _numbered(slug or draft.kind.value))


def _numbered(stem: str) -> Iterator[str]:
    yield stem
    yield from (f"{stem}-{number}" for number in count(2))


def _warning(document: Document, size: int, folder: Path) -> str:
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
