"""The record: what came in, what was said, who owes an answer, what has to go out."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from legio.events import Usage
from legio.nuntius import Nuntius, Tally, Turn, TurnState
from legio.ports.agents import Process
from legio.ports.messenger import Parcel


@dataclass(frozen=True, slots=True)
class Letter:
    """An update as it was received: `id` is Telegram's `update_id`, `payload` its JSON."""

    id: int
    payload: str
    received: datetime


class Inbox(Protocol):
    """What has come in. Everything is committed (to the disk) when a method returns."""

    async def put(self, letter: Letter) -> bool:
        """1. Keeps the letter; False, and nothing changes, if its id was ever put before."""

    async def unfinished(self) -> tuple[Letter, ...]:
        """2. Letters put and neither finished nor admitted, oldest first."""

    async def finish(self, update_id: int, parcels: Sequence[Parcel] = ()) -> bool:
        """3. Ends the letter and writes its parcels, in one transaction; False if it had ended before."""


@dataclass(frozen=True, slots=True)
class Ending:
    """How a turn ended, written in one transaction: reply with audience, turn, outbox rows, thread.

    `reply` is None unless it was answered. `seconds` is wall time. `detail` is for `/why` and the log.
    """

    state: TurnState
    reply: Nuntius | None
    parcels: tuple[Parcel, ...]
    usage: Usage = field(default_factory=Usage)
    seconds: float = 0.0
    detail: str = ""


class Turns(Protocol):
    """Who owes an answer. Each method is one transaction."""

    async def admit(
        self,
        nuntius: Nuntius,
        agents: Sequence[str],
        *,
        update_id: int | tuple[int, ...] | None = None,
        message: int | None = None,
        root: int | None = None,
    ) -> tuple[Turn, ...]:
        """1. Writes the nuntius, its audience, one pending turn an agent, and the inbox row's end.

        Returns the turns in the order of `agents`; none, and nothing changes, if the letter, or each of the
        letters where several brought it, had ended before. `root` is the nuntius' own seq unless given.
        `message` is Caesar's Telegram message id: it is remembered for the nuntius, so that
        `Nuntii.by_message` finds it.
        """

    async def begin(self, turn: Turn, thread: "Thread", told: Sequence[Nuntius] = ()) -> bool:
        """2. Turns it to running and saves the thread's row; False if the turn has already ended.

        `told` is what the thread is to be given now; raises `Outdated`, and changes nothing, if one of them
        does not stand in the record any more as it was read.
        """

    async def end(self, turn: Turn, ending: Ending, thread: "Thread | None" = None) -> Nuntius | None:
        """3. Writes the ending; returns the reply with its seq. A turn that has ended stays as it ended.

        One that was stopped in the record before its agent knew is told what it took, and its thread's row is
        saved. Parcels whose `seq` is None are given the reply's seq.
        """

    async def open(self) -> tuple[Turn, ...]:
        """4. The turns not ended, oldest first; those that were running come with `interrupted`."""

    async def tally(self) -> Tally:
        """5. The conservation law in figures, at this instant."""


class Nuntii(Protocol):
    """What has been said. The visibility rule is asked in SQL, never filtered after a limit."""

    async def post(self, nuntius: Nuntius, parcels: Sequence[Parcel] = ()) -> Nuntius:
        """1. Writes a nuntius that asks for no answer, with its parcels; returns it with its seq."""

    async def latest(
        self,
        viewer: str,
        limit: int,
        *,
        after: int = 0,
        before: int | None = None,
        without: str | None = None,
        sender: str | None = None,
    ) -> tuple[Nuntius, ...]:
        """2. The newest `limit` nuntii visible to `viewer` with after < seq < before, oldest first.

        `without` leaves out one sender's, `sender` leaves out all but one's.
        """

    async def get(self, seq: int) -> Nuntius | None:
        """3. The nuntius of that seq."""

    async def by_message(self, message: int) -> Nuntius | None:
        """4. The nuntius that Telegram's message id carried, in or out."""

    async def dispatched(self, root: int) -> int:
        """5. How many turns other than Caesar's own this nuntius of his has led to."""


