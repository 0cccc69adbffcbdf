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


@dataclass(frozen=True, slots=True)
class _Staff:
    """Who decides and acts in Caesar's name, and what they write with."""

    record: Record
    roster: Roster
    memoria: Memoria
    legatus: Legatus
    recruiting: Recruiting
    standing: Standing
    approvals: Approvals
    tuning: Tuning


async def core(deployment: Deployment, praetorium: Praetorium, front: Front) -> Core:
    """All of it, joined; what Caesar has set is read, and nothing has begun."""
    clock, alarm = deployment.clock, Alarm(deployment.clock)
    tuning, quiet = await _settings(deployment, praetorium)
    front.courier.hush(quiet.now)
    staff = _staff(deployment, praetorium, front, alarm, tuning)
    legatus = staff.legatus
    budget = _budget(deployment, praetorium, front, staff.record)
    muster = _muster(deployment, praetorium, front, staff)
    steps = _steps(deployment, praetorium)
    measured = Measured(legatus, Metrics(), staff.approvals.withdraw, steps)
    camp = _camp(deployment, praetorium, muster, legatus, measured)
    sessions = Sessions(replace(camp, purse=budget) if deployment.config.budget.bounded else camp)
    legatus.sessions = staff.recruiting.sessions = sessions
    return Core(
        roster=staff.roster,
        memoria=staff.memoria,
        depot=Depot(deployment.castra),
        legatus=legatus,
        sessions=sessions,
        recruiting=staff.recruiting,
        standing=staff.standing,
        scheduler=Scheduler(praetorium.schedules, front.messenger, legatus.hear_again, clock, alarm),
        quiet=quiet,
        tuning=tuning,
        budget=budget,
        measured=measured,
        steps=steps,
        nightly=_nightly(deployment, praetorium, legatus),
        muster=muster,
        survey=_survey(deployment, praetorium, staff),
        authenticator=_authenticator(deployment, praetorium),
    )


def _staff(
    deployment: Deployment, praetorium: Praetorium, front: Front, alarm: Alarm, tuning: Tuning
) -> _Staff:
    config, clock = deployment.config, deployment.clock
    roster = Roster(deployment.castra)
    record = Record(
        praetorium.turns, praetorium.corrections, praetorium.nuntii, praetorium.outbox, front.messenger, clock
    )
    standing = Standing(praetorium.schedules, clock, deployment.zone, alarm.ring)
    legatus = _legatus(deployment, front, record, roster, standing)
    return _Staff(
        record=record,
        roster=roster,
        memoria=FileMemoria(deployment.castra, clock),
        legatus=legatus,
        recruiting=Recruiting(roster, blueprint, clock, limit=config.max_centuriones),
        standing=standing,
        approvals=Approvals(front.decisions, clock, record.tell, legatus.cause),
        tuning=tuning,
    )


def _budget(deployment: Deployment, praetorium: Praetorium, front: Front, record: Record) -> Budget:
    means = Means(praetorium.costs, front.decisions, deployment.clock, record.tell, deployment.zone)
    return Budget(deployment.config.budget, means)


def _muster(deployment: Deployment, praetorium: Praetorium, front: Front, staff: _Staff) -> Muster:
    return Muster(
        config=deployment.config,
        castra=deployment.castra,
        roster=staff.roster,
        memoria=staff.memoria,
        memoria_tools=partial(memoria_tools, staff.memoria, sanction=staff.approvals.sanction),
        legatus_tools=lambda: (
            *legatus_tools(staff.legatus, staff.roster, praetorium.nuntii, front.decisions, staff.recruiting),
            *_schedule_tools(front, staff),
        ),
        approve=staff.approvals.ask,
        variables=deployment.secrets.of_servers,
        file_tools=partial(file_tools, _outgoing(deployment, front, staff)),
        search_tools=partial(search_tools, praetorium.search),
        tuning=staff.tuning,
    )


def _survey(deployment: Deployment, praetorium: Praetorium, staff: _Staff) -> Survey:
    """One for the chat and the page."""
    return Survey(
        legatus=staff.legatus,
        sessions=staff.legatus.sessions,
        roster=staff.roster,
        threads=praetorium.threads,
        costs=praetorium.costs,
        tuning=staff.tuning,
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


def _schedule_tools(front: Front, staff: _Staff) -> tuple[Tool, ...]:
    whisper = partial(staff.record.tell, ring=Ring.SILENT)
    return standing_tools(
        staff.standing, front.decisions, whisper, lambda: staff.legatus.sessions.of(LEGATUS).current
    )


async def _settings(deployment: Deployment, praetorium: Praetorium) -> tuple[Tuning, QuietHours]:
    """What Caesar has set while Legio ran, read once."""
    tuning = Tuning(praetorium.settings, model=deployment.config.model)
    quiet = QuietHours(praetorium.settings, deployment.clock, deployment.zone)
    await tuning.load()
    await quiet.load()
    return tuning, quiet


def _outgoing(deployment: Deployment, front: Front, staff: _Staff) -> Sending:
    replies = deployment.config.visibility.replies
    endings = Endings(front.messenger, deployment.clock, staff.roster, replies=replies)
    return Sending(staff.record, Depot(deployment.castra), endings, lambda: staff.legatus.sessions, replies)


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
