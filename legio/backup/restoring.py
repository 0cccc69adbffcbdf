"""A backup taken up again: unpacked beside the castra, proved sound, and only then put in its place.

The castra that stood there is moved aside, never removed. No Legio may work in it meanwhile: its record would
be drawn from under it. A `legio.toml` that exists is left as it is, and says where the castra belongs.
"""

import contextlib
import gzip
import json
import os
import secrets
import shutil
import tarfile
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import IO

from legio import disk
from legio.backup.archive import CASTRA, CONFIGURATION, DATABASES, FORMAT, MANIFEST
from legio.castra import Castra
from legio.config import load
from legio.errors import CastraError, LegioError
from legio.praetorium.copying import revive
from legio.praetorium.lock import hold

_SMALL_BYTES = 1_000_000
_DAMAGE = (tarfile.TarError, EOFError, zlib.error, gzip.BadGzipFile)


@dataclass(frozen=True, slots=True)
class Restored:
    """What was done: `taken` says when the backup was made, `aside` where the castra is that stood there.

    `configured`: the archive's legio.toml was written, as there was none.
    """

    taken: str
    castra: Path
    aside: Path | None
    configured: bool


def restore(archive: Path, configuration: Path, environ: Mapping[str, str], *, now: datetime) -> Restored:
    """Put the castra of `archive` where `configuration` says; without such a file the archive's is written.

    Raises `LegioError`, and leaves everything as it was, when the archive is damaged, newer than this program
    or not a backup, when a Legio works in that castra, or when the disk fails.
    """
    with _opened(archive) as tar, _configured(tar, configuration, archive) as draft:
        root = _replaceable(load(draft or configuration, environ).castra, configuration)
        with _still(root), _staging(root) as staging:
            taken = _unpack(tar, staging, archive)
            aside = _swap(staging / CASTRA, root, now)
        if draft is not None:
            with _explained(configuration):
                os.link(draft, configuration)
    return Restored(taken, root, aside, configured=draft is not None)


@contextlib.contextmanager
def _opened(archive: Path) -> Iterator[tarfile.TarFile]:
    try:
        _read_through(archive)
        with tarfile.open(archive, "r:gz") as tar:
            yield tar
    except _DAMAGE as error:
        raise _unfit(archive, f"this is not a backup of Legio, or it is damaged ({error})") from error
    except OSError as error:
        raise _unfit(archive, f"this cannot be read ({error.strerror})") from error


def _read_through(archive: Path) -> None:
    """Raises for damage anywhere: gzip's checksum stands last, and tarfile takes garbage for the end."""
    with gzip.open(archive) as content:
        while content.read(_SMALL_BYTES):
            pass


@contextlib.contextmanager
def _configured(tar: tarfile.TarFile, configuration: Path, archive: Path) -> Iterator[Path | None]:
    """Where there is no configuration, the archive's: as a draft beside the place where it belongs."""
    if configuration.exists():
        yield None
        return
    content = next((_content(tar, it) for it in tar if it.isfile() and it.name == CONFIGURATION), None)
    if content is None:
        raise _unfit(archive, f"it holds no {CONFIGURATION}, and there is none at {configuration}")
    draft = configuration.with_name(f".{configuration.name}.{secrets.token_hex(4)}.draft")
    with _explained(draft):
        draft.parent.mkdir(parents=True, exist_ok=True)
        draft.write_bytes(content)
    try:
        yield draft
    finally:
        draft.unlink(missing_ok=True)


def _replaceable(root: Path, configuration: Path) -> Path:
    """`root`, if it can be moved aside, and takes nothing with it that must stay."""
    if root.is_mount():
        raise CastraError(
            "a mount point cannot be moved aside.",
            where=str(root),
            remedy="Let LEGIO_CASTRA or `castra` name a folder below it, or mount the one above.",
        )
    if configuration.resolve().is_relative_to(root):
        raise CastraError(
            "this castra holds its own legio.toml and cannot be moved aside.",
            where=str(root),
            remedy="Restore with --config PATH in an empty folder, and move what you need.",
        )
    return root


