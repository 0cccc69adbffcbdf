"""New files appear whole or not at all, and none is ever written over."""

import os
from pathlib import Path

import pytest

from legio.memoria import files
from tests.disk import full_disk


def entries(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


class Hasty(type(Path())):  # type: ignore[misc]
    """A path that looks free, as it does to a writer who looked a moment too early."""

    def exists(self) -> bool:
        return False


def test_a_new_file_is_the_owners_alone_and_its_folder_is_made(tmp_path: Path) -> None:
    path = tmp_path / "acta" / "a.xml"

    assert files.create(path, b"content")

    assert path.read_bytes() == b"content"
    assert path.stat().st_mode & 0o777 == 0o600
    assert entries(path.parent) == ["a.xml"]


def test_another_mode_is_given_on_request(tmp_path: Path) -> None:
    files.create(tmp_path / "a", b"", mode=0o640)

    assert (tmp_path / "a").stat().st_mode & 0o777 == 0o640


def test_a_file_that_exists_is_not_touched(tmp_path: Path) -> None:
    path = tmp_path / "a.xml"
    path.write_bytes(b"old")

    assert not files.create(path, b"new")

    assert path.read_bytes() == b"old"
    assert entries(tmp_path) == ["a.xml"]


def test_a_name_that_is_taken_after_the_look_is_not_overwritten_either(tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_bytes(b"old")

    assert not files.create(Hasty(tmp_path / "a.xml"), b"new")

    assert (tmp_path / "a.xml").read_bytes() == b"old"
    assert entries(tmp_path) == ["a.xml"]


def test_a_link_is_neither_replaced_nor_written_through(tmp_path: Path) -> None:
    path = tmp_path / "a.xml"
    path.symlink_to(tmp_path / "nowhere")

    assert not files.create(path, b"new")

    assert path.is_symlink()
    assert not (tmp_path / "nowhere").exists()


def test_parents_are_not_made_up(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        files.create(tmp_path / "nobody" / "commentarii" / "a.xml", b"")

    assert not (tmp_path / "nobody").exists()


def test_a_disk_that_is_full_leaves_nothing_behind(tmp_path: Path) -> None:
    with full_disk(100), pytest.raises(OSError, match="too large"):
        files.create(tmp_path / "a.xml", b"x" * 1000)

    assert entries(tmp_path) == []


def test_names_are_those_of_visible_xml_files_in_order(tmp_path: Path) -> None:
    for name in ("b.xml", "a.xml", ".hidden.xml", ".a.xml.12ab.draft", "notes.md"):
        (tmp_path / name).touch()
    (tmp_path / ".history").mkdir()

    assert files.names(tmp_path) == ("a.xml", "b.xml")


def test_a_missing_folder_is_an_empty_one(tmp_path: Path) -> None:
    assert files.names(tmp_path / "none") == ()
    assert files.size(tmp_path / "none") == 0


def test_the_size_of_a_folder_is_that_of_its_documents(tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_bytes(b"123")
    (tmp_path / "b.xml").write_bytes(b"4567")
    (tmp_path / ".hidden.xml").write_bytes(b"89")

    assert files.size(tmp_path) == 7


def test_a_fingerprint_changes_with_the_content_and_with_the_file(tmp_path: Path) -> None:
    path = tmp_path / "a.xml"
    path.write_bytes(b"one")
    first = files.fingerprint(path)
    path.write_bytes(b"three")
    second = files.fingerprint(path)
    (tmp_path / "other").write_bytes(b"other")
    os.utime(tmp_path / "other", ns=(second[0], second[0]))
    (tmp_path / "other").replace(path)

    assert len({first, second, files.fingerprint(path)}) == 3


def test_links_pipes_and_folders_have_no_fingerprint(tmp_path: Path) -> None:
    (tmp_path / "link.xml").symlink_to(tmp_path / "file")
    (tmp_path / "file").touch()
    (tmp_path / "folder.xml").mkdir()
    os.mkfifo(tmp_path / "pipe.xml")

    for name in files.names(tmp_path):
        with pytest.raises(OSError, match="not a plain file"):
            files.fingerprint(tmp_path / name)


def test_a_huge_file_has_no_fingerprint_and_is_never_read_whole(tmp_path: Path) -> None:
    path = tmp_path / "a.xml"
    with path.open("wb") as file:
        file.truncate(files.READ_BYTES + 1)

    with pytest.raises(OSError, match="larger than 1000 KB"):
        files.fingerprint(path)
    assert len(files.read(path)) == files.READ_BYTES


def test_a_link_that_took_the_files_place_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "secret").write_bytes(b"secret")
    (tmp_path / "a.xml").symlink_to(tmp_path / "secret")

    with pytest.raises(OSError, match="symbolic links"):
        files.read(tmp_path / "a.xml")


def test_removing_twice_is_removing_once(tmp_path: Path) -> None:
    (tmp_path / "a.xml").touch()

    files.remove(tmp_path / "a.xml")
    files.remove(tmp_path / "a.xml")

    assert entries(tmp_path) == []
