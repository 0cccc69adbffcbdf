from pathlib import Path

from tests.scorecard.scenario import Figures, Scenario
from tests.scorecard.table import page, summary


async def run(_: Path) -> Figures:
    raise AssertionError


GOOD = Scenario("Crashes", "kill -9", run, bound=5.0)
SLOW = Scenario("Crashes", "slow", run, bound=1.0)
BROKEN = Scenario("Model", "a | b", run, bound=5.0)
RESULTS: dict[Scenario, Figures | str] = {
    GOOD: Figures(200, 1400, 1400, 0, 0, 2.25, "seed 1"),
    SLOW: Figures(1, 1, 1, 0, 0, 1.5),
    BROKEN: "TimeoutError: x | y",
}


def test_the_page_has_a_table_a_group_and_counts_what_is_wrong() -> None:
    written = page(RESULTS, measured="2026-11-21", minutes=12.4)
    assert "| kill -9 | 200 | 1,400 | 1,400 | 0 | 0 | 2.2 s | 5 s | ✅ seed 1 |" in written
    assert "1.5 s | 1 s | ❌" in written
    assert "❌ TimeoutError: x \\| y |" in written
    assert written.count("## ") == 2
    assert "3 scenarios, 201 faults, 1,401 turns, 0 lost, 0 doubled, 2 scenarios not" in written


def test_the_summary_names_what_is_not_as_it_should_be() -> None:
    assert [line.partition(":")[0] for line in summary(RESULTS)] == ["Crashes / slow", "Model / a | b"]
