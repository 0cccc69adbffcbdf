"""The scorecard as a page: one table a group, and a word on where and when it was measured.

`legio.console.scorecard` reads it again.
"""

import platform
from collections.abc import Mapping, Sequence

from tests.scorecard.scenario import Figures, Scenario, good

HEAD = (
    "| scenario | tries | received | answered | lost | doubled | worst recovery | bound | seen |\n"
    "|---|--:|--:|--:|--:|--:|--:|--:|---|\n"
)


def page(results: Mapping[Scenario, Figures | str], *, measured: str, minutes: float) -> str:
    """`docs/scorecard.md`; a scenario that could not be run to its end has its error for figures."""
    groups = list(dict.fromkeys(scenario.group for scenario in results))
    sections = [
        f"## {group}\n\n{HEAD}" + "".join(_row(one, results[one]) for one in results if one.group == group)
        for group in groups
    ]
    total = [figures for figures in results.values() if isinstance(figures, Figures)]
    failed = [one for one, figures in results.items() if not _good(one, figures)]
    head = (
        "# Scorecard\n\n"
        "What Legio loses when everything around it fails: the real python-telegram-bot, Agent SDK and CLI\n"
        "against the embedded servers. `make scorecard` measures it again and writes this page.\n\n"
        f"Measured on {measured} with Python {platform.python_version()} in {minutes:.0f} minutes: "
        f"{len(results)} scenarios, {sum(figures.tries for figures in total):,} faults, "
        f"{sum(figures.received for figures in total):,} turns, "
        f"{sum(figures.lost for figures in total)} lost, "
        f"{sum(figures.doubled for figures in total)} doubled, "
        f"{len(failed)} scenarios not as they should be.\n\n"
        "A turn is *lost* when it is neither answered nor told why not. An answer is *doubled* when it\n"
        "comes twice without the mark ♻️. *Recovery* runs from the end of a fault to the next answer.\n\n"
    )
    return head + "\n".join(sections)


def summary(results: Mapping[Scenario, Figures | str]) -> Sequence[str]:
    """A line for each scenario that is not as it should be."""
    return [f"{one.group} / {one.name}: {results[one]}" for one in results if not _good(one, results[one])]


def _good(scenario: Scenario, figures: Figures | str) -> bool:
    return isinstance(figures, Figures) and good(scenario, figures)


def _row(scenario: Scenario, figures: Figures | str) -> str:
    if isinstance(figures, str):
        return f"| {_cell(scenario.name)} | | | | | | | {scenario.bound:g} s | ❌ {_cell(figures)} |\n"
    sign = "✅" if good(scenario, figures) else "❌"
    cells = (
        _cell(scenario.name),
        f"{figures.tries:,}",
        f"{figures.received:,}",
        f"{figures.answered:,}",
        str(figures.lost),
        str(figures.doubled),
        f"{figures.recovery:.1f} s",
        f"{scenario.bound:g} s",
        f"{sign} {_cell(figures.note)}",
    )
    return f"| {' | '.join(cells)} |\n"


def _cell(text: str) -> str:
    return " ".join(text.replace("|", "\\|").split())[:300]
