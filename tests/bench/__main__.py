"""`python -m tests.bench`: all figures of one run as a table; exit code 1 when a bound is missed."""

import asyncio
import os
import signal
import sys
from typing import TextIO

from legio.config import take
from tests.bench.report import missed, table
from tests.bench.run import FULL, measure


def main() -> int:
    """Measure, tell, and judge."""
    take(os.environ)  # before anything is started: no figure is taken against anybody's account
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # or what was started would outlive the bench
    report = asyncio.run(measure(FULL, say=lambda word: _tell(word, sys.stderr)))
    _tell(f"\n{report.machine}\n\n{table(report.figures)}\n", sys.stdout)
    misses = missed(report.figures)
    _tell(f"Missed: {'; '.join(misses)}." if misses else "Every bound is met.", sys.stdout)
    return 1 if misses else 0


def _tell(words: str, stream: TextIO) -> None:
    print(words, file=stream, flush=True)


if __name__ == "__main__":
    sys.exit(main())
