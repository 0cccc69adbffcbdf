"""The feed of a whole Legio: what Caesar asked, what was done about it, and what became of it, in order."""

import signal
from collections.abc import Sequence
from pathlib import Path

import pytest

from legio.castra import Castra
from legio.clock import SystemClock
from legio.local.model import Answer
from legio.ports import Entry, EntryKind
from legio.praetorium import open_praetorium
from legio.sessions.thread import FIRST_USE, RESET
from tests.e2e.world import speaker, world
from tests.processes import station
from tests.scenes import scene, until

pytestmark = pytest.mark.cli


async def happened(castra: Castra) -> tuple[Entry, ...]:
    """All of it, as somebody else finds it in the record."""
    async with open_praetorium(castra.database, SystemClock()) as praetorium:
        return await praetorium.feed.since(0, 1000)


def of(agent: str, entries: Sequence[Entry]) -> list[tuple[str, str]]:
    """Kind and first line of what happened to one agent."""
    return [(it.kind.value, it.text.partition("\n")[0]) for it in entries if it.agent == agent]


@scene(deadline=120)
async def test_all_that_happens_is_told_in_order_and_a_restart_in_between_loses_none(tmp_path: Path) -> None:
    async with world(tmp_path) as made:
        async with made.legio():
            await made.ask("@pullo tool list_acta {}")
            await made.ask('@pullo tool read_actum {"name": "nothing"}')
            await made.ask("@pullo fail 529")
            await made.ask("ask vorenus to echo counted")
            before = await happened(made.castra)
        between = await happened(made.castra)
        async with made.legio() as legatus:
            await made.ask("@pullo echo again")
            legatus.reset("pullo")
            await made.ask("@pullo echo afresh", answers=2)
        after = await happened(made.castra)
    assert before == between == after[: len(before)]
    assert [entry.id for entry in after] == list(range(1, len(after) + 1))
    assert {entry.kind for entry in after} == set(EntryKind)

    asked, failed = of("pullo", before)[:9], of("pullo", before)[9:]
    assert [kind for kind, _ in asked] == [
        "user", "activation", "tool", "tool-success", "assistant",
        "user", "tool", "tool-error", "assistant",
    ]  # fmt: skip
    assert asked[0][1] == "@pullo tool list_acta {}"
    assert asked[1][1] == FIRST_USE
    assert (asked[2][1], asked[3][1], asked[6][1], asked[7][1]) == (
        "list_acta",
        "list_acta",
        "read_actum",
        "read_actum",
    )
    assert [kind for kind, _ in failed] == ["user", "event", "error"]
    assert failed[1][1].startswith("The model answered 529; try 1 of 1 follows")

    dispatched = [kind for kind, _ in of("legatus", before)]
    assert dispatched == ["user", "activation", "tool", "tool-success", "assistant"]
    assert [kind for kind, _ in of("vorenus", before)] == ["handoff", "activation", "assistant"]
    assert ("handoff", "echo counted") in of("vorenus", before)

    rest = of("pullo", after[len(before) :])
    assert [kind for kind, _ in rest] == ["user", "resume", "assistant", "repair", "user", "assistant"] or [
        kind for kind, _ in rest
    ] == ["user", "resume", "assistant", "user", "repair", "assistant"]
    assert ("repair", RESET) in rest


@scene(deadline=90)
async def test_what_a_tool_was_given_and_returned_is_told_without_a_secret(tmp_path: Path) -> None:
    async with world(tmp_path) as made:
        async with made.legio():
            await made.ask("@pullo remember the token is 77:" + "A" * 35)
            await made.ask("@pullo what do the acta say")
        entries = await happened(made.castra)
    tools = [entry.text for entry in entries if entry.kind.value.startswith("tool")]
    assert len(tools) >= 4
    assert any("the token is" in text for text in tools)
    assert not any("AAAA" in text for text in tools)


@scene(deadline=120)
async def test_a_kill_in_mid_turn_loses_nothing_of_what_had_happened(tmp_path: Path) -> None:
    async with station(tmp_path) as made:
        async with made.run() as process:
            await made.ask("@pullo tool list_acta {}")
            made.model.script_next(Answer("too late", delay=60))
            made.telegram.say("@vorenus echo done at last")
            await until(lambda: made.model.running, what="vorenus at work", deadline=20)
            before = await happened(made.castra)
            process.signal(signal.SIGKILL)
            await process.ends()
        killed = await happened(made.castra)
        async with made.run():
            await until(
                lambda: any(speaker(it) == "vorenus" for it in made.telegram.answers),
                what="vorenus's answer",
                deadline=30,
            )
        after = await happened(made.castra)
    assert before == killed == after[: len(before)]
    assert [kind for kind, _ in of("pullo", before)] == [
        "user", "activation", "tool", "tool-success", "assistant",
    ]  # fmt: skip
    assert [kind for kind, _ in of("vorenus", before)] == ["user", "activation"]
    begun, ended = [kind for kind, _ in of("vorenus", after[len(before) :])]
    assert begun in {"resume", "repair"}
    assert ended == "assistant"
