"""What comes in, and the way that it takes: each of those who may want an update looks at it in turn."""

from dataclasses import dataclass, replace

from legio.app.core import Core
from legio.app.deployment import Deployment
from legio.app.front import Front
from legio.app.guarding import Tasks
from legio.app.page import Site
from legio.bot.attachments import Arrivals, Porter, Transcriber
from legio.bot.commands import Commands
from legio.bot.confirming import CodeIntake, Confirming
from legio.bot.desk import Desk, Sight
from legio.bot.intake import Intake
from legio.bot.pages import Pages
from legio.bot.presses import Presses
from legio.bot.topics import Take
from legio.praetorium import Praetorium


@dataclass(frozen=True, slots=True)
class Door:
    """`take` is given every update; `arrivals` begins once what was left open has been taken up."""

    take: Take
    commands: Commands
    arrivals: Arrivals
    tasks: Tasks


def door(deployment: Deployment, praetorium: Praetorium, front: Front, core: Core, site: Site) -> Door:
    """The whole way in. The codes come first: what is a code reaches nobody else."""
    config, clock, inbox = deployment.config, deployment.clock, praetorium.inbox
    pages = Pages(praetorium.search, clock, front.chat.budget, deployment.zone)
    desk = replace(_desk(deployment, praetorium, front, core, pages), invitation=site.invitation)
    commands = Commands(desk)
    intake = Intake(inbox, core.legatus, commands, front.cards, front.messenger)
    front.queue.hasten = intake.hasten
    porter = Porter(front.application.bot, core.depot, config.attachments, clock)
    hearing = Transcriber(config.telegram.transcribe, core.depot)
    arrivals = Arrivals(inbox, core.legatus, porter, hearing, clock)
    presses = Presses(core.legatus, inbox, arrivals.before(intake.take))
    take = pages.before(presses.take, inbox, front.messenger.wake)
    take = front.topics.before(take, inbox)
    tasks: Tasks = (("presses", presses.run), ("pages", pages.run))
    if core.authenticator is not None:
        confirming = Confirming(core.authenticator, front.application.bot, clock)
        front.decisions.seal = confirming
        take = CodeIntake(confirming, inbox, front.messenger, take).take
        tasks = (*tasks, ("confirming", confirming.run))
    return Door(take, commands, arrivals, tasks)


def _desk(deployment: Deployment, praetorium: Praetorium, front: Front, core: Core, pages: Pages) -> Desk:
    return Desk(
        core.legatus,
        core.sessions,
        core.roster,
        core.recruiting,
        front.decisions,
        core.memoria,
        praetorium.nuntii,
        praetorium.turns,
        praetorium.ledger,
        front.messenger,
        standing=core.standing,
        quiet=core.quiet,
        sight=Sight(
            pages,
            praetorium.threads,
            core.tuning,
            praetorium.costs,
            deployment.clock,
            deployment.zone,
            deployment.config.max_context_tokens,
            deployment.config.history_window,
        ),
        depot=core.depot,
        survey=core.survey,
        budget=deployment.config.budget,
    )