@dataclass(frozen=True, slots=True)
class Thread:
    """What the praetorium knows of an agent's thread.

    `id` is the CLI's session id, None before the first turn. `cursor` is the last seq the thread has been
    given. `prompt_hash` is the SHA-256 of the system prompt it runs with. `reason` says why it was last
    built or rebuilt. `cost_usd` adds up over all of the agent's turns.

    `asked` is the id of the nuntius that the thread was asked last while nobody knows what came of that, ""
    once it is known; `previous` is the cursor before it. `mark` is the id of the thread's last message that
    ended a turn well, and `marked` the cursor then; without such a message it is where the thread began. No
    thread is told what was said up to `since`: Caesar reset the agent there.
    `begun` is when the thread was begun, `origin` why, and `carried` how many nuntii it was told then, the
    first of them with the seq `carried_from`.
    `spoiled` says that a question stands behind the mark which failed and must not be sent again. `process`
    is the process that runs, or ran last.
    """

    agent: str
    id: str | None = None
    cursor: int = 0
    previous: int = 0
    asked: str = ""
    mark: str = ""
    marked: int = 0
    since: int = 0
    spoiled: bool = False
    process: Process | None = None
    prompt_hash: str = ""
    context_tokens: int = 0
    last_active: datetime | None = None
    reason: str = ""
    cost_usd: float = 0.0
    begun: datetime | None = None
    origin: str = ""
    carried: int = 0
    carried_from: int = 0


class Threads(Protocol):
    """The short-term memories, one an agent."""

    async def load(self, agent: str) -> Thread | None:
        """1. The agent's thread, or None."""

    async def save(self, thread: Thread) -> None:
        """2. Writes it whole."""

    async def forget(self, agent: str) -> None:
        """3. Removes it; the transcript on disk stays, unused."""

    async def all(self) -> tuple[Thread, ...]:
        """4. Every thread, by agent's name."""


@dataclass(frozen=True, slots=True)
class Dispatch:
    """A parcel on its way out. `doubtful` is true when an earlier send may have been accepted."""

    id: int
    parcel: Parcel
    tries: int
    doubtful: bool


class Outbox(Protocol):
    """What has to go out, ordered within a chat."""

    async def add(self, parcels: Sequence[Parcel]) -> None:
        """1. Writes parcels that belong to no turn and no letter."""

    async def due(self) -> tuple[Dispatch, ...]:
        """2. All that is neither sent nor undeliverable, in order of writing, at most 500."""

    async def start(self, dispatch: Dispatch) -> None:
        """3. A send begins: until it ends, the parcel is doubtful. Counts the try."""

    async def sent(self, dispatch: Dispatch, message: int) -> None:
        """4. It arrived as `message`; a reply to that id finds the nuntius."""

    async def failed(self, dispatch: Dispatch, error: str, *, final: bool, doubtful: bool) -> None:
        """5. It did not: `final` ends it as undeliverable, else it is due again."""


@dataclass(frozen=True, slots=True)
class Passage:
    """The way of one turn: from Caesar's update to the messages that carried the answer.

    `update_id` is the update at the start of it all; `reply` is None while nothing was answered; `tries` are
    the sends of its parcel that took most. `detail` says why it failed, in words of the inside.
    """

    update_id: int | None
    turn: Turn
    reply: Nuntius | None
    usage: Usage
    seconds: float
    tries: int
    parcels: int
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Undelivered:
    """A parcel that can never be sent as things are, and why."""

    id: int
    parcel: Parcel
    error: str
    created: datetime


@dataclass(frozen=True, slots=True)
class Unsent:
    """A parcel that has to go out still: since when, how often it was tried, and what the last try came to.

    `error` is "" where no try has failed. `doubtful` is true when an earlier send may have been accepted.
    """

    id: int
    parcel: Parcel
    created: datetime
    tries: int
    error: str
    doubtful: bool


class Ledger(Protocol):
    """What the record can be asked afterwards."""

    async def passage(self, message: int) -> Passage | None:
        """1. The way of the answer that Telegram's message carried; None if it carried none."""

    async def undelivered(self) -> tuple[Undelivered, ...]:
        """2. The parcels given up, oldest first, at most 100."""

    async def retry(self) -> int:
        """3. Makes all of them due again; returns how many."""

    async def passages(self, seq: int) -> tuple[Passage, ...]:
        """4. The ways of the turn that ended with the nuntius of that seq, and of those that it led to."""

    async def unsent(self) -> tuple[Unsent, ...]:
        """5. What has to go out, in order of writing, at most 100."""
