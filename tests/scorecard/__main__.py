"""`python -m tests.scorecard [words…]`: run the scenarios whose name or group holds a word; write the page.

With words nothing is written, only printed. Exit code 1 when a scenario is not as it should be.
"""

import asyncio
import logging
import os
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest
import structlog

from legio.config import take
from tests.scorecard.scenario import Figures, Scenario
from tests.scorecard.table import page, summary

PAGE = Path(__file__).parents[2] / "docs" / "scorecard.md"


def main(words: list[str]) -> int:
    """Run them one after another, each in a folder of its own."""
    take(os.environ)
    # What runs in this process is to be silent: its log would bury the figures.
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
    from tests.scorecard.scenarios import SCENARIOS

    chosen = [
        one for one in SCENARIOS if not words or any(word in f"{one.group} {one.name}" for word in words)
    ]
    results: dict[Scenario, Figures | str] = {}
    begun = time.monotonic()
    for scenario in chosen:
        print(f"{scenario.group} / {scenario.name} …", end=" ", flush=True)
        results[scenario] = asyncio.run(_run(scenario))
        print(results[scenario], flush=True)
    minutes = (time.monotonic() - begun) / 60
    if not words:
        PAGE.write_text(
            page(results, measured=f"{datetime.now(UTC):%Y-%m-%d}", minutes=minutes), encoding="utf-8"
        )
    wrong = summary(results)
    print("\n".join(["", *wrong, f"{len(chosen)} scenarios in {minutes:.1f} minutes, {len(wrong)} wrong."]))
    return 1 if wrong or not chosen else 0


async def _run(scenario: Scenario) -> Figures | str:
    with tempfile.TemporaryDirectory(prefix="legio-") as folder:
        try:
            return await scenario.run(Path(folder))
        except (Exception, BaseExceptionGroup, pytest.fail.Exception) as error:
            # one scenario that breaks does not hide the others; what pytest raises is no Exception
            return f"{type(error).__name__}: {error}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
