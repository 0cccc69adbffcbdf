"""The commands over a legion without Telegram."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from legio.attachments import Depot
from legio.bot.commands import Commands
from legio.bot.desk import Desk, Sight
from legio.bot.pace import Budget
from legio.bot.pages import Pages
from legio.clock import SystemClock
from legio.config import BudgetConfig
from legio.memoria.store import FileMemoria
from legio.standing import QuietHours
from legio.tuning import Tuning
from tests.camp import Legion, Setting, legion
from tests.fakes import Stage
from tests.surveys import survey_of


def sight_of(camp: Legion) -> Sight:
    """What the commands look with, over this legion."""
    record, zone = camp.praetorium, camp.standing.zone
    pages = Pages(record.search, camp.clock, Budget(camp.clock), zone)
    tuning = Tuning(record.settings, model=None)
    return Sight(pages, record.threads, tuning, record.costs, camp.clock, zone, 150_000, 50)


def desk_of(camp: Legion, memoria: FileMemoria) -> Desk:
    """What the commands work with, over this legion."""
    return Desk(
        camp.legatus,
        camp.sessions,
        camp.roster,
        camp.recruiting,
        camp.decisions,
        memoria,
        camp.praetorium.nuntii,
        camp.praetorium.turns,
        camp.praetorium.ledger,
        camp.messenger,
        standing=camp.standing,
        quiet=QuietHours(camp.praetorium.settings, camp.clock, camp.standing.zone),
        sight=sight_of(camp),
        depot=Depot(camp.castra),
        budget=camp.budget,
        survey=survey_of(camp, max_context_tokens=150_000),
    )


@asynccontextmanager
async def desk(
    tmp_path: Path, stage: Stage | None = None, *, budget: BudgetConfig | None = None
) -> AsyncIterator[tuple[Commands, Legion, FileMemoria]]:
    setting = Setting(budget=budget or BudgetConfig())
    async with legion(tmp_path / "castra", stage or Stage(), setting) as camp:
        memoria = FileMemoria(camp.castra, SystemClock())
        yield Commands(desk_of(camp, memoria)), camp, memoria
