"""The legion: its memory, its Legatus, its sessions, and what each of them may spend."""

from dataclasses import dataclass, replace
from functools import partial

from legio.app.deployment import Deployment
from legio.app.front import Front
from legio.app.guarding import Tasks
from legio.approvals import Approvals
from legio.attachments import Depot, Opening, Sending, file_tools
from legio.backup import Nightly, Source
from legio.bot.alarm import Alarm
from legio.budget import Budget, Means
from legio.claude.agent import enlister
from legio.claude.processes import MachineProcesses
from legio.console import Metrics
from legio.endings import Endings
from legio.legatus import Legatus
from legio.logs import redacted
from legio.memoria.store import FileMemoria
from legio.memoria.tools import memoria_tools
from legio.muster import Muster
from legio.nuntius import LEGATUS
from legio.ports import Memoria, Ring, Tool
from legio.praetorium import Praetorium
from legio.record import Record
from legio.recruiting import Recruiting
from legio.roster import Roster
from legio.sessions import Camp, Sessions
from legio.standing import QuietHours, Scheduler, Standing
from legio.standing.tools import standing_tools
from legio.survey import Survey
from legio.templates import blueprint
from legio.toolset import legatus_tools, search_tools
from legio.totp import Authenticator
from legio.tuning import Tuning
from legio.watch import Measured, Steps


@dataclass(frozen=True, slots=True)
class Core:
    """The legion at hand. `scheduler` begins once what an earlier process left has been taken up."""

    roster: Roster
    memoria: Memoria
    depot: Depot
    legatus: Legatus
    sessions: Sessions
    recruiting: Recruiting
    standing: Standing
    scheduler: Scheduler
    quiet: QuietHours
    tuning: Tuning
    budget: Budget
    measured: Measured
    steps: Steps
    nightly: Nightly
    muster: Muster
    survey: Survey
    authenticator: Authenticator | None

    @property
    def tasks(self) -> Tasks:
        """What runs as long as Legio does."""
        return (
            ("reaper", self.sessions.reap),
            ("budget", self.budget.run),
            ("nightly", self.nightly.run),
            ("steps", self.steps.run),
        )


async def core(deployment: Deployment, praetorium: Praetorium, front: Front) -> Core:
    """All of it, joined; what Caesar has set is read, and nothing has begun."""
    config, clock, castra = deployment.config, deployment.clock, deployment.castra
    roster, memoria, depot = Roster(castra), FileMemoria(castra, clock), Depot(castra)
    record = Record(
        praetorium.turns, praetorium.corrections, praetorium.nuntii, praetorium.outbox, front.messenger, clock
    )
    alarm = Alarm(clock)
    standing = Standing(praetorium.schedules, clock, deployment.zone, alarm.ring)
    legatus = _legatus(deployment, front, record, roster, standing)
    recruiting = Recruiting(roster, blueprint, clock, limit=config.max_centuriones)
    approvals = Approvals(front.decisions, clock, record.tell, legatus.cause)
    budget = Budget(
        config.budget, Means(praetorium.costs, front.decisions, clock, record.tell, deployment.zone)
    )
    tuning, quiet = await _settings(deployment, praetorium)
    front.courier.hush(quiet.now)
    muster = Muster(
        config=config,
        castra=castra,
        roster=roster,
        memoria=memoria,
        memoria_tools=partial(memoria_tools, memoria, sanction=approvals.sanction),
        legatus_tools=lambda: (
            *legatus_tools(legatus, roster, praetorium.nuntii, front.decisions, recruiting),
            *_schedule_tools(front, record, legatus, standing),
        ),
        approve=approvals.ask,
        variables=deployment.secrets.of_servers,
        file_tools=partial(file_tools, _outgoing(deployment, front, record, legatus, roster)),
        search_tools=partial(search_tools, praetorium.search),
        tuning=tuning,
    )
    steps = _steps(deployment, praetorium)
    measured = Measured(legatus, Metrics(), approvals.withdraw, steps)
    camp = _camp(deployment, praetorium, muster, legatus, measured)
    sessions = Sessions(replace(camp, purse=budget) if config.budget.bounded else camp)
    legatus.sessions = recruiting.sessions = sessions
    return Core(
        roster=roster,
        memoria=memoria,
        depot=depot,
        legatus=legatus,
        sessions=sessions,
        recruiting=recruiting,
        standing=standing,
        scheduler=Scheduler(praetorium.schedules, front.messenger, legatus.hear_again, clock, alarm),
        quiet=quiet,
        tuning=tuning,
        budget=budget,
        measured=measured,
        steps=steps,
        nightly=_nightly(deployment, praetorium, legatus),
        muster=muster,
        survey=_survey(deployment, praetorium, legatus, roster, tuning),
        authenticator=_authenticator(deployment, praetorium),
    )


