"""Which tables stay a grid, and how the others are written."""

from legio.bot.tables import GRID_WIDTH, rewritten


def grid(*cells: str) -> str:
    return "| A | B |\n|---|---|\n" + "".join(f"| {cell} | b |\n" for cell in cells)


def test_text_without_a_table_is_left_alone() -> None:
    assert rewritten("a | b") == "a | b"
    assert rewritten("plain") == "plain"


def test_a_narrow_table_stays_a_grid() -> None:
    narrow = grid("x" * (GRID_WIDTH - 4))
    assert rewritten(narrow) == narrow


def test_a_wide_table_becomes_its_rows() -> None:
    wide = "before\n\n" + grid("x" * (GRID_WIDTH - 3), "y") + "\nafter"
    assert rewritten(wide) == (
        f"before\n\n\n**A:** {'x' * 33}  \n**B:** b\n\n**A:** y  \n**B:** b\n\n\nafter"
    )


def test_wide_characters_count_twice() -> None:
    assert "**A:**" in rewritten(grid("漢" * (GRID_WIDTH // 2)))


def test_a_table_with_a_link_becomes_its_rows_for_a_grid_would_lose_the_target() -> None:
    assert "**A:** [x](http://e.org)  \n" in rewritten(grid("[x](http://e.org)"))


def test_an_empty_cell_is_a_dash_and_a_nameless_column_has_no_label() -> None:
    table = "| | `B` |\n|---|---|\n| [a](http://e.org) | |\n| c | d\\|e |\n"
    assert rewritten(table) == "\n[a](http://e.org)  \n`B`: –\n\nc  \n`B`: d|e\n\n"


def test_cells_beyond_the_header_are_kept_by_showing_the_table_as_it_is_written() -> None:
    table = "| A |\n|---|\n| a | surplus |\n"
    assert rewritten(table) == "\n~~~~~~\n| A |\n|---|\n| a | surplus |\n~~~~~~\n\n"


def test_a_header_without_rows_stays() -> None:
    header = f"| {'A' * 50} |\n|---|\n"
    assert rewritten(header) == header


def test_a_table_in_a_quote_stays() -> None:
    quoted = f"> | {'A' * 50} |\n> |---|\n> | a |\n"
    assert rewritten(quoted) == quoted
