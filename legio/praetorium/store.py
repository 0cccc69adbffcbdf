"""The praetorium as the composition root sees it: its ports over one database, and its own examination."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path

from legio.errors import PraetoriumError
from legio.ports import (
    Backlog,
    Chronicle,
    Clock,
    Corrections,
    Costs,
    Feed,
    Figures,
    Inbox,
    Ledger,
    Nuntii,
    Outbox,
    RollCalls,
    Schedules,
    Search,
    Settings,
    Talk,
    Threads,
    Turns,
)
from legio.praetorium.audit import audit
from legio.praetorium.backlog import backlog
from legio.praetorium.chronicle import SqliteChronicle
from legio.praetorium.corrections import SqliteCorrections
from legio.praetorium.costs import SqliteCosts
from legio.praetorium.database import Database
from legio.praetorium.feed import SqliteFeed
from legio.praetorium.figures import SqliteFigures
from legio.praetorium.inbox import SqliteInbox
from legio.praetorium.ledger import SqliteLedger
from legio.praetorium.nuntii import SqliteNuntii
from legio.praetorium.opening import open_database
from legio.praetorium.outbox import SqliteOutbox
from legio.praetorium.patience import Patience
from legio.praetorium.rollcalls import SqliteRollCalls
from legio.praetorium.schedules import SqliteSchedules
from legio.praetorium.search import SqliteSearch
from legio.praetorium.settings import SqliteSettings
from legio.praetorium.talk import SqliteTalk
from legio.praetorium.threads import SqliteThreads
from legio.praetorium.turns import SqliteTurns


@dataclass(frozen=True, slots=True)
class Praetorium:
    """The open record. Usable inside the `async with` that gave it, and from its event loop alone."""

    inbox: Inbox
    nuntii: Nuntii
    turns: Turns
    corrections: Corrections
    outbox: Outbox
    threads: Threads
    ledger: Ledger
    costs: Costs
    figures: Figures
    schedules: Schedules
    search: Search
    chronicle: Chronicle
    settings: Settings
    talk: Talk
    roll_calls: RollCalls
    feed: Feed
    database: Database
    patience: Patience

    async def check(self) -> tuple[str, ...]:
        """What is wrong with the record, as plain sentences; empty when all is well. Changes nothing."""
        try:
            return await self.database.read(audit)
        except PraetoriumError as error:
            return (str(error),)

    async def backlog(self, now: datetime) -> Backlog:
        """What is still to be done at `now`; raises `PraetoriumError` when it cannot be read."""
        return await self.database.read(partial(backlog, now=now))


@asynccontextmanager
async def open_praetorium(path: Path, clock: Clock) -> AsyncIterator[Praetorium]:
    """The praetorium at `path`, made if it is not there, closed at the end whatever happens.

    Raises `PraetoriumError` when the file is damaged, newer than this program, another program's, locked, or
    cannot be written; it is then left as it was.
    """
    patience = Patience(clock)
    async with open_database(path, patience=patience) as database:
        yield Praetorium(
            inbox=SqliteInbox(database, clock),
            nuntii=SqliteNuntii(database, clock),
            turns=SqliteTurns(database, clock),
            corrections=SqliteCorrections(database, clock),
            outbox=SqliteOutbox(database, clock),
            threads=SqliteThreads(database),
            ledger=SqliteLedger(database),
            costs=SqliteCosts(database),
            figures=SqliteFigures(database),
            schedules=SqliteSchedules(database, clock),
            search=SqliteSearch(database),
            chronicle=SqliteChronicle(database),
            settings=SqliteSettings(database),
            talk=SqliteTalk(database),
            roll_calls=SqliteRollCalls(database),
            feed=SqliteFeed(database),
            database=database,
            patience=patience,
        )
