"""Charts as SVG text: what stands in them, where, and that no name can get out of its place."""

from dataclasses import replace
from datetime import date, timedelta
from itertools import pairwise
from xml.etree.ElementTree import Element

import pytest
from defusedxml.ElementTree import fromstring

from legio.console.charts import BOTTOM, COLOURS, HEIGHT, LETTER_WIDTH, TOP, Chart, colours, svg
from legio.console.quantities import dollar_tick, dollars
from legio.stacks import Day, Shown, scale

LAST = date(2026, 11, 21)
SPACE = "{http://www.w3.org/2000/svg}"
FLOOR, ROOM = HEIGHT - BOTTOM, HEIGHT - BOTTOM - TOP
XSS = "\"'><script>alert(1)</script>&amp;\x00\ud800<![CDATA["


def chart(
    *shares: dict[str, float], names: tuple[str, ...] = ("pullo", "vorenus"), others: bool = False
) -> Chart:
    days = [Day(LAST - timedelta(days=len(shares) - 1 - number), each) for number, each in enumerate(shares)]
    step = scale(max(day.total for day in days))
    return Chart("usd", "Cost by day", "So much.", days, Shown(names, others), step, dollar_tick, dollars)


def drawn(shown: Chart, width: int = 640) -> Element:
    return fromstring(svg(shown, width=width))


def texts(picture: Element) -> list[str]:
    return [each.text or "" for each in picture.iter(f"{SPACE}text")]


def pieces(picture: Element) -> list[tuple[str, float, float]]:
    """The pieces as their colour, their height and where they end below."""
    found = [each for each in picture.iter(f"{SPACE}rect") if each.get("class")]
    return [
        (
            each.attrib["class"].removeprefix("piece piece-"),
            float(each.attrib["height"]),
            float(each.attrib["y"]) + float(each.attrib["height"]),
        )
        for each in found
    ]


def test_the_lines_stand_for_round_figures_and_the_days_have_names() -> None:
    assert texts(drawn(chart({"pullo": 0.9}, {"pullo": 0.1}))) == [
        "$0", "$0.25", "$0.50", "$0.75", "$1", "20 Nov", "21 Nov",
    ]  # fmt: skip


def test_pieces_stand_on_each_other_in_their_order_and_measure_what_they_say() -> None:
    (first, low, floor), (second, high, edge) = pieces(drawn(chart({"vorenus": 1.0, "pullo": 3.0})))
    assert (first, second) == ("0", "1")
    assert [low, high] == pytest.approx([ROOM * 3 / 4, ROOM / 4], abs=0.1)
    assert [floor, edge] == pytest.approx([FLOOR, FLOOR - low], abs=0.1)


def test_whoever_has_no_colour_is_one_of_the_others() -> None:
    shown = chart({"pullo": 2.0, "a": 1.0, "b": 1.0}, names=("pullo",), others=True)
    assert [(colour, round(height)) for colour, height, _ in pieces(drawn(shown))] == [
        ("0", ROOM // 2),
        ("others", ROOM // 2),
    ]
    assert colours(shown.whose) == ("0", "others")


def test_what_is_little_beside_much_can_be_seen() -> None:
    (little,), (much,) = (
        [each for each in pieces(drawn(chart({"pullo": 0.0001}, {"vorenus": 300.0}))) if each[0] == colour]
        for colour in ("0", "1")
    )
    assert little[1] == 1.0
    assert much[1] == pytest.approx(ROOM * 300 / 400, abs=0.1)


def test_a_day_says_its_figures_to_a_pointer_and_one_without_any_is_not_drawn() -> None:
    picture = drawn(chart({}, {"vorenus": 0.5, "pullo": 0.0, "titus": 0.25}, others=True))
    (day,) = picture.iter(f"{SPACE}g")
    assert day.findtext(f"{SPACE}title") == "Sat 21 Nov: $0.75\nvorenus $0.50\nothers $0.25"


def test_the_picture_is_one_image_with_a_name_and_a_description() -> None:
    picture = drawn(chart({"pullo": 1.0}), 326)
    said = {each.get("id"): each.text for each in picture if each.get("id")}
    assert [said[name] for name in picture.attrib["aria-labelledby"].split()] == ["Cost by day", "So much."]
    assert (picture.get("role"), picture.get("viewBox")) == ("img", f"0 0 326 {HEIGHT}")


@pytest.mark.parametrize("width", [240, 326, 640, 1600])
@pytest.mark.parametrize("count", [1, 7, 30, 90])
def test_everything_is_within_the_picture_and_no_two_names_of_days_meet(width: int, count: int) -> None:
    picture = drawn(chart(*({"pullo": 1234.5678} for _ in range(count))), width)
    days = []
    for each in picture.iter(f"{SPACE}text"):
        wide, x = len(each.text or "") * LETTER_WIDTH, float(each.attrib["x"])
        left = x - {"end": wide, "middle": wide / 2}[each.attrib["text-anchor"]]
        assert left >= 0
        assert left + wide <= width
        if float(each.attrib["y"]) > FLOOR + 4:
            days.append((left, left + wide))
    assert all(right <= left for (_, right), (left, _) in pairwise(days))
    assert days, "the last day is named"
    for each in picture.iter(f"{SPACE}rect"):
        left = float(each.attrib["x"])
        assert left >= 0
        assert left + float(each.attrib["width"]) <= width + 0.1


def test_no_name_gets_out_of_its_place() -> None:
    shown = replace(chart({XSS: 1.0}, names=(XSS,)), title=XSS, about=XSS)
    text = svg(shown, width=640)
    picture = drawn(shown)
    assert "<script" not in text
    assert {each.tag.removeprefix(SPACE) for each in picture.iter()} == {
        "svg", "title", "desc", "line", "text", "g", "rect",
    }  # fmt: skip
    assert picture.findtext(f"{SPACE}title") == XSS.replace("\x00", "\ufffd").replace("\ud800", "\ufffd")


def test_there_is_no_style_that_the_pages_policy_would_refuse() -> None:
    assert "style" not in svg(chart({"pullo": 1.0}), width=640)


def test_there_is_a_colour_for_as_many_as_are_shown() -> None:
    assert colours(Shown(tuple("abcdefg"), others=True)) == (
        *(str(number) for number in range(COLOURS)),
        "others",
    )
