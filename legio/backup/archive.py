"""One backup: legio.toml and the castra as a `.tar.gz` that anybody can open, written while a Legio works.

The praetorium goes first, as a copy of one instant; what agents remember follows. So a transcript may hold
more than the record knows, which a start can mend, and never less. Locks, drafts, the CLI's own settings
and files that keep a secret stay out, and agents' workspaces unless they are asked for.
"""

import io
import json
import os
import re
import secrets as randomness
import shutil
import stat
import tarfile
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path, PurePath
from typing import Final

from legio import __version__, disk
from legio.castra import Castra
from legio.errors import CastraError, Refused
from legio.praetorium.copying import copy

FORMAT: Final = 1
MANIFEST: Final = "legio-backup.json"
CONFIGURATION: Final = "legio.toml"
CASTRA: Final = "castra"
DATABASES: Final = "praetorium*.db"
BY_HAND, NIGHTLY = "legio", "nightly"
"""How the names of backups begin: those made by hand, which nobody takes away, and those that are rotated."""

DRAFT: Final = ".legio-backup-"
_PASSING = re.compile(
    rf"{re.escape(DRAFT)}.*|\..*\.draft|({BY_HAND}|{NIGHTLY})-[-0-9]{{10}}T[-0-9]{{8}}Z\.tar\.gz"
)
"""What is not of the castra although it may lie there: drafts, ours and the memoria's, and other backups."""
_STAMP: Final = "%Y-%m-%dT%H-%M-%SZ"
_MEMORY_BYTES: Final = 1_000_000
"""A larger file is spooled to the disk: it may grow while it is read, and an archive needs its size first."""
_SECRETS_BYTES: Final = 4096
"""No larger file is taken for one that keeps secrets."""


@dataclass(frozen=True, slots=True)
class Source:
    """What a backup is made of. `secrets` are those in use: files that keep one stay out."""

    castra: Castra
    configuration: Path | None = None
    secrets: tuple[str, ...] = field(default=(), repr=False)
    workspaces: bool = False


@dataclass(frozen=True, slots=True)
class Archive:
    """A backup that was made; `left_out` names what is not in it although it might, each with the reason."""

    path: Path
    size: int
    left_out: tuple[str, ...]


def name(kind: str, now: datetime) -> str:
    """The file name of a backup of that moment."""
    return f"{kind}-{now.astimezone(UTC).strftime(_STAMP)}.tar.gz"


def taken(path: Path) -> datetime:
    """The moment in the name of a backup that `name` named."""
    stamp = path.name.removesuffix(".tar.gz").partition("-")[2]
    return datetime.strptime(stamp, _STAMP).replace(tzinfo=UTC)


def place(target: Path, now: datetime) -> Path:
    """The file of a backup made by hand: `target` if it is named like one, else a file in that folder."""
    return target if target.name.endswith(".tar.gz") else target / name(BY_HAND, now)


def make(
    source: Source, target: Path, *, now: datetime, proceed: Callable[[], None] = lambda: None
) -> Archive:
    """Write a backup to the new file `target`, which appears whole or not at all; its folder is made.

    `proceed` is called now and then; what it raises ends the work. Raises `Refused` when there is such a file
    already, `PraetoriumError` when the record is damaged, and `CastraError` when the disk fails.
    """
    if not source.castra.root.is_dir():
        raise CastraError(
            "there is no castra here.",
            where=str(source.castra.root),
            remedy="Look at `castra` in legio.toml.",
        )
    if target.exists():
        raise Refused("there is a file of this name already.", where=str(target), remedy="Name another.")
    try:
        target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=DRAFT, dir=target.parent) as drafts:
            writing = _Writing(source, Path(drafts), proceed)
            draft = writing.archive(now)
            size = draft.stat().st_size
            draft.rename(target)  # a link would be refused by the file systems of most USB sticks
        disk.sync(target.parent)
    except OSError as error:
        raise CastraError(
            f"the backup cannot be written ({error.strerror}).",
            where=error.filename or str(target),
            remedy="Look at the disk's space, and whether Legio may read the castra and write there.",
        ) from error
    return Archive(target, size, tuple(writing.left_out))


