"""The picture of what was spent: its colours, and that it is a picture at all."""

import io
import subprocess
import sys
from datetime import date, timedelta

from PIL import Image

from legio.bot.chart import COLOURS, HEIGHT, OTHERS, WIDTH, legend, png
from legio.stacks import Day, Shown

FIRST = date(2026, 11, 8)


def days(*spent: dict[str, float]) -> list[Day]:
    return [Day(FIRST + timedelta(days=number), each) for number, each in enumerate(spent)]


def seen(content: bytes) -> set[str]:
    """The colours in a picture."""
    with Image.open(io.BytesIO(content)) as picture:
        counted = picture.convert("RGB").getcolors(1 << 20) or []
    return {"#" + bytes(colour).hex() for _, colour in counted if isinstance(colour, tuple)}


def test_the_legend_names_whom_there_is_a_colour_for_and_the_others() -> None:
    names = tuple(f"agent{number}" for number in range(len(COLOURS)))
    assert legend(Shown(names[:2])) == (("agent0", COLOURS[0]), ("agent1", COLOURS[1]))
    assert legend(Shown(names, others=True)) == (*zip(names, COLOURS, strict=True), ("others", OTHERS))


def test_whoever_comes_after_the_colours_is_drawn_as_one_of_the_others() -> None:
    content = png(days({f"agent{number}": 1.0 for number in range(len(COLOURS) + 2)}))
    assert {*COLOURS, OTHERS} <= seen(content)


def test_it_is_a_small_picture_in_the_colours_of_the_legend() -> None:
    content = png(days({"pullo": 1.0}, {"brutus": 12.5, "pullo": 3.0}, {}))
    with Image.open(io.BytesIO(content)) as picture:
        assert (picture.format, picture.size) == ("PNG", (WIDTH, HEIGHT))
    assert set(COLOURS[:2]) <= seen(content)
    assert COLOURS[2] not in seen(content)
    assert len(content) < 64 * 1024


def test_nothing_is_drawn_with_before_there_is_something_to_draw() -> None:
    said = "import sys, legio.bot.chart, legio.bot.commands; print('PIL' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", said], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
