"""One Legio a castra: a file lock that dies with its holder, and the holder's pid in the file.

The file stays when the lock is gone; only the lock counts. The descriptor is not inherited (PEP 446), so no
child process keeps a dead Legio's lock.
"""

import fcntl
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from legio.errors import PraetoriumBusy, PraetoriumError

TRIES = 5
PAUSE_SECONDS = 0.02
_PID_BYTES = 32


@contextmanager
def hold(path: Path, *, sleep: Callable[[float], None] = time.sleep) -> Iterator[None]:
    """Hold the lock while inside. Raises `PraetoriumBusy`, with the pid, if another Legio holds it."""
    descriptor = _open(path)
    try:
        _take(descriptor, path, sleep)
        yield
    finally:
        os.close(descriptor)


def holder(path: Path) -> int | None:
    """The pid of the Legio that holds the lock now; None if nobody does, whatever the file says."""
    try:
        descriptor = os.open(path, os.O_RDONLY)
    except FileNotFoundError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return _pid(descriptor)
    else:
        return None
    finally:
        os.close(descriptor)


def _open(path: Path) -> int:
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        return os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise _unusable(path, error) from error


def _take(descriptor: int, path: Path, sleep: Callable[[float], None]) -> None:
    try:
        if not _lock(descriptor, sleep):
            raise _busy(path, _pid(descriptor))
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, f"{os.getpid()}\n".encode(), 0)
    except OSError as error:
        raise _unusable(path, error) from error


def _lock(descriptor: int, sleep: Callable[[float], None]) -> bool:
    for _ in range(TRIES):
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            sleep(PAUSE_SECONDS)  # `holder` takes the lock for an instant: a health check is no Legio
        else:
            return True
    return False


def _pid(descriptor: int) -> int | None:
    written = os.pread(descriptor, _PID_BYTES, 0).strip()
    return int(written) if written.isdigit() else None


def _busy(path: Path, pid: int | None) -> PraetoriumBusy:
    named = "" if pid is None else f" (pid {pid})"
    return PraetoriumBusy(
        f"another Legio{named} works in this castra.",
        where=str(path),
        remedy="Stop it first, or give this one a castra of its own.",
    )


def _unusable(path: Path, error: OSError) -> PraetoriumError:
    return PraetoriumError(
        f"the castra cannot be locked ({error.strerror}).",
        where=str(path),
        remedy="Make its folder writable for the user who runs Legio, on a disk that knows file locks.",
    )
