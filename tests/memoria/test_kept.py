"""The files of a history: their names, and the last line of each."""

from dataclasses import replace
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path

import pytest

from legio.memoria import kept
from legio.ports import Document, Fate, Kind, Proof, Version
from tests.clocks import DAWN

DOCUMENT = Document(Kind.EDICTUM, "a", "A", "text", "caesar", DAWN)
PROOF = Proof('7"<', "caesar & co")


def put(folder: Path, name: str, content: bytes = b"<a/>\n") -> kept.Kept:
    (folder / name).write_bytes(content)
    return next(each for each in kept.listed(folder) if each.path.name == name)


def test_files_are_listed_by_when_what_they_hold_ended(tmp_path: Path) -> None:
    for name in (
        "b.20260315T060000Z.xml",
        "a.20260315T060000Z-10.xml",
        "a.20260315T060000Z-2.xml",
        "a.20260314T060000Z.xml",
    ):
        put(tmp_path, name)

    found = kept.listed(tmp_path)

    assert [(each.name, each.id) for each in found] == [
        ("a", "20260314T060000Z"),
        ("b", "20260315T060000Z"),
        ("a", "20260315T060000Z-2"),
        ("a", "20260315T060000Z-10"),
    ]


@pytest.mark.parametrize(
    "name", ["a.xml", "a.20261341T060000Z.xml", "A.20260315T060000Z.xml", ".a.20260315T060000Z.xml", "x.md"]
)
def test_other_files_are_nobodys_business(tmp_path: Path, name: str) -> None:
    (tmp_path / name).touch()

    assert kept.listed(tmp_path) == []


def test_of_what_ended_in_one_second_each_has_its_place(tmp_path: Path) -> None:
    names = [path.name for path in islice(kept.places(tmp_path, "a", DAWN), 3)]

    assert names == ["a.20260315T060000Z.xml", "a.20260315T060000Z-2.xml", "a.20260315T060000Z-3.xml"]


@pytest.mark.parametrize("proof", [None, PROOF])
@pytest.mark.parametrize("fate", [Fate.REVOKED, Fate.REPLACED])
@pytest.mark.parametrize("by", ["legatus", "?> <x a=\"'&", "Ünïcode"])
def test_the_last_line_says_who_ended_it_when_and_how(
    tmp_path: Path, fate: Fate, by: str, proof: Proof | None
) -> None:
    at = datetime(2026, 3, 15, 6, 0, 0, 123, tzinfo=UTC)
    whole = b"<a>text</a>\n" + kept.mark(fate, by, at, proof)
    file = put(tmp_path, "a.20260315T060000Z.xml", whole)

    assert kept.version(file, DOCUMENT, whole) == Version(DOCUMENT, fate, "20260315T060000Z", at, by, proof)
    assert kept.former(whole) == b"<a>text</a>\n"
    assert kept.content(file) == (whole, file.path.stat().st_mtime_ns)


@pytest.mark.parametrize(
    ("line", "by"),
    [
        (b"", ""),
        (b"<?other by='x'?>", ""),
        (b'<?revoked by="x" at="2026"', ""),
        (b'<?revoked by="x" at="yesterday"?>', "x"),
        (b'<?replaced by="x" at="2026-03-15T06:00:00"?>\n\n', "x"),
        (b'<?replaced by="\xff" at=""?>', "\ufffd"),
    ],
)
def test_what_a_hand_left_out_or_spoiled_the_name_tells(tmp_path: Path, line: bytes, by: str) -> None:
    file = put(tmp_path, "a.20260315T060000Z.xml", b"<a/>" + line)

    version = kept.version(file, DOCUMENT, b"<a/>" + line)

    assert (version.ended, version.by) == (DAWN, by)
    assert replace(version, fate=Fate.REVOKED, by="") == Version(
        DOCUMENT, Fate.REVOKED, "20260315T060000Z", DAWN
    )
