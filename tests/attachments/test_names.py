from pathlib import PurePosixPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from legio.attachments.names import FALLBACK, safe_name


@pytest.mark.parametrize(
    ("given_name", "name"),
    [
        ("report.pdf", "report.pdf"),
        ("Bericht über den Fluß.md", "Bericht_über_den_Fluß.md"),
        ("../../etc/passwd", "passwd"),
        ("..\\..\\boot.ini", "boot.ini"),
        ("/etc/shadow", "shadow"),
        (".bashrc", "bashrc"),
        ("..", FALLBACK),
        ("", FALLBACK),
        ("🦅.png", "png"),
        ("a\x00b\n.txt", "a_b_.txt"),
        ("-rf", "rf"),
        ("x." + "y" * 40, "x." + "y" * 11),
        ("\ud83d", FALLBACK),
    ],
)
def test_a_name_becomes_one_that_does_no_harm(given_name: str, name: str) -> None:
    assert safe_name(given_name) == name


@given(st.text())
def test_no_name_leads_anywhere_is_hidden_or_too_long(given_name: str) -> None:
    name = safe_name(given_name)
    assert name
    assert PurePosixPath(name).name == name
    assert not name.startswith((".", "-"))
    assert len(name.encode()) < 200
