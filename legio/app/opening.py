"""The order in which all of it is opened, and, backwards, taken down.

Opening is one `async with` on one `AsyncExitStack`, so nothing can exist unclosed; what was opened last is
closed first: the line to Telegram, the sessions, the outbox, the praetorium, the lock.
"""

import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass
from functools import partial

import structlog
from starlette.types import ASGIApp

from legio.app.core import Core, core
from legio.app.deployment import Deployment
from legio.app.door import door
from legio.app.front import Front, front
from legio.app.guarding import guarded
from legio.app.page import Site, rooms, site
from legio.bot.connection import listening, reached, show_menu
from legio.bot.menu import show_console
from legio.bot.receiver import Receiver
from legio.castra import Castra
from legio.claude.probe import probe
from legio.console import Bounds, Console, console, create_app
from legio.errors import CastraError
from legio.legatus import Legatus
from legio.loopback import serving
from legio.nuntius import LEGATUS
from legio.praetorium import Praetorium, open_praetorium
from legio.praetorium.lock import hold
from legio.watch import Signs, watched

log = structlog.get_logger()

PATIENCE_SECONDS = 4.0
"""How long running turns may take to end at a shutdown; `docker stop` kills after ten seconds."""
FLUSH_SECONDS = 2.0


@dataclass(frozen=True, slots=True)
class Running:
    """A Legio at work: who has Caesar's ear, and the page from which it is seen."""

    legatus: Legatus
    site: Site


@contextlib.asynccontextmanager
async def legion(deployment: Deployment) -> AsyncIterator[Running]:
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
) -> Running:
    clock, telegram = deployment.clock, front(deployment, praetorium)
    await stack.enter_async_context(reached(telegram.line, telegram.application))
    camp = await core(deployment, praetorium, telegram)
    page = site(deployment, praetorium, camp)
    entry = door(deployment, praetorium, telegram, camp, page)
    receiver = Receiver(clock, heartbeat=deployment.castra.lock.touch, tell=camp.legatus.tell)
    if deployment.config.telegram.topics:
        await telegram.topics.load()
        making = partial(telegram.topics.run, camp.roster.names, camp.legatus.tell)
        await stack.enter_async_context(guarded("topics", making, clock))
    for name, body in (*telegram.tasks, *camp.tasks, *entry.tasks):
        await stack.enter_async_context(guarded(name, body, clock))
    shown = stack.enter_context(_seen(deployment, praetorium, camp, receiver))
    shown_rooms = rooms(deployment, praetorium, telegram, camp, shown=shown)
    page.url = await stack.enter_async_context(
        _served(deployment, create_app(shown, shown_rooms, page.access))
    )
    await _try_credential(stack, deployment, camp)
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
    bot, caesar_id = telegram.application.bot, deployment.caesar_id
    await show_menu(bot, caesar_id, menu)
    await show_console(bot, caesar_id, page.public_url)
    return Running(camp.legatus, page)


def _end_in_order(stack: contextlib.AsyncExitStack, telegram: Front, camp: Core) -> None:
    """Sessions first, so that what they say last still goes out, and what they did last is written."""
    stack.push_async_callback(camp.steps.flush)
    stack.push_async_callback(telegram.roll_call.close)
    stack.push_async_callback(telegram.courier.flush, FLUSH_SECONDS)
    stack.push_async_callback(telegram.cards.flush, FLUSH_SECONDS / 2)
    stack.push_async_callback(partial(camp.sessions.close, patience=PATIENCE_SECONDS))


def _seen(
    deployment: Deployment, praetorium: Praetorium, camp: Core, receiver: Receiver
) -> contextlib.AbstractContextManager[Console]:
    """Inside, it is known how Legio is."""
    clock, sessions = deployment.clock, camp.sessions
    signs = Signs(
        backlog=lambda: praetorium.backlog(clock.now()),
        reception=receiver.reception,
        live_sessions=lambda: sum(session.live for session in sessions.all()),
    )
    return watched(signs, camp.measured.metrics, Bounds(deployment.config.claude.turn_seconds), clock)


def _served(deployment: Deployment, app: ASGIApp) -> contextlib.AbstractAsyncContextManager[str]:
    """The page, where it is to be; yields its base URL."""
    if deployment.chat is not None:
        return serving(app, port=deployment.chat.port, setting="[local] port")
    return console(app, host=deployment.config.console.host, port=deployment.config.console.port)


async def _try_credential(stack: contextlib.AsyncExitStack, deployment: Deployment, camp: Core) -> None:
    """The credential is put to the test at once, beside all else."""
    if deployment.secrets.model_credential is not None:
        ask = partial(probe, deployment.model_line, deployment.config.model)
        trying = partial(camp.measured.try_credential, ask)
        await stack.enter_async_context(guarded("probe", trying, deployment.clock))
