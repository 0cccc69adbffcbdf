"""Who talked to whom, as an SVG: names on an oval, and arrows whose width says how much was said.

Pure. Colours are the page's, through classes; every text that comes from elsewhere is escaped.
"""

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape

from legio.brevity import cut
from legio.nuntius import ALL, CAESAR, LEGATUS
from legio.ports import Exchange

WIDTH = 480
ACROSS = 120
"""Half of the oval's width. It is as high as its names want to have room."""
MARGIN = 50
DOT = 7
GAP = 4
"""Between a dot and the arrows at it."""
BOW = 0.14
"""How far an arrow bends aside, in parts of its length: so that the way back does not lie upon it."""
SPOTS = (0.38, 0.5, 0.28, 0.62, 0.2)
"""Where on an arrow its number may stand; best nearer to who speaks, as the middles meet in the middle."""
LETTER, LINE = 10.0, 17.0
"""How wide a digit of a number is, and how high."""
MOST_NAMES = 16
LONGEST_NAME = 11
SIDEWAYS = 0.3
"""From this cosine on a name stands beside its dot, else above or below."""


@dataclass(frozen=True, slots=True)
class _Point:
    x: float
    y: float

    def __str__(self) -> str:
        return f"{self.x:.1f} {self.y:.1f}"

    def toward(self, other: "_Point", length: float) -> "_Point":
        """The point so far away from this one, in the direction of the other."""
        whole = math.hypot(other.x - self.x, other.y - self.y) or 1.0
        return _Point(
            self.x + (other.x - self.x) / whole * length, self.y + (other.y - self.y) / whole * length
        )


@dataclass(frozen=True, slots=True)
class _Arrow:
    """From who speaks to who hears, on a curve; that of the way back lies on the other side."""

    said: Exchange
    start: _Point
    end: _Point

    @property
    def bend(self) -> _Point:
        """The control point of the curve."""
        start, end = self.start, self.end
        return _Point(
            (start.x + end.x) / 2 + (end.y - start.y) * BOW, (start.y + end.y) / 2 - (end.x - start.x) * BOW
        )

    def at(self, part: float) -> _Point:
        """Where one is after that part of the way."""
        rest, bend = 1 - part, self.bend
        return _Point(
            rest * rest * self.start.x + 2 * rest * part * bend.x + part * part * self.end.x,
            rest * rest * self.start.y + 2 * rest * part * bend.y + part * part * self.end.y,
        )

    def drawn(self, most: int) -> str:
        """The curve and its head; `most` is what the widest of all stands for."""
        width = 1.5 + 5 * math.sqrt(self.said.nuntii / most)
        head, bend = 6 + 1.5 * width, self.bend
        begins = self.start.toward(bend, DOT + GAP)
        tip, base = self.end.toward(bend, DOT + GAP), self.end.toward(bend, DOT + GAP + head)
        aside = _Point(-(tip.y - base.y) / head * (2 + width), (tip.x - base.x) / head * (2 + width))
        right, left = _Point(base.x + aside.x, base.y + aside.y), _Point(base.x - aside.x, base.y - aside.y)
        return (
            f'<path class="said" fill="none" stroke="currentColor" stroke-width="{width:.1f}"'
            f' d="M{begins} Q{bend} {base}"/>'
            f'<path class="head" fill="currentColor" d="M{tip} L{right} L{left} Z"/>'
        )


def drawn(exchanges: Sequence[Exchange]) -> str:
    """The picture; "" where nothing was said. Of more than 16 names those that had most to do are shown."""
    names = _names(exchanges)
    shown = [it for it in exchanges if it.sender in names and it.hearer in names]
    if not shown:
        return ""
    down = ACROSS + 12 * max(0, len(names) - 5)
    places = _places(names, down)
    arrows = [_Arrow(it, places[it.sender], places[it.hearer]) for it in shown]
    most = max(it.nuntii for it in shown)
    parts = [
        *(arrow.drawn(most) for arrow in arrows),
        *(_dot(name, places[name], down) for name in names),
        *_numbers(arrows, list(places.values())),
    ]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="talk" viewBox="0 0 {WIDTH} {2 * (down + MARGIN)}"'
        ' role="img" aria-label="Who talked to whom; the table below says the same">'
        f"{''.join(parts)}</svg>"
    )


def _names(exchanges: Sequence[Exchange]) -> list[str]:
    """Who is shown: Caesar first, then the Legatus, the others by name, and everyone together last."""
    busy: Counter[str] = Counter()
    for it in exchanges:
        busy[it.sender] += it.nuntii
        busy[it.hearer] += it.nuntii
    kept = sorted(busy, key=lambda name: (-busy[name], name))[:MOST_NAMES]
    return sorted(kept, key=lambda name: (name != CAESAR, name != LEGATUS, name == ALL, name))


def _places(names: Sequence[str], down: int) -> dict[str, _Point]:
    """Clockwise from the top; those who speak with everybody stand opposite each other: fewer lines cross."""
    around = list(names)
    if names[:2] == [CAESAR, LEGATUS]:
        around.remove(LEGATUS)
        around.insert((len(around) + 1) // 2, LEGATUS)
    places = {}
    for number, name in enumerate(around):
        angle = 2 * math.pi * number / len(around) - math.pi / 2
        x, y = WIDTH / 2 + ACROSS * math.cos(angle), down + MARGIN + down * math.sin(angle)
        places[name] = _Point(x, y)
    return places


def _numbers(arrows: Sequence[_Arrow], dots: Sequence[_Point]) -> Iterator[str]:
    """How many, upon each arrow where it stands free; the greatest choose first, and the table has all."""
    taken = [(dot, 2.0 * DOT) for dot in dots]
    for arrow in sorted(arrows, key=lambda arrow: -arrow.said.nuntii):
        text = f"{arrow.said.nuntii:,}"
        width = len(text) * LETTER
        place = next((it for it in map(arrow.at, SPOTS) if _free(it, width, taken)), None)
        if place is not None:
            taken.append((place, width))
            where = f'x="{place.x:.1f}" y="{place.y + 5:.1f}"'
            yield f'<text class="count" text-anchor="middle" {where}>{text}</text>'


def _free(place: _Point, width: float, taken: Sequence[tuple[_Point, float]]) -> bool:
    """Whether something so wide stands upon nothing that stands there already."""
    return all(
        abs(place.x - other.x) > (width + wide) / 2 or abs(place.y - other.y) > LINE for other, wide in taken
    )


def _dot(name: str, place: _Point, down: int) -> str:
    across, below = (place.x - WIDTH / 2) / ACROSS, place.y > down + MARGIN
    if abs(across) > SIDEWAYS:
        anchor, x, y = ("start" if across > 0 else "end"), place.x + math.copysign(14, across), place.y + 5
    else:
        anchor, x, y = "middle", place.x, place.y + (28 if below else -16)
    return (
        f'<circle class="who" fill="currentColor" cx="{place.x:.1f}" cy="{place.y:.1f}" r="{DOT}"/>'
        f'<text class="name" fill="currentColor" text-anchor="{anchor}" x="{x:.1f}" y="{y:.1f}">'
        f"{_shown(name)}</text>"
    )


def _shown(name: str) -> str:
    """A name as XML can hold it, cut where it is long."""
    return escape("".join(sign if sign.isprintable() else "�" for sign in cut(name, LONGEST_NAME)))
