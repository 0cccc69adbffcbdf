"""Tests of `legio.disk`: what is said to have reached the disk was synced, and a link leads nowhere."""

import os
import stat
from pathlib import Path

import pytest

from legio import disk


@pytest.fixture
def synced(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, int]]:
    """The inode and size of whatever is synced, in order."""
    seen: list[tuple[int, int]] = []
    real = os.fsync

    def spy(descriptor: int) -> None:
        status = os.fstat(descriptor)
        seen.append((status.st_ino, status.st_size if stat.S_ISREG(status.st_mode) else -1))
        real(descriptor)

    monkeypatch.setattr(os, "fsync", spy)
    return seen


def test_a_file_is_synced_after_its_last_byte(tmp_path: Path, synced: list[tuple[int, int]]) -> None:
    path = tmp_path / "whole"

    with disk.writing(path) as file:
        file.write(b"a" * 10)
        file.write(b"b")
        assert synced == []

    assert synced == [(path.stat().st_ino, 11)]
    assert path.read_bytes() == b"a" * 10 + b"b"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_block_that_fails_syncs_nothing_and_its_error_comes_through(
    tmp_path: Path, synced: list[tuple[int, int]]
) -> None:
    with pytest.raises(ZeroDivisionError), disk.writing(tmp_path / "half"):
        raise ZeroDivisionError

    assert synced == []


def test_what_replaces_a_file_is_whole_before_it_does_and_its_name_lasts(
    tmp_path: Path, synced: list[tuple[int, int]]
) -> None:
    path = tmp_path / "chat"
    path.write_bytes(b"before")
    (tmp_path / ".chat.draft").write_bytes(b"what a crash has left behind")

    with disk.replacing(path) as file:
        file.write(b"behind")
        assert path.read_bytes() == b"before"

    assert path.read_bytes() == b"behind"
    assert synced == [(path.stat().st_ino, 6), (tmp_path.stat().st_ino, -1)]
    assert [it.name for it in tmp_path.iterdir()] == ["chat"]


def test_a_replacement_that_fails_leaves_what_was_there(tmp_path: Path) -> None:
    path = tmp_path / "chat"
    path.write_bytes(b"before")

    with pytest.raises(ZeroDivisionError), disk.replacing(path):
        raise ZeroDivisionError

    assert path.read_bytes() == b"before"


def test_a_folder_is_synced(tmp_path: Path, synced: list[tuple[int, int]]) -> None:
    disk.sync(tmp_path)

    assert synced == [(tmp_path.stat().st_ino, -1)]


def test_a_file_that_is_there_is_refused_unless_it_may_be_written_over(tmp_path: Path) -> None:
    path = tmp_path / "there"
    path.write_bytes(b"what was there, and longer")

    with pytest.raises(FileExistsError), disk.writing(path):
        pass
    assert path.read_bytes() == b"what was there, and longer"

    with disk.writing(path, over=True) as file:
        file.write(b"new")
    assert path.read_bytes() == b"new"


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_bytes(b"another's")
    link = tmp_path / "link"
    link.symlink_to(elsewhere)

    with pytest.raises(FileExistsError), disk.writing(link):
        pass
    with pytest.raises(OSError, match="symbolic links"), disk.writing(link, over=True):
        pass

    assert elsewhere.read_bytes() == b"another's"


def test_what_is_no_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")

    with pytest.raises(NotADirectoryError):
        disk.sync(tmp_path / "file")