def _survey(
    deployment: Deployment, praetorium: Praetorium, legatus: Legatus, roster: Roster, tuning: Tuning
) -> Survey:
    """One for the chat and the page."""
    return Survey(
        legatus=legatus,
        sessions=legatus.sessions,
        roster=roster,
        threads=praetorium.threads,
        costs=praetorium.costs,
        tuning=tuning,
        processes=MachineProcesses(),
        clock=deployment.clock,
        zone=deployment.zone,
        max_context_tokens=deployment.config.max_context_tokens,
    )


def _authenticator(deployment: Deployment, praetorium: Praetorium) -> Authenticator | None:
    """One for the chat and the page: a code that was used at one is used up at the other."""
    secret = deployment.secrets.totp_secret
    return None if secret is None else Authenticator(secret, praetorium.settings, deployment.clock)


def _steps(deployment: Deployment, praetorium: Praetorium) -> Steps:
    return Steps(praetorium.feed, deployment.clock, partial(redacted, secrets=deployment.hidden))


def _legatus(
    deployment: Deployment, front: Front, record: Record, roster: Roster, standing: Standing
) -> Legatus:
    config = deployment.config
    return Legatus(
        record,
        roster,
        replies=config.visibility.replies,
        local_time=lambda: standing.now,
        gather_seconds=config.telegram.gather_seconds,
        place=front.topics.addressed,
    )


def _schedule_tools(front: Front, record: Record, legatus: Legatus, standing: Standing) -> tuple[Tool, ...]:
    whisper = partial(record.tell, ring=Ring.SILENT)
    return standing_tools(standing, front.decisions, whisper, lambda: legatus.sessions.of(LEGATUS).current)


async def _settings(deployment: Deployment, praetorium: Praetorium) -> tuple[Tuning, QuietHours]:
    """What Caesar has set while Legio ran, read once."""
    tuning = Tuning(praetorium.settings, model=deployment.config.model)
    quiet = QuietHours(praetorium.settings, deployment.clock, deployment.zone)
    await tuning.load()
    await quiet.load()
    return tuning, quiet


def _outgoing(
    deployment: Deployment, front: Front, record: Record, legatus: Legatus, roster: Roster
) -> Sending:
    replies = deployment.config.visibility.replies
    endings = Endings(front.messenger, deployment.clock, roster, replies=replies)
    return Sending(record, Depot(deployment.castra), endings, lambda: legatus.sessions, replies)


def _camp(
    deployment: Deployment, praetorium: Praetorium, muster: Muster, legatus: Legatus, measured: Measured
) -> Camp:
    return Camp(
        muster=muster,
        enlist=enlister(deployment.model_line),
        turns=praetorium.turns,
        nuntii=praetorium.nuntii,
        threads=praetorium.threads,
        processes=MachineProcesses(),
        clock=deployment.clock,
        limits=deployment.limits,
        tell=legatus.told,
        watch=measured.watch,
        settle=measured.settle,
        enclose=Opening(Depot(deployment.castra)),
    )


def _nightly(deployment: Deployment, praetorium: Praetorium, legatus: Legatus) -> Nightly:
    source = Source(deployment.castra, deployment.config.file, deployment.hidden)
    return Nightly(deployment.config.backup, source, praetorium.nuntii, deployment.clock, legatus.tell)
