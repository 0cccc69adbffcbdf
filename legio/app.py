"""The composition root: everything is built, joined and taken down here.

Opening is one `async with` on one `AsyncExitStack`, so nothing can exist unclosed; what was opened last is
closed first: the line to Telegram, the sessions, the outbox, the praetorium, the lock.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from functools import partial

import structlog

from legio.approvals import Approvals
from legio.backup import Nightly, Source
from legio.bot.cards import Cards
from legio.bot.commands import Commands
from legio.bot.connection import Line as TelegramLine
from legio.bot.connection import application, listening, reached, show_menu
from legio.bot.desk import Desk
from legio.bot.intake import CommittingQueue, Intake
from legio.bot.messenger import TelegramMessenger
from legio.bot.outbox import Courier
from legio.bot.outcry import Outcry
from legio.bot.progress import Progress
from legio.bot.receiver import Receiver
from legio.castra import Castra
from legio.claude.agent import Line as ModelLine
from legio.claude.agent import enlister
from legio.claude.probe import probe
from legio.claude.processes import MachineProcesses
from legio.clock import SystemClock
from legio.config import Config, Secrets
from legio.console import Metrics
from legio.decisions import Decisions
from legio.errors import CastraError
from legio.legatus import Legatus, Record
from legio.memoria.store import FileMemoria
from legio.memoria.tools import memoria_tools
from legio.muster import Muster
from legio.nuntius import LEGATUS
from legio.ports import Clock
from legio.praetorium import Praetorium, open_praetorium
from legio.praetorium.lock import hold
from legio.recruiting import Recruiting
from legio.roster import Roster
from legio.sessions import Bounds, Camp, Limits, Sessions
from legio.templates import blueprint
from legio.toolset import legatus_tools
from legio.watch import Measured, Signs, watched

log = structlog.get_logger()

PATIENCE_SECONDS = 4.0
"""How long running turns may take to end at a shutdown; `docker stop` kills after ten seconds."""
FLUSH_SECONDS = 2.0
RESTART_SECONDS = 1.0
UNASKED_CREDENTIAL = ("ANTHROPIC_API_KEY", "none")
"""The CLI calls no server without one, and a server of Caesar's own may ask for none."""


@dataclass(frozen=True, slots=True)
class Deployment:
    """One Legio to run: who Caesar is, where the castra is, how Telegram and the model are reached."""

    config: Config
    secrets: Secrets
    caesar_id: int
    token: str
    database: str = "praetorium.db"
    clock: Clock = SystemClock()  # noqa: RUF009  (it has no state)


@contextlib.asynccontextmanager
async def legion(deployment: Deployment) -> AsyncIterator[Legatus]:
    """A Legio at work while inside. Raises `LegioError` when something that it needs cannot be had."""
    castra = Castra(deployment.config.castra)
    _inhabited(castra)
    async with contextlib.AsyncExitStack() as stack:
        stack.enter_context(hold(castra.lock))
        praetorium = await stack.enter_async_context(
            open_praetorium(castra.root / deployment.database, deployment.clock)
        )
        yield await _joined(stack, deployment, castra, praetorium)
        log.info("legio.stopping")
        praetorium.patience.lose()
    log.info("legio.stopped")


def _inhabited(castra: Castra) -> None:
    """Before anything is written: a castra without a Legatus is most often a path that was mistyped."""
    try:
        castra.prompt(LEGATUS).lstat()
    except (FileNotFoundError, NotADirectoryError) as error:
        raise CastraError(
            "there is no Legatus in this castra: legatus/prompt.md is missing.",
            where=str(castra.root),
            remedy="Write a castra with `legio init`, or name yours by `castra` in legio.toml.",
        ) from error
    except OSError:
        pass  # what may not be looked at may not be locked either, and that error says so


