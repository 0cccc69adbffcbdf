"""A whole legion without Telegram and without a model: real record, real castra, scripted agents."""

import asyncio
import contextlib
import itertools
import json
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

from legio.attachments import Depot, Opening
from legio.budget import Budget, Means
from legio.castra import Castra
from legio.clock import SystemClock
from legio.config import BudgetConfig
from legio.decisions import Decisions
from legio.legatus import Edit, Legatus, Said
from legio.nuntius import Nuntius, Turn
from legio.ports import Brief, Clock, Letter, Request
from legio.praetorium import Praetorium, open_praetorium
from legio.record import Record
from legio.recruiting import Recruiting
from legio.roster import Roster
from legio.sessions import Bounds, Camp, Limits, Outcome, Sessions
from legio.standing import Standing
from tests.fakes import NotingMessenger, Stage
from tests.scenes import TICK_SECONDS, until

RECEIVED = datetime(2026, 11, 21, tzinfo=UTC)
NAMES = ("brutus", "pullo", "vorenus")


def write_castra(root: Path, names: tuple[str, ...] = NAMES) -> Castra:
    """A castra with a Legatus and centuriones of those names."""
    castra = Castra(root)
    for name in ("legatus", *names):
        castra.post(name).mkdir(parents=True)
        castra.prompt(name).write_text(f"---\ndescription: {name}'s work\n---\nYou are {name}.\n")
    return castra


def standing_castra(root: Path) -> Castra:
    """The castra at `root`, as it stands or newly written."""
    return Castra(root) if root.exists() else write_castra(root)


@dataclass
class Legion:
    """What a scene needs at hand."""

    castra: Castra
    stage: Stage
    praetorium: Praetorium
    messenger: NotingMessenger
    roster: Roster
    decisions: Decisions
    legatus: Legatus
    sessions: Sessions
    recruiting: Recruiting
    ended: list[Turn]
    clock: Clock
    standing: Standing
    budget: BudgetConfig
    updates: Iterator[int] = field(default_factory=lambda: itertools.count(1))

    async def say(self, text: str, *, reply_to: int | None = None) -> tuple[Turn, ...]:
        """Caesar writes; his Telegram message has the update's number."""
        update_id = next(self.updates)
        await self.praetorium.inbox.put(Letter(update_id, "{}", RECEIVED))
        return await self.legatus.hear(Said(text, update_id, update_id, reply_to))

    async def letter(self) -> int:
        """An update that has come in and is not taken yet."""
        update_id = next(self.updates)
        await self.praetorium.inbox.put(Letter(update_id, "{}", RECEIVED))
        return update_id

    async def edit(self, message: int, text: str) -> Edit:
        """Caesar edits his message."""
        return await self.legatus.edit(Said(text, await self.letter(), message))

    async def settled(self, ended: int) -> None:
        """Wait until that many turns have ended."""
        await until(lambda: len(self.ended) >= ended, what=f"{ended} ended turns")

    async def record(self) -> list[Nuntius]:
        """All that has been said, oldest first."""
        return list(await self.praetorium.nuntii.latest("caesar", 100))

    async def sent(self) -> list[dict[str, object]]:
        """What lies in the outbox."""
        return [json.loads(dispatch.parcel.payload) for dispatch in await self.praetorium.outbox.due()]

    async def card(self, number: int) -> dict[str, object]:
        """The outbox's parcel of that number, waited for."""
        async with asyncio.timeout(10):
            while len(sent := await self.sent()) <= number:  # noqa: ASYNC110  (the outbox has no event)
                await asyncio.sleep(TICK_SECONDS)
        return sent[number]


@dataclass(frozen=True, slots=True)
class Setting:
    """What a scene may want otherwise."""

    clock: Clock = field(default_factory=SystemClock)
    max_live: int = 8
    turn_seconds: float = 600.0
    stall_seconds: float = 120.0
    idle_seconds: float = 1800.0
    max_context_tokens: int = 150_000
    max_megabytes: float = 800.0
    history_window: int = 50
    replies: str = "addressed"
    zone: str = "Europe/Zurich"
    max_centuriones: int = 10
    gather_seconds: float = 0.0
    place: Callable[[int | None], str] = lambda _: ""
    budget: BudgetConfig = field(default_factory=BudgetConfig)


@contextlib.asynccontextmanager
async def legion(root: Path, stage: Stage, setting: Setting | None = None) -> AsyncIterator[Legion]:
    """A legion in the castra at `root`, which is written if it is not there."""
    setting = setting or Setting()
    castra = standing_castra(root)
    roster, decisions, messenger = Roster(castra), Decisions(setting.clock), NotingMessenger()
    async with open_praetorium(castra.database, setting.clock) as praetorium:
        record = Record(
            praetorium.turns,
            praetorium.corrections,
            praetorium.nuntii,
            praetorium.outbox,
            messenger,
            setting.clock,
        )
        legatus = Legatus(
            record,
            roster,
            replies=setting.replies,
            gather_seconds=setting.gather_seconds,
            place=setting.place,
        )
        recruiting = Recruiting(roster, _blueprint, setting.clock, limit=setting.max_centuriones)
        ended: list[Turn] = []

        async def settle(turn: Turn, outcome: Outcome) -> None:
            await legatus.settle(turn, outcome)
            ended.append(turn)

        budget = Budget(
            setting.budget,
            Means(praetorium.costs, decisions, setting.clock, record.tell, ZoneInfo(setting.zone)),
        )
        spending = asyncio.create_task(budget.run(), name="budget")
        sessions = Sessions(
            Camp(
                muster=lambda name: _brief(castra, roster, name, setting.history_window),
                enlist=stage.enlist,
                turns=praetorium.turns,
                nuntii=praetorium.nuntii,
                threads=praetorium.threads,
                processes=stage.processes(),
                clock=setting.clock,
                limits=Limits(
                    Bounds(setting.turn_seconds, setting.stall_seconds),
                    setting.idle_seconds,
                    setting.max_context_tokens,
                    setting.max_live,
                    setting.max_megabytes,
                ),
                tell=legatus.told,
                watch=legatus.watch,
                settle=settle,
                enclose=Opening(Depot(castra)),
                purse=budget if setting.budget.bounded else None,
            )
        )
        legatus.sessions = recruiting.sessions = sessions
        try:
            yield Legion(
                castra,
                stage,
                praetorium,
                messenger,
                roster,
                decisions,
                legatus,
                sessions,
                recruiting,
                ended,
                setting.clock,
                Standing(praetorium.schedules, setting.clock, ZoneInfo(setting.zone)),
                setting.budget,
            )
        finally:
            await sessions.close(patience=0)
            spending.cancel()
            await asyncio.gather(spending, return_exceptions=True)


def _blueprint(name: str, specialization: str) -> str:
    return f"---\ndescription: {specialization}\n---\nYou are {name}.\n"


def _brief(castra: Castra, roster: Roster, name: str, history_window: int) -> Brief:
    async def approve(_: Request) -> bool:
        return True

    return Brief(
        name=name,
        system_prompt=roster.profile(name).prompt,
        servers={},
        workspace=castra.workspace(name),
        home=castra.home(name),
        approve=approve,
        history_window=history_window,
    )
