"""The picture of what was spent: its scale, its colours, and that it is a picture at all."""

import io
import subprocess
import sys
from datetime import date, timedelta

import pytest
from PIL import Image

from legio.bot.chart import (
    COLOURS,
    HEIGHT,
    LINES,
    OTHERS,
    OTHERS_NAME,
    WIDTH,
    Day,
    legend,
    pieces,
    png,
    scale,
)

FIRST = date(2026, 11, 8)


def days(*spent: dict[str, float]) -> list[Day]:
    return [Day(FIRST + timedelta(days=number), each) for number, each in enumerate(spent)]


@pytest.mark.parametrize(
    ("most", "step"), [(0.0, 0.0001), (0.0003, 0.0001), (3.9, 1.0), (4.0, 1.0), (4.1, 2.0), (950.0, 250.0)]
)
def test_the_lines_count_as_people_do_and_hold_the_highest_day(most: float, step: float) -> None:
    assert scale(most) == pytest.approx(step)
    assert scale(most) * LINES >= most


def test_who_spent_most_comes_first_and_the_sixth_is_one_of_the_others() -> None:
    spent = {f"agent{number}": float(number) for number in range(8)}
    shown = legend(days(spent))
    assert [name for name, _ in shown] == ["agent7", "agent6", "agent5", "agent4", "agent3", OTHERS_NAME]
    assert [colour for _, colour in shown] == [*COLOURS, OTHERS]
    rest, colour = pieces(days(spent)[0], shown)[-1]
    assert rest == pytest.approx(3.0)
    assert colour == OTHERS


def test_an_agent_called_like_the_others_is_himself() -> None:
    spent = {OTHERS_NAME: 9.0, **{f"agent{number}": 1.0 for number in range(6)}}
    (day,) = days(spent)
    made = pieces(day, legend([day]))
    assert made[0] == (9.0, COLOURS[0])
    rest, colour = made[-1]
    assert rest == pytest.approx(2.0)
    assert colour == OTHERS


def test_a_day_without_an_agent_has_no_piece_of_him() -> None:
    first, second = days({"pullo": 1.0, "brutus": 0.5}, {"brutus": 0.25})
    shown = legend([first, second])
    assert shown == (("pullo", COLOURS[0]), ("brutus", COLOURS[1]))
    assert pieces(second, shown) == [(0.0, COLOURS[0]), (0.25, COLOURS[1])]


def test_it_is_a_small_picture_in_the_colours_of_the_legend() -> None:
    content = png(days({"pullo": 1.0}, {"brutus": 12.5, "pullo": 3.0}, {}))
    with Image.open(io.BytesIO(content)) as picture:
        assert (picture.format, picture.size) == ("PNG", (WIDTH, HEIGHT))
        seen = {colour for _, colour in picture.convert("RGB").getcolors(1 << 20) or []}
    assert {tuple(bytes.fromhex(colour[1:])) for colour in COLOURS[:2]} <= seen
    assert len(content) < 64 * 1024


def test_nothing_is_drawn_with_before_there_is_something_to_draw() -> None:
    said = "import sys, legio.bot.chart, legio.bot.commands; print('PIL' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", said], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
