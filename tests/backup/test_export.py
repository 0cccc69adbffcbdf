import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from legio.backup.export import write
from legio.errors import LegioError, Refused


def test_a_written_export_is_whole_and_the_owners_alone(tmp_path: Path) -> None:
    write(["a\n", "ü\n"], tmp_path / "out.jsonl")

    assert (tmp_path / "out.jsonl").read_bytes() == "a\nü\n".encode()
    assert stat.S_IMODE((tmp_path / "out.jsonl").stat().st_mode) == 0o600


def test_an_export_that_breaks_off_leaves_nothing(tmp_path: Path) -> None:
    def lines() -> Iterator[str]:
        yield "a\n"
        raise LegioError("the record cannot be read.")

    with pytest.raises(LegioError, match="cannot be read"):
        write(lines(), tmp_path / "out.jsonl")

    assert list(tmp_path.iterdir()) == []


def test_an_export_replaces_no_file(tmp_path: Path) -> None:
    (tmp_path / "out.jsonl").write_text("mine")

    with pytest.raises(Refused):
        write(["a\n"], tmp_path / "out.jsonl")

    assert (tmp_path / "out.jsonl").read_text() == "mine"


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    with pytest.raises(LegioError, match="cannot be written") as caught:
        write(["a\n"], tmp_path / "nowhere" / "out.jsonl")

    assert caught.value.where == str(tmp_path / "nowhere" / "out.jsonl")
