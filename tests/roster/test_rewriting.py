"""A prompt's file written anew: the former version first, and no half of the new one."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from legio.roster.rewriting import keep, put

NOW = datetime(2026, 3, 15, 12, 0, 5, tzinfo=UTC)


def test_former_versions_of_one_second_stand_beside_each_other(tmp_path: Path) -> None:
    prompt = tmp_path / "prompt.md"
    kept = []
    for text in ("first", "second", "third"):
        prompt.write_text(text)
        kept.append(keep(prompt, tmp_path, NOW))
    assert [path.name for path in kept] == [
        "prompt.20260315T120005Z.md",
        "prompt.20260315T120005Z-2.md",
        "prompt.20260315T120005Z-3.md",
    ]
    assert [path.read_text() for path in kept] == ["first", "second", "third"]


def test_a_file_is_put_whole_and_with_the_rights_of_the_former(tmp_path: Path) -> None:
    prompt = tmp_path / "prompt.md"
    prompt.write_text("former")
    prompt.chmod(0o400)
    put(prompt, b"new")
    assert prompt.read_bytes() == b"new"
    assert prompt.stat().st_mode & 0o777 == 0o400
    assert list(tmp_path.iterdir()) == [prompt]


def test_nothing_is_put_where_nothing_was(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        put(tmp_path / "prompt.md", b"new")
    assert list(tmp_path.iterdir()) == []