async def _joined(
    stack: contextlib.AsyncExitStack, deployment: Deployment, castra: Castra, praetorium: Praetorium
) -> Legatus:
    config, clock = deployment.config, deployment.clock
    queue = CommittingQueue(praetorium.inbox, clock, caesar_id=deployment.caesar_id)
    line = TelegramLine(config.telegram, deployment.token, clock)
    app = application(line, queue)
    await stack.enter_async_context(reached(line, app))
    progress = Progress(app.bot, deployment.caesar_id, clock)
    courier = Courier(app.bot, praetorium.outbox, clock)
    messenger = TelegramMessenger(deployment.caesar_id, progress, courier.wake)

    roster, memoria, decisions = Roster(castra), FileMemoria(castra, clock), Decisions(clock)
    record = Record(praetorium.turns, praetorium.nuntii, praetorium.outbox, messenger, clock)
    legatus = Legatus(record, roster, replies=config.visibility.replies)
    recruiting = Recruiting(roster, blueprint, clock, limit=config.max_centuriones)
    muster = Muster(
        config=config,
        castra=castra,
        roster=roster,
        memoria=memoria,
        memoria_tools=partial(memoria_tools, memoria),
        legatus_tools=lambda: legatus_tools(legatus, roster, praetorium.nuntii, decisions, recruiting),
        approve=Approvals(decisions, clock, legatus.tell).ask,
    )
    receiver = Receiver(clock, heartbeat=castra.lock.touch, tell=legatus.tell)
    measured = Measured(legatus, Metrics())
    sessions = Sessions(_camp(deployment, praetorium, muster, legatus, measured))
    legatus.sessions = recruiting.sessions = sessions

    desk = Desk(
        legatus,
        sessions,
        roster,
        recruiting,
        decisions,
        memoria,
        praetorium.nuntii,
        praetorium.turns,
        praetorium.ledger,
        messenger,
    )
    commands, cards = Commands(desk), Cards(decisions)
    intake = Intake(praetorium.inbox, legatus, commands, cards, messenger)

    for name, body in (
        ("courier", courier.run),
        ("progress", progress.run),
        ("cards", cards.run),
        ("reaper", sessions.reap),
        ("outcry", Outcry(app.bot, deployment.caesar_id, clock, lambda: praetorium.patience.trouble).run),
        ("nightly", _nightly(deployment, praetorium, legatus).run),
    ):
        await stack.enter_async_context(guarded(name, body, clock))
    await stack.enter_async_context(_observed(deployment, praetorium, sessions, receiver, measured))
    stack.push_async_callback(progress.close)
    stack.push_async_callback(courier.flush, FLUSH_SECONDS)
    stack.push_async_callback(partial(sessions.close, patience=PATIENCE_SECONDS))
    await sessions.end_orphans()
    await legatus.take_up()
    await queue.replay(app.bot)
    await stack.enter_async_context(listening(line, app, receiver, intake.take))
    await show_menu(app.bot, deployment.caesar_id, [(each.name, each.meaning) for each in commands.table])
    return legatus


def _nightly(deployment: Deployment, praetorium: Praetorium, legatus: Legatus) -> Nightly:
    config = deployment.config
    secrets = (deployment.token, *deployment.secrets.values())
    source = Source(Castra(config.castra), config.file, secrets)
    return Nightly(config.backup, source, praetorium.nuntii, deployment.clock, legatus.tell)


def _camp(
    deployment: Deployment, praetorium: Praetorium, muster: Muster, legatus: Legatus, measured: Measured
) -> Camp:
    config = deployment.config
    return Camp(
        muster=muster,
        enlist=enlister(_model_line(deployment)),
        turns=praetorium.turns,
        nuntii=praetorium.nuntii,
        threads=praetorium.threads,
        processes=MachineProcesses(),
        clock=deployment.clock,
        limits=Limits(
            bounds=Bounds(config.claude.turn_seconds, config.claude.stall_seconds),
            idle_seconds=config.session_idle_timeout_minutes * 60,
            max_context_tokens=config.max_context_tokens,
            max_live=config.max_live_sessions,
            max_megabytes=config.max_session_mb,
        ),
        tell=legatus.told,
        watch=measured.watch,
        settle=measured.settle,
    )


def _model_line(deployment: Deployment) -> ModelLine:
    claude, credential = deployment.config.claude, deployment.secrets.model_credential
    return ModelLine(
        base_url=claude.base_url,
        credential=(credential.variable, credential.value) if credential else UNASKED_CREDENTIAL,
        max_retries=claude.max_retries,
        first_byte_seconds=claude.first_byte_seconds,
        stall_seconds=claude.stall_seconds,
        turn_seconds=claude.turn_seconds,
    )


@contextlib.asynccontextmanager
async def _observed(
    deployment: Deployment,
    praetorium: Praetorium,
    sessions: Sessions,
    receiver: Receiver,
    measured: Measured,
) -> AsyncIterator[None]:
    """Inside, it can be seen how Legio is; and the credential is put to the test at once."""
    config, clock = deployment.config, deployment.clock
    signs = Signs(
        backlog=lambda: praetorium.backlog(clock.now()),
        reception=receiver.reception,
        live_sessions=lambda: sum(session.live for session in sessions.all()),
    )
    ask = partial(probe, _model_line(deployment), config.model)
    async with contextlib.AsyncExitStack() as stack:
        await stack.enter_async_context(watched(signs, measured.metrics, config, clock))
        if deployment.secrets.model_credential is not None:
            await stack.enter_async_context(guarded("probe", partial(measured.try_credential, ask), clock))
        yield


@contextlib.asynccontextmanager
async def guarded(name: str, body: Callable[[], Awaitable[None]], clock: Clock) -> AsyncIterator[None]:
    """An eternal task that lives while inside; what breaks it is logged, and it is begun again."""
    task = asyncio.create_task(_guard(name, body, clock), name=name)
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def _guard(name: str, body: Callable[[], Awaitable[None]], clock: Clock) -> None:
    while True:
        try:
            await body()
        except Exception:  # the border of a guarded task: Legio without its courier would be silent for ever
            log.exception("task.broke", task=name)
            await clock.sleep(RESTART_SECONDS)
        else:
            log.info("task.ended", task=name)
            return
