"""What stood in the memoria before: kept in a hidden folder beside what stands, and put back from there.

What ends is copied first and taken away after: a crash at any instant leaves in its place what stood, or what
follows it, and never neither. What follows takes the place in one step. Of two writers of Legio's the second
is refused; an editor outside of it is noticed, unless it saves in the very instant of that step. How a kept
file looks is `kept`'s business.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from legio.castra import Castra
from legio.errors import CastraError, DocumentError, Refused
from legio.memoria import files, kept
from legio.memoria.documents import parse, render, tidy, tidy_line
from legio.memoria.folders import Folders, moment
from legio.memoria.weight import rendered, warning
from legio.ports import Clock, Document, Fate, Kind, Past, Proof, Version

MOST_GONE = 200
"""So many names under which nothing stands are told, those that ended last."""


@dataclass(frozen=True, slots=True)
class _Standing:
    """A document and the file in which it was found, as that was then."""

    document: Document
    path: Path
    content: bytes
    fingerprint: files.Fingerprint


class FileHistory:
    """The `History` port over the files of one castra."""

    def __init__(self, castra: Castra, clock: Clock) -> None:
        self._folders = Folders(castra)
        self._clock = clock

    def versions(self, kind: Kind, name: str, owner: str = "") -> Past:
        """What stands under a name, and before it what stood; files that cannot be read are told."""
        broken: tuple[str, ...] = ()
        try:
            found = self._folders.find(kind, name, owner)
        except DocumentError as error:
            found, broken = None, (str(error),)
        former = self._told([each for each in self._kept(kind, owner) if each.name == name], kind, owner)
        stands = () if found is None else (Version(found),)
        return Past((*stands, *former.versions), (*broken, *former.broken))

    def gone(self, kind: Kind, owner: str = "") -> Past:
        """Of each name under which there is no file, the last version."""
        folder = self._folders.of(kind, owner)
        with self._folders.explained(folder):
            there = {name.removesuffix(".xml") for name in files.names(self._folders.castra.confine(folder))}
        last = {each.name: each for each in self._kept(kind, owner)}
        gone = sorted((last[name] for name in last.keys() - there), key=lambda each: each.ended)
        return self._told(gone[-MOST_GONE:], kind, owner)

    def amend(self, was: Document, *, title: str, text: str, author: str) -> tuple[Document, str]:
        """A new version by `author`, dated now; what stood keeps its own author and date in the history."""
        document = replace(
            was,
            title=tidy_line(title),
            text=tidy(text),
            author=tidy_line(author),
            created=self._now,
            proof="",
            allowed="",
        )
        if (document.title, document.text) == (was.title, was.text):
            return was, ""
        content = rendered(document)
        with self._held(was) as standing:
            self._swap(standing, content, by=author)
        return document, warning(document, len(content), standing.path.parent)

    def revoke(self, was: Document, author: str, proof: Proof | None = None) -> None:
        """The file is kept in the history as it was."""
        with self._held(was) as standing:
            self._keep(standing, Fate.REVOKED, author, proof)
            _unmoved(standing)
            # Only now: a crash in between leaves the document in force and a copy, never neither.
            files.remove(standing.path)

    def restore(self, version: Version, author: str, *, over: Document | None = None) -> Document:
        """The former file as it was, with its author and date; what is kept of it stays kept."""
        document = version.document
        if over == document:
            raise Refused("this is what stands.", remedy="Choose another version.")
        content, modified = self._former(version)
        if over is not None:
            with self._held(over) as standing:
                self._swap(standing, content, by=author, modified=modified)
            return document
        path = self._path(document)
        with self._folders.explained(path):
            if not files.create(self._folders.castra.confine(path), content, modified=modified):
                raise _changed(document)
        return document

    # --- what stands ---------------------------------------------------------------------------------------

    @contextmanager
    def _held(self, was: Document) -> Iterator[_Standing]:
        """What stands, if it is `was`; no other writer of Legio's changes it meanwhile."""
        if self._folders.find(was.kind, was.name, was.owner) is None:
            raise _changed(was)
        path = self._path(was)
        with self._folders.explained(path):
            self._folders.castra.confine(path.parent / kept.FOLDER)
            with files.alone(path.parent):
                yield self._standing(was, path)

    def _path(self, document: Document) -> Path:
        return self._folders.of(document.kind, document.owner) / f"{document.name}.xml"

    def _standing(self, was: Document, path: Path) -> _Standing:
        fingerprint = files.fingerprint(path)
        content = files.read(path)
        if self._parsed(content, was, fingerprint[0]) != was:
            raise _changed(was)
        return _Standing(was, path, content, fingerprint)

    def _parsed(self, content: bytes, like: Document, modified: int) -> Document:
        shown = self._folders.shown(self._path(like))
        return parse(content, kind=like.kind, file=shown, modified=moment(modified), owner=like.owner)

    def _swap(self, standing: _Standing, content: bytes, *, by: str, modified: int | None = None) -> None:
        """What follows lies on the disk before anything is touched, and what stood is kept before it ends."""
        with files.drafted(standing.path, content, modified=modified) as draft:
            self._keep(standing, Fate.REPLACED, by)
            _unmoved(standing)
            files.put(draft, standing.path)

    def _keep(self, standing: _Standing, fate: Fate, by: str, proof: Proof | None = None) -> None:
        line = kept.mark(fate, by, self._now, proof)
        content, (modified, *_) = standing.content + line, standing.fingerprint
        try:
            self._parsed(content, standing.document, modified)
        except DocumentError:  # a file in UTF-16 bears no line in another encoding
            content = render(standing.document) + line
        places = kept.places(standing.path.parent / kept.FOLDER, standing.document.name, self._now)
        next(each for each in places if files.create(each, content, modified=modified))

    # --- what stood ----------------------------------------------------------------------------------------

    def _kept(self, kind: Kind, owner: str) -> list[kept.Kept]:
        """The oldest first; raises `CastraError` for a folder that is none."""
        folder = self._folders.of(kind, owner) / kept.FOLDER
        with self._folders.explained(folder):
            return kept.listed(self._folders.castra.confine(folder))

    def _told(self, found: list[kept.Kept], kind: Kind, owner: str) -> Past:
        """The newest first."""
        told = [self._version(each, kind, owner) for each in reversed(found)]
        versions = tuple(each for each in told if isinstance(each, Version))
        return Past(versions, tuple(str(each) for each in told if isinstance(each, CastraError)))

    def _version(self, each: kept.Kept, kind: Kind, owner: str) -> Version | CastraError:
        try:
            whole, modified = kept.content(each)
            document = parse(
                whole, kind=kind, file=f"{each.name}.xml", modified=moment(modified), owner=owner
            )
        except OSError as error:
            return self._folders.unusable(each.path, error)
        except DocumentError as error:
            return DocumentError(error.what, where=self._folders.shown(each.path), remedy=error.remedy)
        return kept.version(each, document, whole)

    def _former(self, version: Version) -> tuple[bytes, int]:
        """A former version's file as it stood, and its date in ns."""
        document = version.document
        for each in self._kept(document.kind, document.owner):
            if (each.name, each.id) == (document.name, version.id):
                with self._folders.explained(each.path):
                    whole, modified = kept.content(each)
                return kept.former(whole), modified
        raise Refused(f"this version of '{document.name}' is not kept.", remedy="Choose another one.")

    @property
    def _now(self) -> datetime:
        return self._clock.now().astimezone(UTC)


def _unmoved(standing: _Standing) -> None:
    """Raise where somebody's editor has saved the file since it was read."""
    if files.fingerprint(standing.path) != standing.fingerprint:
        raise _changed(standing.document)


def _changed(document: Document) -> Refused:
    return Refused(
        f"{document.kind} '{document.name}' has been changed meanwhile: nothing was done.",
        remedy="Look at it as it stands now, and do it there.",
    )
