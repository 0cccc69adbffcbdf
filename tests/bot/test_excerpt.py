"""A block as one entity: whole, or its beginning and its end with what is left out between."""

from hypothesis import given
from hypothesis import strategies as st

from legio.bot.excerpt import excerpt
from legio.bot.piece import utf16_length
from legio.ports import Block


def test_a_block_that_fits_stands_whole_in_one_entity() -> None:
    piece = excerpt(Block("ls -la\n", "bash"), units=100)
    (entity,) = piece.entities
    assert piece.text == "ls -la"
    assert (entity.type, entity.offset, entity.length, entity.language) == ("pre", 0, 6, "bash")


def test_words_are_quoted_and_no_text_is_a_block_all_the_same() -> None:
    (entity,) = excerpt(Block(""), units=100).entities
    assert (entity.type, entity.length, entity.language) == ("blockquote", 1, None)


def test_of_a_long_block_beginning_and_end_stand_and_the_gap_is_counted() -> None:
    text = "\n".join(f"line {number}" for number in range(1000))
    shown = excerpt(Block(text), units=500).text
    assert shown.startswith("line 0\nline 1\n")
    assert shown.endswith("\nline 999")
    (gap,) = [line for line in shown.splitlines() if line.startswith("…")]
    assert gap.endswith("characters are not shown …")
    left_out = int(gap.split()[1].replace(",", ""))
    kept = len(shown) - len(gap) - 1
    assert abs(left_out + kept - len(text)) <= 2


def test_a_line_without_end_is_cut_within() -> None:
    shown = excerpt(Block("x" * 5000), units=300).text
    assert shown.startswith("x" * 100)
    assert shown.endswith("x" * 50)


def test_nothing_hides_in_a_block() -> None:
    text = excerpt(Block("rm \u202ecod.txt\u2066 \x1b[2J 👨\u200d🚀\tand\u200b"), units=300).text
    assert text == "rm \\u202ecod.txt\\u2066 \\u001b[2J 👨\u200d🚀\tand\\u200b"


@given(st.text(max_size=600), st.integers(min_value=120, max_value=400))
def test_it_never_takes_more_room_than_it_has(text: str, units: int) -> None:
    piece = excerpt(Block(text, "diff"), units=units)
    assert utf16_length(piece.text) <= units
    assert piece.entities[0].length == utf16_length(piece.text) > 0
