"""The order in which all of it is opened, and, backwards, taken down.

Opening is one `async with` on one `AsyncExitStack`, so nothing can exist unclosed; what was opened last is
closed first: the line to Telegram, the sessions, the outbox, the praetorium, the lock.
"""

import contextlib
from collections.abc import AsyncIterator
from functools import partial

import structlog

from legio.app.core import Core, core
from legio.app.deployment import Deployment
from legio.app.door import door
from legio.app.front import Front, front
from legio.app.guarding import guarded
from legio.bot.connection import listening, reached, show_menu
from legio.bot.receiver import Receiver
from legio.castra import Castra
from legio.claude.probe import probe
from legio.errors import CastraError
from legio.legatus import Legatus
from legio.nuntius import LEGATUS
from legio.praetorium import Praetorium, open_praetorium
from legio.praetorium.lock import hold
from legio.watch import Signs, watched

log = structlog.get_logger()

PATIENCE_SECONDS = 4.0
"""How long running turns may take to end at a shutdown; `docker stop` kills after ten seconds."""
FLUSH_SECONDS = 2.0


@contextlib.asynccontextmanager
async def legion(deployment: Deployment) -> AsyncIterator[Legatus]:
    """A Legio at work while inside. Raises `LegioError` when something that it needs cannot be had."""
    castra = deployment.castra
    inhabited(castra)
    async with contextlib.AsyncExitStack() as stack:
        stack.enter_context(hold(castra.lock))
        praetorium = await stack.enter_async_context(
            open_praetorium(castra.root / deployment.database, deployment.clock)
        )
        yield await _joined(stack, deployment, praetorium)
        log.info("legio.stopping")
        praetorium.patience.lose()
    log.info("legio.stopped")


def inhabited(castra: Castra) -> None:
    """Raise `CastraError` for a castra without a Legatus: it is most often a path that was mistyped.

    Asked before anything is written.
    """
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
    stack: contextlib.AsyncExitStack, deployment: Deployment, praetorium: Praetorium
) -> Legatus:
    clock, telegram = deployment.clock, front(deployment, praetorium)
    await stack.enter_async_context(reached(telegram.line, telegram.application))
    camp = await core(deployment, praetorium, telegram)
    entry = door(deployment, praetorium, telegram, camp)
    receiver = Receiver(clock, heartbeat=deployment.castra.lock.touch, tell=camp.legatus.tell)
    if deployment.config.telegram.topics:
        await telegram.topics.load()
        making = partial(telegram.topics.run, camp.roster.names, camp.legatus.tell)
        await stack.enter_async_context(guarded("topics", making, clock))
    for name, body in (*telegram.tasks, *camp.tasks, *entry.tasks):
        await stack.enter_async_context(guarded(name, body, clock))
    await stack.enter_async_context(_observed(deployment, praetorium, camp, receiver))
    _end_in_order(stack, telegram, camp)
    await camp.sessions.end_orphans()
    await camp.legatus.take_up()
    await telegram.roll_call.take_up()
    # Not before: what an earlier process began is given to the sessions once.
    await stack.enter_async_context(guarded("scheduler", camp.scheduler.run, clock))
    await telegram.queue.replay(telegram.application.bot)
    await stack.enter_async_context(guarded("arrivals", entry.arrivals.run, clock))
    await stack.enter_async_context(listening(telegram.line, telegram.application, receiver, entry.take))
    menu = [(each.name, each.meaning) for each in entry.commands.table]
    await show_menu(telegram.application.bot, deployment.caesar_id, menu)
    return camp.legatus


def _end_in_order(stack: contextlib.AsyncExitStack, telegram: Front, camp: Core) -> None:
    """Sessions first, so that what they say last still goes out."""
    stack.push_async_callback(telegram.roll_call.close)
    stack.push_async_callback(telegram.courier.flush, FLUSH_SECONDS)
    stack.push_async_callback(telegram.cards.flush, FLUSH_SECONDS / 2)
    stack.push_async_callback(partial(camp.sessions.close, patience=PATIENCE_SECONDS))


@contextlib.asynccontextmanager
async def _observed(
    deployment: Deployment, praetorium: Praetorium, camp: Core, receiver: Receiver
) -> AsyncIterator[None]:
    """Inside, it can be seen how Legio is; and the credential is put to the test at once."""
    config, clock, sessions, measured = deployment.config, deployment.clock, camp.sessions, camp.measured
    signs = Signs(
        backlog=lambda: praetorium.backlog(clock.now()),
        reception=receiver.reception,
        live_sessions=lambda: sum(session.live for session in sessions.all()),
    )
    ask = partial(probe, deployment.model_line, config.model)
    async with contextlib.AsyncExitStack() as stack:
        await stack.enter_async_context(watched(signs, measured.metrics, config, clock))
        if deployment.secrets.model_credential is not None:
            await stack.enter_async_context(guarded("probe", partial(measured.try_credential, ask), clock))
        yield
