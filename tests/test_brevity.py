import pytest

from legio.brevity import cut, on_one_line


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("", ""),
        ("gallia", "gallia"),
        ("gallia est", "galli…"),
        ("galli est", "galli…"),
        ("gallia\n", "galli…"),
    ],
)
def test_what_is_too_long_ends_in_a_sign_of_it_and_never_behind_a_space(text: str, shown: str) -> None:
    assert cut(text, 6) == shown
    assert len(shown) <= 6


def test_on_one_line_there_is_nothing_but_single_spaces() -> None:
    assert on_one_line(" gallia\n\n est\t omnis ", 12) == "gallia est…"
    assert on_one_line(" gallia\n\n est\t omnis ", 16) == "gallia est omnis"
