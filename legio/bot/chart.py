"""What was spent, as a small picture: a bar for each day, made of a piece for each agent.

Drawn for a phone: large letters, dark on light, and nothing that cannot be told apart without colours by its
order, which is that of the legend from below. Pillow is imported when there is something to draw, and not
before: a Legio that is never asked for a picture does not carry it. What is drawn is for `stacks` to say.
"""

import io
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from legio.brevity import cut
from legio.stacks import LINES, Day, Shown, pieces, ranked, scale, shown
from legio.stacks import OTHERS as OTHERS_NAME

if TYPE_CHECKING:
    from PIL.ImageDraw import ImageDraw

WIDTH: Final = 640
HEIGHT: Final = 480
LEFT: Final = 100
RIGHT: Final = 12
TOP: Final = 62
BOTTOM: Final = 128
LETTERS: Final = 28
SMALL: Final = 22
BAR: Final = 0.72
"""How much of a day's width its bar takes."""

PAPER: Final = "#ffffff"
INK: Final = "#1f2933"
FAINT: Final = "#d5dbe1"
COLOURS: Final = ("#8c1c13", "#e0a030", "#3d5a80", "#5b8e7d", "#b56576")
"""For the agents who spent most, in this order; all others share the last one."""
OTHERS: Final = "#9aa5b1"

LONGEST_NAME: Final = 12


def png(days: Sequence[Day]) -> bytes:
    """The picture of what was spent on these days in US dollars, oldest first and one at least."""
    from PIL import Image, ImageDraw

    image = Image.new("RGB", (WIDTH, HEIGHT), PAPER)
    draw = ImageDraw.Draw(image)
    whose = shown(ranked(days), len(COLOURS))
    _title(draw, days)
    step = scale(max(day.total for day in days))
    _lines(draw, step)
    _bars(draw, days, whose, step * LINES)
    _legend(draw, legend(whose))
    file = io.BytesIO()
    image.save(file, "PNG", optimize=True)
    return file.getvalue()


def legend(whose: Shown) -> tuple[tuple[str, str], ...]:
    """Who is shown in which colour, from below."""
    coloured = tuple(zip(whose.names, COLOURS, strict=False))
    return (*coloured, (OTHERS_NAME, OTHERS)) if whose.others else coloured


def _title(draw: "ImageDraw", days: Sequence[Day]) -> None:
    total = sum(day.total for day in days)
    said = f"{days[0].day:%-d %b} to {days[-1].day:%-d %b}: ${total:,.2f}"
    draw.text((LEFT, 12), said, INK, font_size=LETTERS)


def _lines(draw: "ImageDraw", step: float) -> None:
    for number in range(LINES + 1):
        y = _height(number / LINES)
        draw.line((LEFT, y, WIDTH - RIGHT, y), INK if number == 0 else FAINT, 2)
        draw.text((LEFT - 12, y), _dollars(step * number), INK, anchor="rm", font_size=SMALL)


def _bars(draw: "ImageDraw", days: Sequence[Day], whose: Shown, top: float) -> None:
    width = (WIDTH - LEFT - RIGHT) / len(days)
    colours = [colour for _, colour in legend(whose)]
    for number, day in enumerate(days):
        middle, half = LEFT + width * (number + 0.5), width * BAR / 2
        stacked = 0.0
        for usd, colour in zip(pieces(day, whose), colours, strict=True):
            above = stacked + usd
            if usd > 0:
                draw.rectangle(
                    (middle - half, _height(above / top), middle + half, _height(stacked / top)), colour
                )
            stacked = above
        draw.text((middle, HEIGHT - BOTTOM + 8), f"{day.day:%-d}", INK, anchor="ma", font_size=SMALL)


def _legend(draw: "ImageDraw", entries: Sequence[tuple[str, str]]) -> None:
    each = (WIDTH - LEFT - RIGHT) / 3
    for number, (name, colour) in enumerate(entries):
        x, y = LEFT + each * (number % 3), HEIGHT - 82 + 40 * (number // 3)
        draw.rectangle((x, y, x + 24, y + 24), colour)
        draw.text((x + 30, y + 12), cut(name, LONGEST_NAME), INK, anchor="lm", font_size=SMALL)


def _height(share: float) -> float:
    """Where that share of the scale stands, in pixels from above."""
    return HEIGHT - BOTTOM - (HEIGHT - BOTTOM - TOP) * share


def _dollars(usd: float) -> str:
    return f"${usd:,.0f}" if usd >= 10 or usd == 0 else f"${usd:.4f}".rstrip("0").ljust(5, "0")
