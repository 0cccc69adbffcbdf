"""What was spent, as a small picture: a bar for each day, made of a piece for each agent.

Drawn for a phone: large letters, dark on light, and nothing that cannot be told apart without colours by its
order, which is that of the legend from below. Pillow is imported when there is something to draw, and not
before: a Legio that is never asked for a picture does not carry it.
"""

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Final

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
OTHERS_NAME: Final = "others"

LONGEST_NAME: Final = 12
STEPS: Final = (1.0, 2.0, 2.5, 5.0, 10.0)
"""What the lines behind the bars may count in: as people do."""
LINES: Final = 4


@dataclass(frozen=True, slots=True)
class Day:
    """What each agent spent on one day, in US dollars."""

    day: date
    spent: Mapping[str, float]

    @property
    def total(self) -> float:
        """All of it."""
        return sum(self.spent.values())


def png(days: Sequence[Day]) -> bytes:
    """The picture of these days, oldest first and one at least."""
    from PIL import Image, ImageDraw

    image = Image.new("RGB", (WIDTH, HEIGHT), PAPER)
    draw = ImageDraw.Draw(image)
    shown = legend(days)
    _title(draw, days)
    step = scale(max(day.total for day in days))
    _lines(draw, step)
    _bars(draw, days, shown, step * LINES)
    _legend(draw, shown)
    file = io.BytesIO()
    image.save(file, "PNG", optimize=True)
    return file.getvalue()


def legend(days: Sequence[Day]) -> tuple[tuple[str, str], ...]:
    """Who is shown in which colour, those first who spent most; who comes after them is one of the others."""
    spent: dict[str, float] = {}
    for day in days:
        for agent, usd in day.spent.items():
            spent[agent] = spent.get(agent, 0.0) + usd
    names = sorted((name for name in spent if spent[name] > 0), key=lambda name: (-spent[name], name))
    if len(names) <= len(COLOURS):
        return tuple(zip(names, COLOURS, strict=False))
    return (*zip(names[: len(COLOURS)], COLOURS, strict=True), (OTHERS_NAME, OTHERS))


def scale(most: float) -> float:
    """The distance of the lines, in US dollars, so that `most` keeps below the last one."""
    size = 0.0001
    while True:
        for step in STEPS:
            if step * size * LINES >= most:
                return step * size
        size *= 10


def _title(draw: "ImageDraw", days: Sequence[Day]) -> None:
    total = sum(day.total for day in days)
    said = f"{days[0].day:%-d %b} to {days[-1].day:%-d %b}: ${total:,.2f}"
    draw.text((LEFT, 12), said, INK, font_size=LETTERS)


def _lines(draw: "ImageDraw", step: float) -> None:
    for number in range(LINES + 1):
        y = _height(number / LINES)
        draw.line((LEFT, y, WIDTH - RIGHT, y), INK if number == 0 else FAINT, 2)
        draw.text((LEFT - 12, y), _dollars(step * number), INK, anchor="rm", font_size=SMALL)


def _bars(draw: "ImageDraw", days: Sequence[Day], shown: Sequence[tuple[str, str]], top: float) -> None:
    width = (WIDTH - LEFT - RIGHT) / len(days)
    for number, day in enumerate(days):
        middle, half = LEFT + width * (number + 0.5), width * BAR / 2
        stacked = 0.0
        for usd, colour in pieces(day, shown):
            above = stacked + usd
            if usd > 0:
                draw.rectangle(
                    (middle - half, _height(above / top), middle + half, _height(stacked / top)), colour
                )
            stacked = above
        draw.text((middle, HEIGHT - BOTTOM + 8), f"{day.day:%-d}", INK, anchor="ma", font_size=SMALL)


def pieces(day: Day, shown: Sequence[tuple[str, str]]) -> list[tuple[float, str]]:
    """What the day's bar is made of, from below: US dollars and colour."""
    made = [(day.spent.get(name, 0.0), colour) for name, colour in shown if colour != OTHERS]
    rest = (day.total - sum(usd for usd, _ in made), OTHERS)
    return made if len(made) == len(shown) else [*made, rest]


def _legend(draw: "ImageDraw", shown: Sequence[tuple[str, str]]) -> None:
    each = (WIDTH - LEFT - RIGHT) / 3
    for number, (name, colour) in enumerate(shown):
        x, y = LEFT + each * (number % 3), HEIGHT - 82 + 40 * (number // 3)
        draw.rectangle((x, y, x + 24, y + 24), colour)
        draw.text((x + 30, y + 12), _short(name), INK, anchor="lm", font_size=SMALL)


def _height(share: float) -> float:
    """Where that share of the scale stands, in pixels from above."""
    return HEIGHT - BOTTOM - (HEIGHT - BOTTOM - TOP) * share


def _dollars(usd: float) -> str:
    return f"${usd:,.0f}" if usd >= 10 or usd == 0 else f"${usd:.4f}".rstrip("0").ljust(5, "0")


def _short(name: str) -> str:
    return name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1]}…"
