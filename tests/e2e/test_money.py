"""Money through the real CLI: what a turn costs is counted once, and what a day may cost is asked before."""

import contextlib
import os
import signal
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from legio.bot.commands.money import CENT
from legio.clock import SystemClock
from legio.config import BudgetConfig
from legio.events import Usage
from legio.local.botapi.message import Message
from legio.nuntius import Tally
from legio.praetorium import open_praetorium
from tests.e2e.world import World, lasting, world
from tests.scenes import scene, until

pytestmark = pytest.mark.cli

MODEL = "claude-haiku-4-5"
IN, OUT, READ, WRITTEN = 1.0, 5.0, 0.1, 1.25
"""Its prices in US dollars for a million tokens, by Anthropic's list, which the CLI knows too."""


async def usages(made: World) -> list[tuple[str, Usage]]:
    """What each turn took, in order, with its agent."""
    query = "SELECT * FROM turns WHERE ended IS NOT NULL ORDER BY id"
    async with open_praetorium(made.castra.database, SystemClock()) as record:
        rows = await record.database.rows(query)
    names = ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens", "cost_usd")
    return [(row["agent"], Usage(**{name: row[name] for name in names})) for row in rows]


async def tallied(made: World) -> Tally:
    async with open_praetorium(made.castra.database, SystemClock()) as record:
        return await record.turns.tally()


def price(usage: Usage) -> float:
    """What those tokens cost."""
    read, written = usage.cache_read_tokens * READ, usage.cache_write_tokens * WRITTEN
    return (usage.input_tokens * IN + usage.output_tokens * OUT + read + written) / 1e6


async def kill(made: World, agent: str) -> None:
    """End the agent's process as a crash would."""
    async with open_praetorium(made.castra.database, SystemClock()) as record:
        thread = await record.threads.load(agent)
    assert thread is not None
    assert thread.process is not None
    os.killpg(thread.process.pid, signal.SIGKILL)


@scene(deadline=120)
async def test_a_turns_cost_is_its_own_through_sleep_wake_kill_and_reset(tmp_path: Path) -> None:
    async with world(tmp_path, model=MODEL) as made, made.legio() as legatus:
        await made.ask("@vorenus one")
        await made.ask("@vorenus two")
        await legatus.sessions.of("vorenus").rest()
        await made.ask("@vorenus three, after a sleep")
        await kill(made, "vorenus")
        await made.ask("@vorenus four, after a kill")
        legatus.reset("vorenus")
        await made.ask("@vorenus five, after a reset", answers=2)
        await made.ask("ask pullo to echo six")
        counted = await usages(made)
        table, picture = await made.ask("/cost", answers=2)
    agents = [agent for agent, _ in counted]
    assert agents == [*["vorenus"] * 5, "legatus", "pullo"], (
        "who did the work of a dispatch is charged for it"
    )
    for agent, usage in counted:
        assert usage.cost_usd == pytest.approx(price(usage)), agent
    rows = dict(
        line.split()[:2]
        for line in table.text.plain.split("tokens")[0].splitlines()
        if "$" in line and "US" not in line
    )
    spent = {name: sum(usage.cost_usd for agent, usage in counted if agent == name) for name in agents}
    spent["total"] = sum(spent.values())
    assert rows == {name: f"${usd:.2f}" if usd >= CENT else "<$.01" for name, usd in spent.items()}
    assert [entity.type for entity in table.text.entities] == ["pre"]
    assert picture.media is not None
    assert picture.media.kind == "photo"


def labels(card: Message) -> list[str]:
    return [button.label for row in card.keyboard for button in row]


def called(made: World) -> str:
    """All roll-calls that were shown."""
    shown = [message.text.plain for message in made.telegram.messages if not lasting(message)]
    sent = [str(call.arguments.get("text")) for call in made.telegram.calls]
    return "\n".join([*shown, *(text for text in sent if "⏳" in text)])


@contextlib.asynccontextmanager
async def poor(tmp_path: Path) -> AsyncIterator[World]:
    """A world in which the first turn takes all that a day may cost."""
    budget = BudgetConfig(day_usd=0.01)
    async with world(tmp_path, model="claude-sonnet-4-5", budget=budget) as made:
        yield made


@scene(deadline=120)
async def test_above_the_budget_all_who_wait_are_on_one_card_and_may_answer_cheaply(tmp_path: Path) -> None:
    async with poor(tmp_path) as made, made.legio():
        await made.ask("@vorenus one")
        (card,) = await made.ask("@vorenus @pullo two")
        (status,) = await made.ask("/status")
        await until(
            lambda: "vorenus waiting for your word on the budget" in called(made), what="the roll-call"
        )
        before = {message.id for message in made.telegram.messages}
        cheaper = await made.press(card, "Once with haiku")
        await made.answers(before, 2)
        models = [request.model for request in made.requests("vorenus")]
        (card_again,) = await made.ask("@vorenus three")
        before = {message.id for message in made.telegram.messages}
        stopped = await made.press(card_again, "Stop")
        (said,) = await made.answers(before, 1)
    assert "Waiting for your word: " in card.text.plain
    assert labels(card) == ["+200 % for today", "Once with haiku", "Stop"]
    assert status.text.plain.count("waiting for your word on the budget") == 2, "both, and on one card"
    assert cheaper.text.plain.endswith(("haiku: vorenus, pullo.", "haiku: pullo, vorenus."))
    assert ("sonnet" in models[0], "haiku" in models[1]) == (True, True)
    assert stopped.text.plain.endswith("stopped: vorenus.")
    assert said.text.plain == "⏹ vorenus: stopped."


@scene(deadline=120)
async def test_who_waits_at_a_restart_is_asked_about_again_and_a_raise_lets_him_answer(
    tmp_path: Path,
) -> None:
    async with poor(tmp_path) as made:
        async with made.legio():
            await made.ask("@pullo one")
            (card,) = await made.ask("@pullo two")
            before = {message.id for message in made.telegram.messages}
        async with made.legio() as legatus:
            _, again = await made.answers(before, 2)
            before = {message.id for message in made.telegram.messages}
            raised = await made.press(again, labels(again)[0])
            (answer,) = await made.answers(before, 1)
            (cost,) = [it for it in await made.ask("/cost", answers=2) if it.media is None]
            tally = await tallied(made)
            assert all(not session.held for session in legatus.sessions.all())
    assert labels(card) == labels(again)
    assert " for today" in labels(again)[0]
    assert "→ raised for today: everybody +$0.0" in raised.text.plain
    assert "“two”" in answer.text.plain
    assert cost.text.plain.splitlines()[-1].startswith("Budget today: $0.0")
    assert tally == Tally(received=2, answered=2, failed=0, stopped=0, expired=0, pending=0)
