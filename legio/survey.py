"""How each agent is at this moment, as values: what he does, what his thread holds, what he costs.

It looks and changes nothing. How it is shown is the business of whoever asks: a command, or the page.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from zoneinfo import ZoneInfo

from legio.context import AgentStatus
from legio.days import beginning, day_of
from legio.errors import LegioError, Refused
from legio.legatus import Legatus
from legio.nuntius import LEGATUS
from legio.ports import Clock, Costs, Processes, Thread, Threads
from legio.roster import Roster
from legio.sessions import Session, Sessions, Use
from legio.tuning import Choice, Dial, Tuning

ASLEEP = "asleep"


@dataclass(frozen=True, slots=True)
class Condition:
    """One agent. `trouble` says why his prompt cannot be used, "" where it can; then nothing is in force.

    `state` is a word of `AgentStatus`, and `since` when it began, by the clock that never goes back;
    `seconds` is how long that is ago, and no difference between two conditions. `usd` is what he cost today.
    """

    name: str
    description: str
    trouble: str
    state: str
    since: float
    seconds: int = field(compare=False)
    waiting: int
    tool: Use | None
    thread: Thread | None
    usd: float
    in_force: Mapping[Dial, Choice]

    @property
    def tokens(self) -> int:
        """How large his thread is."""
        return 0 if self.thread is None else self.thread.context_tokens


@dataclass(frozen=True, slots=True)
class Survey:
    """Where it is looked: what knows of agents, of money and of processes. Days begin in `zone`."""

    legatus: Legatus
    sessions: Sessions
    roster: Roster
    threads: Threads
    costs: Costs
    tuning: Tuning
    processes: Processes
    clock: Clock
    zone: ZoneInfo
    max_context_tokens: int

    @property
    def names(self) -> tuple[str, ...]:
        """All agents, the Legatus first."""
        return (LEGATUS, *self.roster.names())

    def known(self, name: str) -> str:
        """`name` itself; raises `Refused` where nobody bears it."""
        if name not in self.names:
            raise Refused(f"there is nobody called '{name}'.", remedy=f"There is: {', '.join(self.names)}.")
        return name

    async def all(self) -> tuple[Condition, ...]:
        """Everybody, the Legatus first."""
        threads = {thread.agent: thread for thread in await self.threads.all()}
        costs = await self._costs()
        statuses = self._statuses()
        return tuple(
            self._condition(status, threads.get(name), costs.get(name, 0.0))
            for name, status in statuses.items()
        )

    async def one(self, name: str) -> Condition:
        """One agent; raises `Refused` where nobody bears that name."""
        thread, costs = await self.threads.load(self.known(name)), await self._costs()
        return self._condition(self._statuses()[self.known(name)], thread, costs.get(name, 0.0))

    async def megabytes(self, condition: Condition) -> float | None:
        """The memory of an agent's process; None where he has none. It takes milliseconds, of a thread."""
        session, thread = self._session(condition.name), condition.thread
        if session is None or not session.live or thread is None or thread.process is None:
            return None
        return await self.processes.megabytes(thread.process)

    def share(self, tokens: int) -> float:
        """How much of the context so many tokens are, 1.0 at most."""
        return min(1.0, tokens / self.max_context_tokens)

    def _statuses(self) -> dict[str, AgentStatus]:
        return {it.name: it for it in (self.legatus.own_status(), *self.legatus.status())}

    def _condition(self, status: AgentStatus, thread: Thread | None, usd: float) -> Condition:
        session = self._session(status.name)
        description, trouble, in_force = self._profiled(status.name)
        return Condition(
            name=status.name,
            description=description,
            trouble=trouble,
            state=status.state,
            since=0.0 if session is None or status.state == ASLEEP else session.since,
            seconds=status.seconds,
            waiting=0 if session is None else _waiting(session),
            tool=None if session is None else session.tool,
            thread=thread,
            usd=usd,
            in_force=in_force,
        )

    def _profiled(self, name: str) -> tuple[str, str, Mapping[Dial, Choice]]:
        try:
            profile = self.roster.profile(name)
        except LegioError as error:
            return "", str(error), {}
        return profile.description, "", {dial: self.tuning.of(dial, profile) for dial in Dial}

    def _session(self, name: str) -> Session | None:
        return next((session for session in self.sessions.all() if session.name == name), None)

    async def _costs(self) -> dict[str, float]:
        today = beginning(day_of(self.clock.now(), self.zone), self.zone)
        return {it.agent: it.usd for it in await self.costs.expenses(today)}


def _waiting(session: Session) -> int:
    """How many turns have not begun."""
    current = session.current
    return len([turn for turn in session.turns if current is None or turn.id != current.id])
