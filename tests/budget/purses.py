"""A budget over a real record, with its one task at work, and a Caesar who reads his cards."""

import asyncio
import contextlib
import uuid
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

from legio.budget import Budget
from legio.budget.purse import GATHER_SECONDS, Means
from legio.config import BudgetConfig
from legio.decisions import Decisions
from legio.events import Usage
from legio.nuntius import Turn, TurnState
from legio.ports import Button, Costs, Ending, Expense
from legio.praetorium import Praetorium, open_praetorium
from tests.clocks import FakeClock
from tests.praetorium.record import said
from tests.scenes import TICK_SECONDS

ZONE = ZoneInfo("Europe/Rome")


@dataclass
class Table:
    """What a scene needs at hand; `cards` is what Caesar was asked, each with its buttons."""

    budget: Budget
    praetorium: Praetorium
    decisions: Decisions
    clock: FakeClock
    cards: list[tuple[str, tuple[Button, ...]]] = field(default_factory=list)

    async def tell(self, text: str, buttons: Sequence[Button]) -> None:
        self.cards.append((text, tuple(buttons)))

    async def turn(self, agent: str = "vorenus") -> Turn:
        """A turn that is written and has not begun."""
        question = replace(said("how deep"), id=str(uuid.uuid4()))
        (turn,) = await self.praetorium.turns.admit(question, [agent])
        return turn

    async def spent(self, usd: float, agent: str = "vorenus") -> None:
        """A turn of that agent cost so much and has ended."""
        await self.end(await self.turn(agent), usd)

    async def end(self, turn: Turn, usd: float) -> None:
        """The turn ends and has cost so much."""
        usage = Usage(input_tokens=1, cost_usd=usd)
        await self.praetorium.turns.end(turn, Ending(TurnState.FAILED, None, (), usage=usage))
        self.budget.release(turn)

    async def asked(self, count: int = 1) -> tuple[str, dict[str, Button]]:
        """The card of that number, and its buttons by their labels."""
        async with asyncio.timeout(10):
            while len(self.cards) < count:
                self.clock.advance(GATHER_SECONDS)
                await asyncio.sleep(TICK_SECONDS)
        text, buttons = self.cards[count - 1]
        return text, {button.label: button for button in buttons}

    async def press(self, label: str, *, card: int = 1) -> str:
        """Caesar presses that button of that card; returns what is written on it."""
        _, buttons = await self.asked(card)
        return await self.decisions.press(buttons[label].data)


class SlowCosts:
    """A record that raises no cap before the gate is open."""

    def __init__(self, costs: Costs, gate: asyncio.Event) -> None:
        self._costs = costs
        self._gate = gate

    async def expenses(self, start: datetime, end: datetime | None = None) -> tuple[Expense, ...]:
        return await self._costs.expenses(start, end)

    async def latest(self, agent: str, count: int) -> tuple[float, ...]:
        return await self._costs.latest(agent, count)

    async def raised(self, day: date) -> Mapping[str, float]:
        return await self._costs.raised(day)

    async def raise_caps(self, day: date, raises: Mapping[str, float]) -> None:
        await self._gate.wait()
        await self._costs.raise_caps(day, raises)


@contextlib.asynccontextmanager
async def table(
    folder: Path,
    config: BudgetConfig,
    clock: FakeClock | None = None,
    *,
    gate: asyncio.Event | None = None,
) -> AsyncIterator[Table]:
    """A budget at work on the record in `folder`."""
    clock = clock or FakeClock()
    async with open_praetorium(folder / "praetorium.db", clock) as praetorium:
        decisions = Decisions(clock)

        async def tell(text: str, buttons: Sequence[Button]) -> None:
            await laid.tell(text, buttons)

        costs = praetorium.costs if gate is None else SlowCosts(praetorium.costs, gate)
        budget = Budget(config, Means(costs, decisions, clock, tell, ZONE))
        laid = Table(budget, praetorium, decisions, clock)
        tasks = [asyncio.create_task(budget.run()), asyncio.create_task(decisions.expire())]
        try:
            yield laid
        finally:
            for task in tasks:
                task.cancel()
            ends = await asyncio.gather(*tasks, return_exceptions=True)
        assert all(isinstance(end, asyncio.CancelledError) for end in ends), ends
