"""The scorecard that this version was measured with, read from the page that is packed with it.

`make scorecard` writes that page twice, alike: as `docs/scorecard.md` for who reads the repository, and
beside this module for who runs Legio.
"""

import re
from dataclasses import dataclass
from pathlib import Path

PLACE = Path(__file__).parent / "scorecard.md"
GOOD = "✅"
_SIGN = re.compile(r"^[✅❌]\s*")
_BAR = re.compile(r"(?<!\\)\|")


@dataclass(frozen=True, slots=True)
class Row:
    """One scenario: its figures as they are to be read, whether it is as it should be, and what was seen."""

    name: str
    figures: tuple[str, ...]
    good: bool
    note: str


@dataclass(frozen=True, slots=True)
class Group:
    """Scenarios that have to do with each other."""

    name: str
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class Scorecard:
    """When and where it was measured, what the words mean, the heads of the figures, and the scenarios."""

    measured: str
    explained: str
    head: tuple[str, ...]
    groups: tuple[Group, ...]


def scorecard(place: Path = PLACE) -> Scorecard | None:
    """The one that is packed; None where none was measured for this version."""
    try:
        return parsed(place.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None


def parsed(page: str) -> Scorecard:
    """The page as a value."""
    preface, *sections = re.split(r"^## ", page, flags=re.MULTILINE)
    _, *paragraphs = (" ".join(part.split()).replace("*", "") for part in preface.strip().split("\n\n"))
    tables = [_table(section) for section in sections]
    groups = tuple(
        Group(section.partition("\n")[0].strip(), tuple(_row(cells) for cells in table[1:]))
        for section, table in zip(sections, tables, strict=True)
    )
    return Scorecard(
        measured=next((it for it in paragraphs if it.startswith("Measured")), ""),
        explained=next((it for it in paragraphs if it.startswith("A turn is")), ""),
        head=tables[0][0][1:-1] if tables and tables[0] else (),
        groups=groups,
    )


def _table(section: str) -> list[tuple[str, ...]]:
    """The rows of the section's table, its head first."""
    lines = [line for line in section.splitlines() if line.startswith("|") and not line.startswith("|---")]
    return [tuple(_cell(cell) for cell in _BAR.split(line.strip())[1:-1]) for line in lines]


def _cell(text: str) -> str:
    return text.strip().replace("\\|", "|")


def _row(cells: tuple[str, ...]) -> Row:
    name, *figures, seen = cells
    return Row(name, tuple(figures), seen.startswith(GOOD), _SIGN.sub("", seen))
