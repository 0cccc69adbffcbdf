"""Who talked to whom, drawn: arrows, numbers, and no text that could be more than text."""

import itertools
from xml.etree.ElementTree import Element

from defusedxml.ElementTree import fromstring

from legio.console.talking import LONGEST_NAME, MOST_NAMES, WIDTH, drawn
from legio.ports import Exchange

LETTER = 9.5
"""How wide a letter is in the middle, in the page's style."""
SVG = "{http://www.w3.org/2000/svg}"


def parts(picture: str, kind: str) -> list[Element]:
    return [node for node in fromstring(picture).iter() if node.get("class") == kind]


def test_where_nothing_was_said_there_is_no_picture() -> None:
    assert drawn(()) == ""


def test_caesar_stands_first_then_the_legatus_then_the_others_and_everyone_last() -> None:
    picture = drawn(
        [Exchange("pullo", "all", 1), Exchange("legatus", "brutus", 1), Exchange("brutus", "caesar", 1)]
    )
    assert [node.text for node in parts(picture, "name")] == ["caesar", "legatus", "brutus", "pullo", "all"]
    assert fromstring(picture).get("aria-label", "").startswith("Who talked to whom")


def test_the_more_was_said_the_wider_is_the_arrow_and_its_number_says_how_much() -> None:
    picture = drawn([Exchange("caesar", "pullo", 1200), Exchange("pullo", "caesar", 3)])
    wide, narrow = (float(node.get("stroke-width", "")) for node in parts(picture, "said"))
    assert wide > 3 * narrow
    assert [node.text for node in parts(picture, "count")] == ["1,200", "3"]
    there, back = (node.get("d") for node in parts(picture, "said"))
    assert there != back, "the way back does not lie upon the way there"
    assert len(parts(picture, "head")) == 2


def test_every_name_is_text_and_stays_short() -> None:
    hostile = ['<script>alert("x")</script>', "&amp;", "a\x00b\x1b", "\ud800", "x" * 200, "]]><!--"]
    picture = drawn([Exchange("caesar", name, 1) for name in hostile])
    names = [node.text or "" for node in parts(picture, "name")]
    assert "<script>al…" in names
    assert "a�b�" in names
    assert "]]><!--" in names
    assert max(map(len, names)) == LONGEST_NAME
    kinds = {node.tag.removeprefix(SVG) for node in fromstring(picture).iter()}
    assert kinds == {"svg", "path", "circle", "text"}


def test_of_too_many_those_are_shown_who_had_most_to_do() -> None:
    picture = drawn([Exchange("caesar", f"agent{number:02}", number + 1) for number in range(30)])
    names = [node.text for node in parts(picture, "name")]
    assert len(names) == MOST_NAMES
    assert names[0] == "caesar"
    assert names[-1] == "agent29"
    assert "agent00" not in names


def test_all_of_it_lies_within_the_picture_and_no_number_upon_another() -> None:
    picture = drawn([Exchange(f"a{n}", f"a{m}", n * m + 1) for n in range(9) for m in range(9) if n != m])
    _, _, width, height = map(float, fromstring(picture).get("viewBox", "").split())
    assert width == WIDTH
    for node in parts(picture, "who"):
        assert 0 < float(node.get("cx", "")) < width
        assert 0 < float(node.get("cy", "")) < height
    numbers = [(float(node.get("x", "")), float(node.get("y", ""))) for node in parts(picture, "count")]
    assert 10 < len(numbers) <= 72
    for (x, y), (other_x, other_y) in itertools.combinations(numbers, 2):
        assert abs(x - other_x) > 10 or abs(y - other_y) > 17


def test_caesar_and_the_legatus_stand_opposite_each_other() -> None:
    picture = drawn([Exchange("caesar", name, 1) for name in ("legatus", "a", "b", "c")])
    caesar, legatus, *_ = (float(node.get("cy", "")) for node in parts(picture, "who"))
    others = [float(node.get("cy", "")) for node in parts(picture, "who")][2:]
    assert caesar < min(others)
    assert legatus >= max(others)


def test_a_long_name_beside_its_dot_is_not_cut_off() -> None:
    picture = drawn([Exchange("w" * 32, "x" * 32, 1), Exchange("y" * 32, "z" * 32, 1)])
    for node in parts(picture, "name"):
        x, width = float(node.get("x", "")), len(node.text or "") * LETTER
        left = {"start": x, "middle": x - width / 2, "end": x - width}[node.get("text-anchor", "")]
        assert left >= 0
        assert left + width <= WIDTH
