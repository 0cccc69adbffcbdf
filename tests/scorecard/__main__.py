"""`python -m tests.scorecard [words…]`: run the scenarios whose name or group holds a word; write the page.

With words nothing is written, only printed. Exit code 1 when a scenario is not as it should be.
"""

import os
import sys
import time
from datetime import UTC, datetime
from pathlib import Path

from legio.config import take
from legio.console.scorecard import PLACE
from tests.scorecard.lanes import run
from tests.scorecard.table import page, summary

PAGES = (Path(__file__).parents[2] / "docs" / "scorecard.md", PLACE)
"""The page of the repository, and its like that an installed Legio shows."""


def main(words: list[str]) -> int:
    """Run them, each in a folder and a process of its own."""
    take(os.environ)
    from tests.scorecard.scenarios import SCENARIOS

    chosen = [
        one for one in SCENARIOS if not words or any(word in f"{one.group} {one.name}" for word in words)
    ]
    begun = time.monotonic()
    results = run(chosen)
    minutes = (time.monotonic() - begun) / 60
    if not words:
        written = page(results, measured=f"{datetime.now(UTC):%Y-%m-%d}", minutes=minutes)
        for place in PAGES:
            place.write_text(written, encoding="utf-8")
    wrong = summary(results)
    print("\n".join(["", *wrong, f"{len(chosen)} scenarios in {minutes:.1f} minutes, {len(wrong)} wrong."]))
    return 1 if wrong or not chosen else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
