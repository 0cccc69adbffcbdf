"""Small disks for a castra: one that can be full, and one that fails. Both need root's right to mount."""

import contextlib
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

MEGABYTE = 1024 * 1024
BALLAST = "ballast"


@dataclass(frozen=True, slots=True)
class SmallDisk:
    """A disk that is mounted at `place`."""

    place: Path

    def fill(self) -> None:
        """Leave not one byte free."""
        with contextlib.suppress(OSError), (self.place / BALLAST).open("ab", buffering=0) as file:
            for size in (MEGABYTE, 4096, 1):
                with contextlib.suppress(OSError):
                    while file.write(b"x" * size):
                        pass

    def free(self) -> None:
        """Give the space back."""
        (self.place / BALLAST).unlink()


@dataclass(frozen=True, slots=True)
class FailingDisk:
    """A disk of ext4 in the file `image`; when it fails, Linux lets nobody write on it any more."""

    place: Path
    image: Path

    def fail(self) -> None:
        """The kernel is told of an error on it, and does what it does then."""
        device = Path(_done("findmnt", "--noheadings", "--output", "SOURCE", str(self.place)).strip()).name
        Path("/sys/fs/ext4", device, "trigger_fs_error").write_text("by the scorecard")

    def mend(self) -> None:
        """What an administrator does about it; nobody may use the disk meanwhile."""
        _done("umount", str(self.place))
        subprocess.run(["e2fsck", "-p", "-f", str(self.image)], capture_output=True, check=False)
        _done("mount", "-o", "loop,errors=remount-ro", str(self.image), str(self.place))


@contextlib.contextmanager
def small_disk(place: Path, *, megabytes: int) -> Iterator[SmallDisk]:
    """A disk in memory, mounted at `place` while inside."""
    place.mkdir(parents=True)
    _done("mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "tmpfs", str(place))
    try:
        yield SmallDisk(place)
    finally:
        _done("umount", str(place))


@contextlib.contextmanager
def failing_disk(place: Path, *, megabytes: int) -> Iterator[FailingDisk]:
    """A disk in a file beside `place`, mounted there while inside."""
    place.mkdir(parents=True)
    image = place.with_name(f"{place.name}.ext4")
    with image.open("wb") as file:
        file.truncate(megabytes * MEGABYTE)
    _done("mkfs.ext4", "-q", str(image))
    _done("mount", "-o", "loop,errors=remount-ro", str(image), str(place))
    try:
        yield FailingDisk(place, image)
    finally:
        _done("umount", str(place))


def _done(*command: str) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout
