from pathlib import Path

import pytest

from legio.errors import DocumentError
from legio.memoria.weight import rendered, warning
from legio.ports import Document, Kind
from tests.clocks import DAWN


def document(kind: Kind = Kind.ACTUM, text: str = "It is so.") -> Document:
    return Document(kind, "a-fact", "A fact", text, "vorenus", DAWN)


def test_a_document_is_as_large_as_can_be_read_again() -> None:
    assert len(rendered(document(text="x" * 999_000))) < 1_000_000
    with pytest.raises(DocumentError, match="A fact: this holds 1000 KB, which is too much for one document"):
        rendered(document(text="x" * 999_900))


def test_what_is_heavy_is_told(tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_bytes(b"x" * 1_100_000)

    assert warning(document(), 50_000, tmp_path) == ""
    assert warning(document(), 51_000, tmp_path) == "'a-fact' holds 51 KB: keep each below 50 KB."
    assert warning(document(Kind.COMMENTARIUM), 1, tmp_path).startswith("These commentarii hold 1100 KB")