class _Writing:
    """One archive while it is written, and what had to be left out of it."""

    def __init__(self, source: Source, drafts: Path, proceed: Callable[[], None]) -> None:
        self._source = source
        self._drafts = drafts
        self._proceed = proceed
        self._forbidden = frozenset(secret.encode() for secret in source.secrets)
        self.left_out: list[str] = []

    def archive(self, now: datetime) -> Path:
        """The finished archive among the drafts, synced to the disk."""
        draft = self._drafts / randomness.token_hex(4)
        with disk.writing(draft) as file, tarfile.open(fileobj=file, mode="w:gz", compresslevel=6) as tar:
            self._fill(tar, now)
        return draft

    def _fill(self, tar: tarfile.TarFile, now: datetime) -> None:
        manifest = {"format": FORMAT, "legio": __version__, "taken": now.isoformat(timespec="seconds")}
        content = json.dumps(manifest).encode()
        tar.addfile(_entry(MANIFEST, 0o600, now.timestamp(), len(content)), io.BytesIO(content))
        if self._source.configuration is not None:
            self._add(tar, CONFIGURATION, self._source.configuration)
        root = self._source.castra.root
        for path in sorted(root.glob(DATABASES)):
            copied = self._drafts / path.name
            copy(path, copied, self._proceed)
            self._add(tar, f"{CASTRA}/{path.name}", copied)
            copied.unlink()
        for path in self._walk(root):
            self._proceed()
            self._add(tar, f"{CASTRA}/{path.relative_to(root).as_posix()}", path)

    def _walk(self, root: Path) -> Iterator[Path]:
        """All below `root` that is wanted, folders before what lies in them; links are not followed."""
        for folder, folders, files in os.walk(root, onerror=self._unreadable):
            here = Path(folder)
            folders[:] = sorted(each for each in folders if self._wanted(here / each))
            yield from (here / each for each in folders)
            yield from (here / each for each in sorted(files) if self._wanted(here / each))

    def _unreadable(self, error: OSError) -> None:
        """What cannot be read is said, unless it was removed since its folder was listed."""
        if not isinstance(error, FileNotFoundError):
            self.left_out.append(f"{error.filename}: {error.strerror}")

    def _wanted(self, path: Path) -> bool:
        match path.relative_to(self._source.castra.root).parts:
            case ("homes", _, inner, *_):
                return inner == "projects"  # the threads; the rest is the CLI's own, its login for one
            case ("workspaces", *_):
                return self._source.workspaces
            case (own,) if own == self._source.castra.lock.name or PurePath(own).match(f"{DATABASES}*"):
                return False
            case _:
                return _PASSING.fullmatch(path.name) is None

    def _add(self, tar: tarfile.TarFile, member: str, path: Path) -> None:
        try:
            status = path.lstat()
            if stat.S_ISDIR(status.st_mode):
                tar.addfile(_entry(f"{member}/", status.st_mode, status.st_mtime))
            elif stat.S_ISREG(status.st_mode):
                self._add_file(tar, member, path, status)
            else:
                self.left_out.append(f"{member}: neither a file nor a folder")
        except (FileNotFoundError, PermissionError) as error:
            self._unreadable(error)

    def _add_file(self, tar: tarfile.TarFile, member: str, path: Path, status: os.stat_result) -> None:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
        with (
            os.fdopen(descriptor, "rb") as file,
            tempfile.SpooledTemporaryFile(_MEMORY_BYTES, dir=str(self._drafts)) as whole,
        ):
            shutil.copyfileobj(file, whole)
            size = whole.tell()
            if size <= _SECRETS_BYTES and self._is_secret(whole):
                self.left_out.append(f"{member}: it keeps a secret")
                return
            whole.seek(0)
            tar.addfile(_entry(member, status.st_mode, status.st_mtime, size), whole)

    def _is_secret(self, whole: "tempfile.SpooledTemporaryFile[bytes]") -> bool:
        """Whether a secret is kept here, alone on a line or behind a '='; to speak of one is no reason."""
        whole.seek(0)
        kept = {line.rpartition(b"=")[2].strip(b" \t\r'\"") for line in whole.read().split(b"\n")}
        return not kept.isdisjoint(self._forbidden)


def _entry(member: str, mode: int, modified: float, size: int | None = None) -> tarfile.TarInfo:
    """A member without owner; a folder when it has no size."""
    entry = tarfile.TarInfo(member)
    entry.type = tarfile.DIRTYPE if size is None else tarfile.REGTYPE
    entry.mode, entry.mtime, entry.size = stat.S_IMODE(mode) & 0o755, int(modified), size or 0
    return entry
