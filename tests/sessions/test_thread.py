from dataclasses import replace
from pathlib import Path

import pytest

from legio.ports import Brief, Request, Tool
from legio.sessions.thread import fingerprint


async def approve(_: Request) -> bool:
    return True


async def run(_: object) -> str:
    return ""


BRIEF = Brief("vorenus", "prompt", {"memoria": ()}, Path("work"), Path("home"), approve, history_window=50)


@pytest.mark.parametrize(
    "changed",
    [
        replace(BRIEF, system_prompt="other"),
        replace(BRIEF, model="opus"),
        replace(BRIEF, effort="high"),
        replace(BRIEF, grants=("Read",)),
        replace(BRIEF, asks=("Bash",)),
        replace(BRIEF, servers={"memoria": (Tool("list_acta", "", {}, run),)}),
    ],
)
def test_whatever_a_process_cannot_be_told_to_change_makes_another_one(changed: Brief) -> None:
    assert fingerprint(changed) != fingerprint(BRIEF)


def test_what_only_concerns_a_turn_needs_no_other_process() -> None:
    changed = replace(BRIEF, history_window=3, thread="t", resume=True)
    assert fingerprint(changed) == fingerprint(BRIEF)
