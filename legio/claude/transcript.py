"""What the CLI's transcript of a thread tells: whether it was given a text, and what it has cost so far.

A CLI that is closed in order writes its total there and goes on from it when the thread is resumed; one
that was killed does not. So the total at a start can only be read where the CLI reads it.
"""

import json
from pathlib import Path

from legio.ports import Brief

MARK = '"type":"cost-state"'
"""The kind of line, as CLI 2.1.329 writes it; a CLI that writes none counts from zero."""


def spent(brief: Brief) -> float:
    """US dollars that a resumed CLI will count its first turn on top of; 0.0 for a new thread."""
    if not brief.resume:
        return 0.0
    return max((_last_total(path) for path in _files(brief)), default=0.0)


def holds(brief: Brief, mark: str) -> bool:
    """Whether the thread was ever given a text that holds `mark`."""
    return any(mark in path.read_text(encoding="utf-8", errors="replace") for path in _files(brief))


def _files(brief: Brief) -> list[Path]:
    return list((brief.home / "projects").glob(f"*/{brief.thread}.jsonl"))


def _last_total(path: Path) -> float:
    total = 0.0
    with path.open(encoding="utf-8", errors="replace") as lines:
        for line in lines:
            if MARK in line:
                total = _total(line)
    return total


def _total(line: str) -> float:
    try:
        state = json.loads(line)
    except ValueError:
        return 0.0  # the last line of a process that was killed while it wrote
    total = state.get("totalCostUSD")
    return float(total) if isinstance(total, int | float) else 0.0
