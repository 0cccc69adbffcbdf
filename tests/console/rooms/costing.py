"""The room *Costs and health* over a real record and a real budget."""

import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from pathlib import Path
from uuid import uuid4

from legio.bot.payload import TextMessage, encode
from legio.bot.ways import preview
from legio.config import BudgetConfig
from legio.console import Bounds, Console, Metrics
from legio.console.rooms.costs import Sources
from legio.events import Usage
from legio.nuntius import TurnState
from legio.ports import Dispatch, Ending, Parcel, Pulse, Reception
from legio.praetorium import Praetorium, columns
from tests.budget.purses import ZONE, Table, table
from tests.console.signs import WELL
from tests.praetorium.record import CHAT, answered, said

USAGE = Usage(
    input_tokens=10,
    output_tokens=200,
    cache_read_tokens=3000,
    cache_write_tokens=40000,
    cost_usd=0.25,
    model="sonnet",
)


class RecordVitals:
    """The port `Vitals` over a record; a scene sets its `reception`, and the `trouble` that it raises."""

    def __init__(self, laid: Table) -> None:
        self._laid = laid
        self.reception = Reception(silent_seconds=2.5)
        self.trouble: Exception | None = None

    async def pulse(self) -> Pulse:
        if self.trouble is not None:
            raise self.trouble
        backlog = await self._laid.praetorium.backlog(self._laid.clock.now())
        return replace(WELL, backlog=backlog, reception=self.reception)


@dataclass
class Counted:
    """What a scene needs at hand; `woken` has an entry for each time the outbox was to be looked at."""

    laid: Table
    vitals: RecordVitals
    sources: Sources
    woken: list[str] = field(default_factory=list)

    @property
    def praetorium(self) -> Praetorium:
        return self.laid.praetorium

    @property
    def now(self) -> datetime:
        return self.laid.clock.now()

    async def took(
        self,
        agent: str,
        usage: Usage = USAGE,
        *,
        back: timedelta = timedelta(),
        seconds: float = 1.5,
        state: TurnState = TurnState.ANSWERED,
    ) -> None:
        """A turn of that agent ended so long ago."""
        question = replace(said("how deep"), id=str(uuid4()))
        (turn,) = await self.praetorium.turns.admit(question, [agent])
        ending = Ending(state, None, ())
        if state is TurnState.ANSWERED:
            reply = answered("so deep", agent, turn.nuntius)
            assert reply.reply is not None
            ending = replace(reply, reply=replace(reply.reply, id=str(uuid4())))
        await self.praetorium.turns.end(turn, replace(ending, usage=usage, seconds=seconds))
        change = "UPDATE turns SET ended = ? WHERE id = ?"
        await self.praetorium.database.change(change, (columns.stamp(self.now - back), turn.id))

    async def written(self, *texts: str) -> None:
        """Messages that have to go out."""
        await self.praetorium.outbox.add([Parcel(CHAT, encode(TextMessage(text))) for text in texts])

    async def failed(self, error: str, *, final: bool = True) -> Dispatch:
        """The first that is due was tried once, and what came of it."""
        dispatch = (await self.praetorium.outbox.due())[0]
        await self.praetorium.outbox.start(dispatch)
        await self.praetorium.outbox.failed(dispatch, error, final=final, doubtful=not final)
        return dispatch


@contextlib.asynccontextmanager
async def counted(
    folder: Path, budget: BudgetConfig | None = None, *, scorecard: Path | None = None
) -> AsyncIterator[Counted]:
    """An empty record in that folder, with the room's sources over it."""
    async with table(folder, budget or BudgetConfig()) as laid:
        vitals, woken = RecordVitals(laid), list[str]()
        sources = Sources(
            console=Console(vitals, Metrics(), Bounds(turn_seconds=100)),
            figures=laid.praetorium.figures,
            caps=laid.budget.today,
            ledger=laid.praetorium.ledger,
            clock=laid.clock,
            zone=ZONE,
            preview=preview,
            wake=lambda: woken.append("woken"),
            scorecard=scorecard or folder / "scorecard.md",
        )
        yield Counted(laid, vitals, sources, woken)
