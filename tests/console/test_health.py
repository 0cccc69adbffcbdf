"""What is a good sign and what is a bad one."""

from dataclasses import replace

import pytest

from legio.console.health import ENDING_SECONDS, INBOX_SECONDS, Bounds, complaints
from legio.ports import Backlog, Pulse, Reception
from tests.console.signs import FULL, TALLY, WELL

BOUNDS = Bounds(turn_seconds=100)
DEAF = replace(WELL, reception=Reception(deaf="Nothing was heard."))


def waiting(*, inbox: float = 0.0, slowest: float = 0.0, uptime: float = 3600.0) -> Pulse:
    backlog = Backlog(TALLY, inbox=1, inbox_seconds=inbox, slowest="pullo", slowest_seconds=slowest)
    return replace(WELL, backlog=backlog, uptime_seconds=uptime)


@pytest.mark.parametrize(
    "pulse",
    [
        WELL,
        FULL,
        waiting(inbox=INBOX_SECONDS),
        waiting(slowest=100 + ENDING_SECONDS),
        waiting(inbox=9_000, slowest=9_000, uptime=30),
    ],
    ids=["idle", "busy", "the inbox within its bound", "a turn within its bound", "what waited while down"],
)
def test_nothing_is_wrong_with(pulse: Pulse) -> None:
    assert complaints(pulse, BOUNDS) == ()


@pytest.mark.parametrize(
    ("pulse", "said"),
    [
        (DEAF, "Nothing was heard."),
        (waiting(inbox=61), "An update has waited in the inbox for 61 s."),
        (waiting(slowest=161), "pullo has owed an answer for 161 s."),
    ],
)
def test_what_is_wrong_is_said(pulse: Pulse, said: str) -> None:
    assert complaints(pulse, BOUNDS) == (said,)


def test_everything_that_is_wrong_is_said_at_once() -> None:
    ill = replace(waiting(inbox=61, slowest=161), reception=DEAF.reception)
    assert len(complaints(ill, BOUNDS)) == 3
