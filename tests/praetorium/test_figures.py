"""What turns took by day, agent and model, on the owner's days."""

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from legio.days import last_days
from legio.events import Usage
from legio.nuntius import TurnState
from legio.ports import Ending, Figure
from legio.praetorium import Praetorium
from tests.praetorium.record import START, StillClock, answered, praetorium_in, said
from tests.scenes import scene

ZURICH = ZoneInfo("Europe/Zurich")
TODAY = date(2026, 11, 21)
USAGE = Usage(
    input_tokens=1,
    output_tokens=20,
    cache_read_tokens=300,
    cache_write_tokens=4000,
    cost_usd=0.25,
    model="sonnet",
)
ONE = Figure(TODAY, "vorenus", "sonnet", 1, 0, 1, 20, 300, 4000, 0.25, 1.5)


async def ended(
    praetorium: Praetorium, agent: str, state: TurnState = TurnState.FAILED, usage: Usage = USAGE
) -> None:
    """One turn of that agent, asked and ended now, that took a second and a half."""
    question = replace(said("how deep"), id=f"{agent}-{await praetorium.turns.tally()}")
    (turn,) = await praetorium.turns.admit(question, [agent])
    ending = Ending(state, None, ())
    if state is TurnState.ANSWERED:
        ending = answered(f"so deep {turn.id}", agent, turn.nuntius)
    await praetorium.turns.end(turn, replace(ending, usage=usage, seconds=1.5))


@scene
async def test_what_ended_on_a_day_is_added_up_by_agent_and_model(tmp_path: Path) -> None:
    async with praetorium_in(tmp_path) as praetorium:
        for agent in ("vorenus", "legatus", "vorenus"):
            await ended(praetorium, agent, TurnState.ANSWERED)
        await ended(praetorium, "vorenus", TurnState.ANSWERED, replace(USAGE, model="haiku", cost_usd=0.01))

        found = await praetorium.figures.of([TODAY], ZURICH)

        assert found == (
            replace(ONE, agent="legatus"),
            replace(ONE, model="haiku", usd=0.01),
            Figure(TODAY, "vorenus", "sonnet", 2, 0, 2, 40, 600, 8000, 0.5, 3.0),
        )


@scene
async def test_every_end_is_a_turn_and_those_that_failed_or_expired_are_failures(tmp_path: Path) -> None:
    ends = (TurnState.ANSWERED, TurnState.FAILED, TurnState.STOPPED, TurnState.EXPIRED)
    async with praetorium_in(tmp_path) as praetorium:
        for state in ends:
            await ended(praetorium, "pullo", state, Usage())
        await praetorium.turns.admit(said("not answered yet"), ["brutus"])

        (found,) = await praetorium.figures.of([TODAY], ZURICH)

        assert found == Figure(TODAY, "pullo", "", 4, 2, 0, 0, 0, 0, 0.0, 6.0)


@pytest.mark.parametrize(
    ("moment", "day"),
    [
        (datetime(2026, 11, 20, 22, 59, 59, tzinfo=UTC), date(2026, 11, 20)),
        (datetime(2026, 11, 20, 23, 0, tzinfo=UTC), date(2026, 11, 21)),
        (datetime(2026, 10, 25, 22, 30, tzinfo=UTC), date(2026, 10, 25)),  # a day of 25 hours
        (datetime(2026, 3, 28, 23, 0, tzinfo=UTC), date(2026, 3, 29)),  # one of 23
        (datetime(2026, 3, 29, 22, 0, tzinfo=UTC), date(2026, 3, 30)),
    ],
)
@scene
async def test_a_turn_counts_on_the_owners_day_on_which_it_ended(
    tmp_path: Path, moment: datetime, day: date
) -> None:
    clock = StillClock()
    clock.moment = moment
    async with praetorium_in(tmp_path, clock) as praetorium:
        await ended(praetorium, "vorenus")
        around = [day + timedelta(days=offset) for offset in (-1, 0, 1)]

        assert [it.day for it in await praetorium.figures.of(around, ZURICH)] == [day]


@scene
async def test_days_come_in_their_order_and_none_where_nothing_ended(tmp_path: Path) -> None:
    clock = StillClock()
    async with praetorium_in(tmp_path, clock) as praetorium:
        assert await praetorium.figures.of(last_days(TODAY, 90), ZURICH) == ()
        for back in (40, 5, 0):
            clock.moment = START - timedelta(days=back)
            await ended(praetorium, "vorenus")

        found = await praetorium.figures.of(last_days(TODAY, 30), ZURICH)

        assert [(TODAY - it.day).days for it in found] == [5, 0]


@scene
async def test_all_is_found_by_the_index_of_what_was_spent(tmp_path: Path) -> None:
    from legio.praetorium.figures import _FIGURES

    async with praetorium_in(tmp_path) as praetorium:
        plan = await praetorium.database.rows(f"EXPLAIN QUERY PLAN {_FIGURES}", ("2026", "2027"))
        steps = [row["detail"] for row in plan]

    assert any("SEARCH turns USING INDEX turns_spent (agent=? AND ended>? AND ended<?)" in it for it in steps)
    assert not [it for it in steps if it.startswith("SCAN turns")], steps
