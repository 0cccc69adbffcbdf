from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path

import pytest

from legio.events import Usage
from legio.nuntius import TurnState
from legio.ports import Ending, Expense
from legio.praetorium import Praetorium
from tests.praetorium.record import START, StillClock, answered, praetorium_in, said
from tests.scenes import scene

USAGE = Usage(input_tokens=1, output_tokens=20, cache_read_tokens=300, cache_write_tokens=4000, cost_usd=0.25)
DAY = timedelta(days=1)


async def spent(praetorium: Praetorium, agent: str, usage: Usage, *, asked_by: str = "caesar") -> None:
    """One turn of that agent that took so much and ends now."""
    question = replace(said("how deep", asked_by), id=f"{agent}-{await praetorium.turns.tally()}")
    (turn,) = await praetorium.turns.admit(question, [agent])
    answer = answered(f"so deep {turn.id}", agent, turn.nuntius)
    await praetorium.turns.end(turn, replace(answer, usage=usage))


@scene
async def test_what_was_spent_is_added_up_by_agent_in_its_span(tmp_path: Path) -> None:
    clock = StillClock()
    async with praetorium_in(tmp_path, clock) as praetorium:
        for agent in ("vorenus", "legatus", "vorenus"):
            await spent(praetorium, agent, USAGE)
            clock.moment += DAY
        costs = praetorium.costs
        legatus, vorenus = Expense("legatus", 1, 4321, 0.25), Expense("vorenus", 1, 4321, 0.25)

        assert await costs.expenses(START) == (legatus, replace(vorenus, turns=2, tokens=8642, usd=0.5))
        assert await costs.expenses(START, START + DAY) == (vorenus,)
        assert await costs.expenses(START + DAY, START + 2 * DAY) == (legatus,)
        assert await costs.expenses(START + 3 * DAY) == ()


@scene
async def test_a_turn_that_failed_counts_and_one_that_runs_or_was_free_does_not(tmp_path: Path) -> None:
    async with praetorium_in(tmp_path) as praetorium:
        (failed, running) = await praetorium.turns.admit(said("how deep"), ["pullo", "brutus"])
        await praetorium.turns.end(failed, Ending(TurnState.FAILED, None, (), usage=USAGE))
        await spent(praetorium, "legatus", Usage())

        assert [it.agent for it in await praetorium.costs.expenses(START)] == ["pullo"]
        assert running.agent == "brutus"


@scene
async def test_an_empty_record_has_cost_nothing(tmp_path: Path) -> None:
    async with praetorium_in(tmp_path) as praetorium:
        assert await praetorium.costs.expenses(START) == ()
        assert await praetorium.costs.latest("legatus", 20) == ()


@scene
async def test_the_last_costs_come_newest_first_and_none_was_free(tmp_path: Path) -> None:
    clock = StillClock()
    async with praetorium_in(tmp_path, clock) as praetorium:
        for usd in (0.1, 0.2, 0.0, 0.3):
            clock.moment += timedelta(seconds=1)
            await spent(praetorium, "pullo", Usage(input_tokens=1, cost_usd=usd))
        await spent(praetorium, "brutus", USAGE)

        assert await praetorium.costs.latest("pullo", 20) == (0.3, 0.2, 0.1)
        assert await praetorium.costs.latest("pullo", 2) == (0.3, 0.2)


@scene
async def test_raises_add_up_within_their_day_and_outlive_the_process(tmp_path: Path) -> None:
    today = date(2026, 11, 21)
    async with praetorium_in(tmp_path) as praetorium:
        await praetorium.costs.raise_caps(today, {"": 2.5, "pullo": 0.5})
        await praetorium.costs.raise_caps(today, {"": 2.5})
    async with praetorium_in(tmp_path) as praetorium:
        assert await praetorium.costs.raised(today) == {"": pytest.approx(5.0), "pullo": 0.5}
        assert await praetorium.costs.raised(today + DAY) == {}
