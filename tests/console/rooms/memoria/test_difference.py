"""Two texts beside each other: what is shown, what is marked in it, and what is not compared."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from legio.console.rooms.memoria.difference import (
    CONTEXT_LINES,
    LONGEST_LINE,
    MOST_CHARACTERS,
    MOST_LINES,
    Line,
    difference,
)


def shown(lines: list[Line]) -> list[str]:
    """A sign for each line, and what is marked in it in brackets."""
    signs = {"same": " ", "gone": "-", "new": "+"}
    return [
        f"… {each['lines']}"
        if each["kind"] == "skipped"
        else signs[each["kind"]]
        + "".join(f"[{text}]" if index % 2 else text for index, text in enumerate(each["parts"]) if text)
        for each in lines
    ]


@pytest.mark.parametrize(
    ("before", "after", "lines"),
    [
        ("a", "a", []),
        ("", "new", ["-", "+[new]"]),
        ("One\nTwo", "One\nTwo\nThree", [" One", " Two", "+[Three]"]),
        ("One\nTwo\nThree", "Two\nThree", ["-[One]", " Two", " Three"]),
        (
            "Answer in plain words.",
            "Answer in short, plain words!",
            ["-Answer in plain words[.]", "+Answer in[ short,] plain words[!]"],
        ),
        ("Use them always", "Something else entirely", ["-[Use them always]", "+[Something else entirely]"]),
        ("é 軍 🙂", "é 軍 🙃", ["-é 軍[ 🙂]", "+é 軍[ 🙃]"]),
        ("a b", "a  b", ["-a[ b]", "+a[  b]"]),
    ],
)
def test_lines_and_words_that_changed_are_marked(before: str, after: str, lines: list[str]) -> None:
    assert shown(difference(before, after)) == lines


def test_far_from_a_change_nothing_is_shown() -> None:
    lines = [f"line {number}" for number in range(40)]
    changed = [*lines[:20], "changed", *lines[20:]]

    assert shown(difference("\n".join(lines), "\n".join(changed))) == [
        f"… {20 - CONTEXT_LINES}",
        *(f" line {number}" for number in range(17, 20)),
        "+[changed]",
        *(f" line {number}" for number in range(20, 23)),
        f"… {20 - CONTEXT_LINES}",
    ]


def test_one_line_is_not_left_out_in_favour_of_the_word_that_it_was() -> None:
    lines = [f"{number}" for number in range(CONTEXT_LINES + 1)]

    assert shown(difference("\n".join(lines), "\n".join([*lines, "new"]))) == [
        *(f" {line}" for line in lines),
        "+[new]",
    ]


def test_what_is_too_much_is_shown_whole() -> None:
    long = "word " * LONGEST_LINE
    (gone, new) = difference(f"{long}a", f"{long}b")
    assert (gone["parts"], new["parts"]) == (["", f"{long}a"], ["", f"{long}b"])

    many = [f"{'x ' * 100}{number}" for number in range(MOST_CHARACTERS // 200)]
    lines = difference("\n".join(many), "\n".join(f"{line}!" for line in many))
    assert lines[len(many)]["parts"] == [many[0], "!"]
    assert lines[-1]["parts"] == ["", f"{many[-1]}!"]

    old, new_lines = ("\n".join(f"{sign}{number}" for number in range(MOST_LINES + 1)) for sign in "ab")
    whole = difference(f"same\n{old}\nend", f"same\n{new_lines}\nend")
    kinds = [each["kind"] for each in whole]
    assert kinds == ["same", *["gone"] * (MOST_LINES + 1), *["new"] * (MOST_LINES + 1), "same"]


def test_texts_made_to_be_slow_are_compared_all_the_same() -> None:
    slow = "\n".join(f"{number % 97} {'a b ' * 200}" for number in range(1_000))
    assert difference(slow, slow.replace("a b a", "b a b"))


@settings(deadline=None)
@given(st.lists(st.sampled_from(["a b", "a c", "", "x"])), st.lists(st.sampled_from(["a b", "a c", "", "x"])))
def test_both_texts_can_be_put_together_again(before: list[str], after: list[str]) -> None:
    lines = difference("\n".join(before), "\n".join(after))

    if not lines or any(each["kind"] == "skipped" for each in lines):
        return
    for text, kinds in ((before, ("same", "gone")), (after, ("same", "new"))):
        said = ["".join(each["parts"]) for each in lines if each["kind"] in kinds]
        assert "\n".join(said) == "\n".join(text)
