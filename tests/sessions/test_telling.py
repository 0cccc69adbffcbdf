"""The row of a thread, from end to end: what each kind of end leaves of it."""

from dataclasses import replace
from pathlib import Path

import pytest

from legio.events import Answered, End, Failed, Fault, Stopped, Usage
from legio.ports import Brief, Process, Request, Thread
from legio.sessions.telling import closes, left, untold
from legio.sessions.thread import CONTEXT_FULL, FIRST_USE, Ready
from tests.fakes import ScriptedAgent, Stage

USAGE = Usage(context_tokens=300, cost_usd=0.5)
TOLD = Thread(
    "vorenus",
    id="t",
    cursor=9,
    previous=5,
    asked="question",
    mark="m",
    marked=5,
    since=2,
    process=Process(7, 1.0),
    context_tokens=100,
    cost_usd=1.0,
)
"""A thread that was told all up to 9 and has not answered; up to 5 all is well."""
SPENT = replace(TOLD, context_tokens=300, cost_usd=1.5)


@pytest.mark.parametrize(
    ("end", "row"),
    [
        (Answered("salve", USAGE, mark="n"), replace(SPENT, asked="", mark="n", marked=9)),
        (Answered("salve", USAGE), replace(SPENT, asked="")),
        (Stopped(USAGE), replace(SPENT, asked="")),
        (Failed(Fault.RATE_LIMIT, "", USAGE), replace(SPENT, asked="")),
        (Failed(Fault.RATE_LIMIT, "", USAGE, barren=True), replace(SPENT, asked="", spoiled=True, cursor=5)),
        (Failed(Fault.CRASHED, "", USAGE), SPENT),
        (Failed(Fault.STALLED, "", USAGE), SPENT),
        (
            Failed(Fault.CONTEXT_FULL, "", USAGE),
            Thread("vorenus", cursor=2, previous=2, marked=2, since=2, reason=CONTEXT_FULL, cost_usd=1.5),
        ),
    ],
)
def test_each_end_leaves_what_the_next_turn_has_to_know(end: End, row: Thread) -> None:
    assert left(TOLD, end) == row


def test_an_answer_behind_a_spoiled_question_makes_the_thread_whole() -> None:
    assert left(replace(TOLD, spoiled=True), Answered("salve", USAGE, mark="n")).spoiled is False


def test_a_size_that_was_not_said_is_the_one_before() -> None:
    assert left(TOLD, Stopped()) == replace(TOLD, asked="")


@pytest.mark.parametrize("fault", Fault)
def test_a_process_is_ended_that_cannot_be_trusted_and_no_other(fault: Fault) -> None:
    doubtful = {Fault.CRASHED, Fault.STALLED, Fault.TOO_LONG, Fault.INTERNAL, Fault.CONTEXT_FULL}
    assert closes(Failed(fault, "")) is (fault in doubtful)
    assert not closes(Answered("salve", USAGE))
    assert not closes(Stopped())


@pytest.mark.parametrize(("new", "kept"), [("", "t"), (FIRST_USE, None)])
def test_a_thread_that_was_told_nothing_stands_as_it_stood_and_a_new_one_never_was(
    new: str, kept: str | None
) -> None:
    async def approve(_: Request) -> bool:
        return True

    brief = Brief("vorenus", "prompt", {}, Path("work"), Path("home"), approve, history_window=50)
    ready = Ready(ScriptedAgent(Stage(), brief), TOLD, brief, new=new)
    assert untold(ready) == replace(TOLD, id=kept)
