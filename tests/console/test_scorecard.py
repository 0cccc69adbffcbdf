"""The scorecard's page, read again as it is written; in the program it is the same as in the repository."""

from pathlib import Path

from legio.console.scorecard import PLACE, Row, parsed, scorecard
from tests.scorecard.table import HEAD, page
from tests.scorecard.test_table import BROKEN, GOOD, RESULTS, SLOW
from tests.tree import ROOT

WRITTEN = page(RESULTS, measured="2026-11-21", minutes=12.4)


def test_what_is_written_is_read() -> None:
    read = parsed(WRITTEN)
    assert read.measured.startswith("Measured on 2026-11-21 with Python ")
    assert read.measured.endswith("2 scenarios not as they should be.")
    assert read.explained.startswith("A turn is lost when it is neither answered nor told why not.")
    assert ["scenario", *read.head, "seen"] == [
        cell.strip() for cell in HEAD.splitlines()[0].strip("|").split("|")
    ]
    assert [(group.name, [row.name for row in group.rows]) for group in read.groups] == [
        (GOOD.group, [GOOD.name, SLOW.name]),
        (BROKEN.group, [BROKEN.name]),
    ]


def test_each_scenario_has_its_figures_its_judgement_and_what_was_seen() -> None:
    crashes, model = parsed(WRITTEN).groups
    assert crashes.rows[0] == Row(
        "kill -9", ("200", "1,400", "1,400", "0", "0", "2.2 s", "5 s"), good=True, note="seed 1"
    )
    assert (crashes.rows[1].good, crashes.rows[1].note) == (False, "")
    assert model.rows[0] == Row(
        "a | b", ("", "", "", "", "", "", "5 s"), good=False, note="TimeoutError: x | y"
    )


def test_a_page_without_any_scenario_is_an_empty_scorecard() -> None:
    read = parsed(page({}, measured="2026-11-21", minutes=0.0))
    assert (read.head, read.groups) == ((), ())


def test_where_none_was_measured_there_is_none(tmp_path: Path) -> None:
    assert scorecard(tmp_path / "scorecard.md") is None
    (tmp_path / "scorecard.md").write_text(WRITTEN, encoding="utf-8")
    assert scorecard(tmp_path / "scorecard.md") == parsed(WRITTEN)


def test_what_an_installed_legio_shows_is_the_page_of_the_repository() -> None:
    ours = ROOT / "docs" / "scorecard.md"
    assert PLACE.exists() == ours.exists(), f"`make scorecard` writes {ours} and {PLACE}"
    if ours.exists():
        assert PLACE.read_text(encoding="utf-8") == ours.read_text(encoding="utf-8")
        assert all(group.rows for group in parsed(PLACE.read_text(encoding="utf-8")).groups)
