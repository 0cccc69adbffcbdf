"""A bar for each day, made of a piece for each name, as SVG text: pure, and drawn to the pixel for its width.

Colours are classes of the page's style (`piece-0` and so on, `piece-others`), lines and letters take the
page's own colour: so one picture serves light and dark. What a picture hides is said in its description and,
for a pointer, over each day.
"""

import html
import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from legio.stacks import LINES, OTHERS, Day, Shown, pieces

COLOURS: Final = 7
"""How many pieces the page's style has a colour for, beside that of the others."""
HEIGHT: Final = 200
TOP: Final = 10
BOTTOM: Final = 24
RIGHT: Final = 4
LETTERS: Final = 12
LETTER_WIDTH: Final = 6.7
"""What a letter of that size is wide at most, on the average of a label."""
LABEL_WIDTH: Final = 64
"""How far apart two days have to stand that are both named."""
BAR: Final = 0.72
"""How much of a day's width its bar takes, as long as that is not above the next."""
WIDEST_BAR: Final = 40
LEAST_PIECE: Final = 1.0
"""What is not nothing can be seen, beside whatever."""

_UNFIT = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What no XML may hold, not even escaped: https://www.w3.org/TR/xml/#charsets."""


@dataclass(frozen=True, slots=True)
class Chart:
    """One quantity by day. `name` tells the chart from others of its page; `about` says it in a sentence.

    The lines stand `step` apart; `tick` writes a figure beside a line, `written` one that is to be read.
    """

    name: str
    title: str
    about: str
    days: Sequence[Day]
    whose: Shown
    step: float
    tick: Callable[[float], str]
    written: Callable[[float], str]


@dataclass(frozen=True, slots=True)
class _Frame:
    """Where the bars stand, in pixels from the left and from above."""

    left: float
    right: float
    slot: float

    @property
    def height(self) -> float:
        return HEIGHT - BOTTOM - TOP

    def middle(self, number: int) -> float:
        return self.left + self.slot * (number + 0.5)

    def level(self, share: float) -> float:
        return HEIGHT - BOTTOM - self.height * share


def colours(whose: Shown) -> tuple[str, ...]:
    """The class of each piece's colour, from below, as what follows `piece-`."""
    own = tuple(str(number) for number in range(len(whose.names)))
    return (*own, OTHERS) if whose.others else own


def svg(chart: Chart, *, width: int) -> str:
    """The picture of the chart's days, oldest first and one at least."""
    left = max(len(text) for text in _ticks(chart)) * LETTER_WIDTH + 10
    right = width - RIGHT
    frame = _Frame(left, right, (right - left) / len(chart.days))
    title, about = f"chart-{chart.name}-title", f"chart-{chart.name}-about"
    return _element(
        "svg",
        _element("title", _text(chart.title), id=title),
        _element("desc", _text(chart.about), id=about),
        *_lines(chart, frame),
        *(_bar(chart, frame, number) for number, day in enumerate(chart.days) if day.total > 0),
        *_names(chart, frame),
        xmlns="http://www.w3.org/2000/svg",
        class_="chart",
        role="img",
        aria_labelledby=f"{title} {about}",
        viewBox=f"0 0 {width} {HEIGHT}",
        width=width,
        height=HEIGHT,
        fill="currentColor",
        font_size=LETTERS,
    )


def _ticks(chart: Chart) -> list[str]:
    return [chart.tick(chart.step * number) for number in range(LINES + 1)]


def _lines(chart: Chart, frame: _Frame) -> list[str]:
    drawn = []
    for number, text in enumerate(_ticks(chart)):
        y = frame.level(number / LINES)
        line = _element("line", class_="line", x1=frame.left, x2=frame.right, y1=y, y2=y)
        drawn += [line, _element("text", _text(text), x=frame.left - 6, y=y + 4, text_anchor="end")]
    return drawn


def _bar(chart: Chart, frame: _Frame, number: int) -> str:
    day, width = chart.days[number], min(frame.slot * BAR, WIDEST_BAR)
    left, top = frame.middle(number) - width / 2, frame.level(0)
    # The whole height of the day can be pointed at: some bars are no higher than a line.
    drawn = [
        _element("title", _text(_said(chart, day))),
        _element(
            "rect",
            x=frame.middle(number) - frame.slot / 2,
            y=TOP,
            width=frame.slot,
            height=frame.height,
            fill="none",
            pointer_events="all",
        ),
    ]
    for share, colour in zip(pieces(day, chart.whose), colours(chart.whose), strict=True):
        if share > 0:
            height = max(LEAST_PIECE, frame.height * share / (chart.step * LINES))
            top -= height
            style = f"piece piece-{colour}"
            drawn.append(_element("rect", class_=style, x=left, y=top, width=width, height=height))
    return _element("g", *drawn)


def _names(chart: Chart, frame: _Frame) -> list[str]:
    """Every so many a day's name, the last day's among them."""
    every, last = max(1, math.ceil(LABEL_WIDTH / frame.slot)), len(chart.days) - 1
    drawn = []
    for number in range(last % every, last + 1, every):
        middle = frame.middle(number)
        near = middle + LABEL_WIDTH / 2 > frame.right
        x, anchor = (frame.right, "end") if near else (middle, "middle")
        name = f"{chart.days[number].day:%-d %b}"
        drawn.append(_element("text", _text(name), x=x, y=HEIGHT - 6, text_anchor=anchor))
    return drawn


def _said(chart: Chart, day: Day) -> str:
    names = (*chart.whose.names, OTHERS)
    parts = [
        f"{name} {chart.written(share)}"
        for name, share in zip(names, pieces(day, chart.whose), strict=False)
        if share > 0
    ]
    return "\n".join([f"{day.day:%a %-d %b}: {chart.written(day.total)}", *parts])


def _element(tag: str, *content: str, **attributes: str | float) -> str:
    """An element of finished `content`; `text_anchor` is written text-anchor, and `class_` class.

    Attributes are ours alone: what others named goes into the content, by way of `_text`.
    """
    written = "".join(
        f' {name.rstrip("_").replace("_", "-")}="{value if isinstance(value, str) else _pixels(value)}"'
        for name, value in attributes.items()
    )
    return f"<{tag}{written}>{''.join(content)}</{tag}>"


def _pixels(size: float) -> str:
    return f"{round(size, 1):g}"


def _text(text: str) -> str:
    """The text as it may stand anywhere in XML."""
    return html.escape(_UNFIT.sub("\ufffd", text))
