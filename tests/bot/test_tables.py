"""Which tables are a grid, how the others are written, and that neither leaves the list it stood in."""

import pytest

from legio.bot.tables import GRID_WIDTH, rewritten


def table(*rows: str, sides: str = "|---|---|", header: str = "| A | B |") -> str:
    return "\n".join([header, sides, *rows]) + "\n"


def grid(*lines: str) -> str:
    """The code block that those lines stand in."""
    return "\n".join(["", "~~~~~~", *lines, "~~~~~~", "", ""])


def test_text_without_a_table_is_left_alone() -> None:
    assert rewritten("a | b") == "a | b"
    assert rewritten("plain") == "plain"


def test_a_narrow_table_is_a_grid() -> None:
    assert rewritten(table("| one | b |")) == grid("A   | B", "----+--", "one | b")


def test_a_table_that_is_just_too_wide_has_its_columns_drawn_together() -> None:
    cell = "x" * (GRID_WIDTH - 2)
    assert rewritten(table(f"| {cell} | b |")) == grid(
        f"A{' ' * len(cell)}B", f"{'-' * len(cell)} -", f"{cell} b"
    )


def test_a_wide_table_becomes_its_rows() -> None:
    wide = "before\n\n" + table(f"| {'x' * (GRID_WIDTH - 1)} | b |", "| y | b |") + "\nafter"
    assert rewritten(wide) == f"before\n\n\n**A:** {'x' * 31}  \n**B:** b\n\n**A:** y  \n**B:** b\n\n\nafter"


def test_wide_characters_count_twice() -> None:
    assert "**A:**" in rewritten(table(f"| {'漢' * (GRID_WIDTH // 2)} | b |"))
    assert rewritten(table("| 漢 | b |")) == grid("A  | B", "---+--", "漢 | b")


def test_columns_are_set_as_they_are_written_and_figures_to_the_right() -> None:
    shown = rewritten(
        table("| one | 1 | x |", "| three | $1,200.50 | xyz |", sides="|--:|---|:-:|", header="| A | B | C |")
    )
    assert shown == grid(
        "    A |         B |  C",
        "------+-----------+----",
        "  one |         1 |  x",
        "three | $1,200.50 | xyz",
    )


@pytest.mark.parametrize(
    ("cell", "shown"),
    [
        ("**bold**", "bold"),
        ("`a\\|b`", "a|b"),
        ("a \\| b", "a | b"),
        ("<user_id>", "<user_id>"),
        ("2*3*4", "2*3*4"),
        ("$x^2$", "x^2"),
        ("one<br>two", "one / two"),
        ("- x", "- x"),
        ("# 1", "# 1"),
        ("&amp;", "&"),
        ("__init__", "__init__"),
        ("a || b", "a"),
    ],
)
def test_a_grid_shows_the_text_of_its_cells_without_their_marks(cell: str, shown: str) -> None:
    assert (
        rewritten(table(f"| {cell} |", header="| A |", sides="|---|"))
        .splitlines()[4]
        .rstrip()
        .startswith(shown)
    )


def test_a_table_with_a_link_becomes_its_rows_for_a_grid_would_lose_the_target() -> None:
    assert "**A:** [x](http://e.org)  \n" in rewritten(table("| [x](http://e.org) | b |"))


def test_an_empty_cell_is_a_dash_and_a_nameless_first_column_names_its_row() -> None:
    nameless = table("| [a](http://e.org) | |", "| c | d\\|e |", header="| | `B` |")
    assert rewritten(nameless) == "\n[a](http://e.org)  \n`B`: –\n\n**c**  \n`B`: d|e\n\n"


def test_cells_beyond_the_header_are_columns_without_a_name() -> None:
    assert rewritten(table("| a | more |", header="| A |", sides="|---|")) == grid(
        "A |", "--+-----", "a | more"
    )
    linked = table("| [a](http://e.org) | - b |", header="| A |", sides="|---|")
    assert rewritten(linked) == "\n**A:** [a](http://e.org)  \n· - b\n\n"


def test_a_row_with_too_few_cells_is_filled_up() -> None:
    assert rewritten(table("| a |")) == grid("A | B", "--+--", "a |")


def test_a_header_without_rows_is_a_grid_of_any_width() -> None:
    assert "A" * 50 in rewritten(f"| {'A' * 50} |\n|---|\n")


def test_a_grid_holds_whatever_would_end_its_block() -> None:
    assert rewritten(table("| ~~~~~~~ | b |")).startswith("\n~~~~~~~~\n")


def test_a_table_in_a_quote_stays_in_it() -> None:
    narrow, wide = "> | A |\n> |---|\n> | a |\n", f"> | {'A' * 50} |\n> |---|\n> | a |\n> | b |\n"
    assert rewritten(narrow) == "> \n> ~~~~~~\n> A\n> -\n> a\n> ~~~~~~\n"
    assert rewritten(wide) == f"> \n> **{'A' * 50}:** a\n> \n> **{'A' * 50}:** b\n"


def test_a_table_in_a_list_stays_in_its_point_and_its_rows_are_points_of_it() -> None:
    narrow, wide = (
        "1. | A |\n   |---|\n   | a |\n",
        f"- x\n\n  | {'A' * 50} | B |\n  |---|---|\n  | a | b |\n",
    )
    assert rewritten(narrow) == "1. \n   ~~~~~~\n   A\n   -\n   a\n   ~~~~~~\n"
    assert rewritten(wide) == f"- x\n\n  \n  - **{'A' * 50}:** a  \n    **B:** b\n"


def test_a_cell_that_cannot_be_read_is_shown_as_it_is() -> None:
    stubborn = "[" * 50 + "a" + "](b)" * 50
    header = f"| {stubborn} |\n|---|\n"
    assert stubborn in rewritten(header)
