"""A change as it is shown: against the file as it is now, and honest where that cannot be."""

from pathlib import Path

from legio.claude.difference import LONGEST_LINE, MOST_CHARACTERS, NOTHING, editing, writing


def edit(old: str, new: str, *, every: bool = False) -> dict[str, object]:
    return {"old_string": old, "new_string": new, "replace_all": every}


def test_a_new_file_comes_whole(tmp_path: Path) -> None:
    said, block = writing("notes/a.txt", "one\ntwo\n", tmp_path)
    assert said == "create notes/a.txt (+2 -0 lines)."
    assert (block.text, block.language) == ("@@ -0,0 +1,2 @@\n+one\n+two", "diff")


def test_a_file_that_is_written_anew_shows_what_differs(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one\n-- two\nthree\n")
    said, block = writing(str(tmp_path / "a.txt"), "one\n++ two\nthree\n", tmp_path)
    assert said == "change a.txt (+1 -1 lines)."
    assert block.text == "@@ -1,3 +1,3 @@\n one\n--- two\n+++ two\n three"


def test_edits_are_made_one_after_the_other(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("a\na\nb\n")
    said, block = editing("a.txt", [edit("a", "c", every=True), edit("c\nb", "d")], tmp_path)
    assert said == "change a.txt (+2 -3 lines)."
    assert "+c\n+d" in block.text
    _, first = editing("a.txt", [edit("a", "c")], tmp_path)
    assert first.text == "@@ -1,3 +1,3 @@\n-a\n+c\n a\n b"
    _, added = editing("new.txt", [edit("", "fresh")], tmp_path)
    assert "+fresh" in added.text


def test_an_edit_that_does_not_fit_says_so_and_shows_what_it_would_put_in(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one\n")
    said, block = editing("a.txt", [edit("two", "three")], tmp_path)
    assert said == "change a.txt — what it would replace is not in it as it is now."
    assert block.text == "-two\n+three"


def test_what_cannot_be_compared_says_why(tmp_path: Path) -> None:
    (tmp_path / "image.png").write_bytes(b"\x89PNG\xff")
    (tmp_path / "large.txt").write_text("x" * (MOST_CHARACTERS + 1))
    (tmp_path / "folder").mkdir()
    for path, why in (
        ("image.png", "it holds no text"),
        ("large.txt", "it is too large to be compared"),
        ("folder", "it cannot be read"),
        ("nul\0", "it cannot be read"),
    ):
        said, block = writing(path, "new\n", tmp_path)
        assert said.endswith(f"— {why}.")
        assert block.text == "+new"
    said, block = editing("image.png", [edit("", ""), 7], tmp_path)
    assert block.text == NOTHING


def test_a_text_without_end_is_not_compared_and_a_line_without_end_is_cut(tmp_path: Path) -> None:
    said, block = writing("a.txt", "word\n" * MOST_CHARACTERS, tmp_path)
    assert said == f"create a.txt (+{MOST_CHARACTERS} -0 lines)."
    _, block = writing("b.txt", "x" * 1000, tmp_path)
    assert block.text.endswith(f"{'x' * (LONGEST_LINE - 1)}… (1,001 characters)")


def test_a_change_that_changes_nothing_says_so(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one\n")
    assert writing("a.txt", "one\n", tmp_path)[1].text == NOTHING