@contextlib.contextmanager
def _still(root: Path) -> Iterator[None]:
    """Inside, no Legio works or can be started in the castra that is there."""
    with hold(Castra(root).lock) if root.exists() else contextlib.nullcontext():
        yield


@contextlib.contextmanager
def _staging(root: Path) -> Iterator[Path]:
    """A folder beside `root` that is gone afterwards; on the same disk, so that a rename is enough."""
    staging = root.with_name(f".{root.name}.restoring-{secrets.token_hex(4)}")
    with _explained(staging):
        (staging / CASTRA).mkdir(parents=True)
        for folder in (staging, staging / CASTRA):
            folder.chmod(0o700)
    try:
        yield staging
    finally:
        shutil.rmtree(staging, ignore_errors=True)


def _unpack(tar: tarfile.TarFile, staging: Path, archive: Path) -> str:
    """Write the castra below `staging` and make its record fit to be worked on; returns when it was taken."""
    taken = ""
    for member in tar:
        path = _inside(member, archive)
        if path.parts[0] == CASTRA:
            with _explained(staging):
                _write(tar, member, staging / path)
        elif member.name == MANIFEST:
            taken = _taken(_content(tar, member), archive)
    if not taken:
        raise _unfit(archive, f"this is not a backup of Legio: it holds no {MANIFEST}")
    for database in sorted((staging / CASTRA).glob(DATABASES)):
        revive(database)
    return taken


def _inside(member: tarfile.TarInfo, archive: Path) -> PurePosixPath:
    """The member's path: plain, relative, of a file or a folder; nothing else was ever put in."""
    path = PurePosixPath(member.name)
    if path.is_absolute() or ".." in path.parts or not path.parts or not (member.isfile() or member.isdir()):
        raise _unfit(archive, f"it holds {member.name!r}, which no backup of Legio does")
    return path


def _taken(content: bytes, archive: Path) -> str:
    try:
        manifest = json.loads(content)
        version, taken = manifest["format"], str(manifest["taken"])
    except (ValueError, KeyError, TypeError) as error:
        raise _unfit(archive, f"its {MANIFEST} makes no sense ({error})") from error
    if version != FORMAT:
        raise _unfit(archive, f"it has format {version}, and this Legio knows format {FORMAT} alone")
    return taken


def _content(tar: tarfile.TarFile, member: tarfile.TarInfo) -> bytes:
    with _stream(tar, member) as stream:
        return stream.read(_SMALL_BYTES)


def _stream(tar: tarfile.TarFile, member: tarfile.TarInfo) -> IO[bytes]:
    stream = tar.extractfile(member)
    assert stream is not None, "only files are asked for"
    return stream


def _write(tar: tarfile.TarFile, member: tarfile.TarInfo, path: Path) -> None:
    if member.isdir():
        path.mkdir(mode=0o700, exist_ok=True)
        return
    with disk.writing(path, member.mode & 0o755 | 0o600) as file, _stream(tar, member) as stream:
        shutil.copyfileobj(stream, file)
    os.utime(path, (member.mtime, member.mtime))


def _swap(unpacked: Path, root: Path, now: datetime) -> Path | None:
    """Put what was unpacked in the castra's place; returns where the one is that stood there."""
    with _explained(root):
        if not root.exists():
            unpacked.rename(root)
            return None
        aside = root.with_name(f"{root.name}.before-restore-{now.astimezone(UTC):%Y-%m-%dT%H-%M-%SZ}")
        root.rename(aside)
        try:
            unpacked.rename(root)
        except OSError:
            aside.rename(root)
            raise
        return aside


@contextlib.contextmanager
def _explained(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise CastraError(
            f"this cannot be written ({error.strerror}).",
            where=error.filename or str(path),
            remedy="Look at the disk's space, and whether Legio may write there.",
        ) from error


def _unfit(archive: Path, what: str) -> LegioError:
    return LegioError(f"{what}.", where=str(archive), remedy="Nothing was changed; try another backup.")
