"""The files of a history: how each is named, and the last line that says who ended what stood, when and how.

    plain-words.20261121T034200Z.xml, and in it, below the document as it stood:
    <?revoked by="legatus" at="2026-11-21T03:42:00+00:00" proof="…" allowed="caesar"?>

What is not said in that line the name tells: somebody may have put the file there by hand.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from html import escape, unescape
from itertools import count
from pathlib import Path

from legio.memoria import files
from legio.memoria.documents import NAME, tidy_line
from legio.ports import Document, Fate, Proof, Version

FOLDER = ".history"
STAMP = "%Y%m%dT%H%M%SZ"
MOST_BYTES = files.READ_BYTES + 10_000
"""A kept file is what stood, which was bearable, and its last line."""

_FILE = re.compile(rf"({NAME.pattern})\.([0-9]{{8}}T[0-9]{{6}}Z)(?:-([0-9]{{1,6}}))?\.xml")
_MARK = re.compile(
    rb'<\?(revoked|replaced) by="([^"]*)" at="([^"]*)"(?: proof="([^"]*)" allowed="([^"]*)")?\?>\s*'
)


@dataclass(frozen=True, slots=True)
class Kept:
    """A file of a history: the name under which its document stood, and when that ended."""

    path: Path
    name: str
    ended: datetime
    number: int

    @property
    def id(self) -> str:
        """What tells it from the others of its name."""
        return _numbered(f"{self.ended:{STAMP}}", self.number)


def listed(folder: Path) -> list[Kept]:
    """All files of a history, the one that ended first before the others."""
    found = [(name, _FILE.fullmatch(name)) for name in files.names(folder)]
    kept = [
        Kept(folder / name, match[1], ended, int(match[3] or 1))
        for name, match in found
        if match and (ended := _stamped(match[2]))
    ]
    return sorted(kept, key=lambda each: (each.ended, each.number))


def places(folder: Path, name: str, now: datetime) -> Iterator[Path]:
    """Where a document may be kept that ended now, in the order of preference."""
    return (folder / f"{_numbered(f'{name}.{now:{STAMP}}', number)}.xml" for number in count(1))


def mark(fate: Fate, by: str, at: datetime, proof: Proof | None = None) -> bytes:
    """The last line of a kept file."""
    sanction = ""
    if proof is not None:
        sanction = f' proof="{escape(tidy_line(proof.nuntius))}" allowed="{escape(tidy_line(proof.allowed))}"'
    return f'<?{fate} by="{escape(tidy_line(by))}" at="{at.isoformat()}"{sanction}?>\n'.encode()


def content(kept: Kept) -> tuple[bytes, int]:
    """The whole file, and its date in ns, which is that of what stood; raises `OSError`."""
    modified, *_ = files.fingerprint(kept.path, MOST_BYTES)
    return files.read(kept.path, MOST_BYTES), modified


def former(whole: bytes) -> bytes:
    """What stood, without the last line."""
    return whole[: _mark_at(whole)]


def version(kept: Kept, document: Document, whole: bytes) -> Version:
    """The former version that a kept file holds."""
    found = _MARK.fullmatch(whole, _mark_at(whole))
    if found is None:
        return Version(document, Fate.REVOKED, kept.id, kept.ended)
    fate, *said = ((each or b"").decode("utf-8", "replace") for each in found.groups())
    by, at, nuntius, allowed = map(unescape, said)
    proof = None if found[4] is None else Proof(nuntius, allowed)
    return Version(document, Fate(fate), kept.id, _date(at) or kept.ended, by, proof)


def _mark_at(whole: bytes) -> int:
    start = whole.rfind(b"<?")
    return start if start >= 0 and _MARK.fullmatch(whole, start) else len(whole)


def _numbered(stem: str, number: int) -> str:
    return stem if number == 1 else f"{stem}-{number}"


def _stamped(stamp: str) -> datetime | None:
    try:
        return datetime.strptime(stamp, STAMP).replace(tzinfo=UTC)
    except ValueError:  # digits that are no date
        return None


def _date(written: str) -> datetime | None:
    try:
        at = datetime.fromisoformat(written)
        return at.astimezone(UTC) if at.tzinfo else None
    except (ValueError, OverflowError):
        return None
