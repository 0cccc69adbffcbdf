"""Who hears a nuntius, and what becomes of the answer.

Caesar's words are addressed, recorded and given to sessions; what the sessions make of them is recorded,
with what has to go out, in one transaction. A dispatch is the same way walked by the Legatus for Caesar.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from legio import context, mentions
from legio.endings import Endings, report, reset_sentence, sentence, taken_up, written
from legio.errors import Refused
from legio.events import End, Event, Failed, Stopped
from legio.nuntius import ALL, CAESAR, LEGATUS, Nuntius, Turn, TurnState, distinct
from legio.ports import Button, Clock, Ending, Messenger, Nuntii, Outbox, Parcel, Turns
from legio.roster import Roster
from legio.sessions import Outcome, Session, Sessions

HOP_BUDGET = 12
"""How many dispatches one nuntius of Caesar's may lead to: agents that talk to agents cost without end."""
EXPIRY = timedelta(hours=24)
"""A question that has waited for longer is not answered any more, but said to have expired."""

Dispatched = tuple[Turn, asyncio.Future[str]]
"""A dispatch's turn, and where its answer will be found."""


@dataclass(frozen=True, slots=True)
class Said:
    """What Caesar said in one message.

    `update_id` is the update that brought it; `message` and `reply_to` are Telegram's ids of his message and
    of the one he replied to.
    """

    text: str
    update_id: int
    message: int | None = None
    reply_to: int | None = None


@dataclass(frozen=True, slots=True)
class Record:
    """Where it all is written, and how Caesar is told."""

    turns: Turns
    nuntii: Nuntii
    outbox: Outbox
    messenger: Messenger
    clock: Clock


class Legatus:
    """The way of a nuntius through the legion. `sessions` is set by whoever builds both."""

    sessions: Sessions

    def __init__(self, record: Record, roster: Roster, *, replies: str) -> None:
        self._record = record
        self._roster = roster
        self._endings = Endings(record.messenger, record.clock, roster, replies=replies)
        self._dispatches: dict[int, asyncio.Future[str]] = {}
        self._dispatching = asyncio.Lock()
        self._sending: set[asyncio.Task[Dispatched]] = set()
        self._warned_of = 0

    # --- in ----------------------------------------------------------------------------------------------

    async def hear(self, said: Said) -> tuple[Turn, ...]:
        """Record what Caesar said and give it to whom he addressed; nothing, if it was heard before."""
        answered = None if said.reply_to is None else await self._record.nuntii.by_message(said.reply_to)
        audience = self._addressed(said.text, answered)
        nuntius = written(CAESAR, said.text, audience, self._record.clock.now(), reply_to=answered)
        turns = await self._record.turns.admit(
            nuntius, self._agents(audience), update_id=said.update_id, message=said.message
        )
        self._assign(turns)
        return turns

    async def take_up(self) -> tuple[Turn, ...]:
        """At the start: give the sessions what an earlier process left open, and tell Caesar; returns it.

        What is too old expires. A dispatch ends: the Legatus, whose turn is taken up too, asks again.
        """
        oldest = self._record.clock.now() - EXPIRY
        again = []
        for turn in await self._record.turns.open():
            if turn.nuntius.timestamp < oldest:
                await self._close(turn, self._endings.expired(turn))
            elif turn.nuntius.sender != CAESAR:
                await self._close(turn, Ending(TurnState.STOPPED, None, (), detail="Legio was restarted"))
            else:
                again.append(turn)
        if again:
            await self.tell(taken_up(again))
        self._assign(again)
        return tuple(again)

    def stop(self, name: str | None = None) -> tuple[Turn, ...]:
        """Stop all turns that run or wait, or one agent's; returns them."""
        stopped = []
        for session in self.sessions.all():
            if name in (None, session.name):
                for turn in session.turns:
                    session.stop(turn)
                    stopped.append(turn)
        return tuple(stopped)

    def reset(self, name: str) -> None:
        """Stop an agent and begin his conversation afresh; Caesar is told whether he answers then."""

        async def then(end: End) -> None:
            await self.tell(reset_sentence(name, end))

        self.stop(name)
        self.sessions.of(name).reset(then)

    # --- between agents ------------------------------------------------------------------------------------

    async def dispatch(self, name: str, text: str) -> str:
        """The Legatus asks a centurio for Caesar's sake and gets his final text.

        Raises `Refused` when there is no such centurio, when the hop budget is used up (Caesar is told), or
        when the centurio failed, with the reason.
        """
        if name not in self._roster.names():
            known = ", ".join(self._roster.names()) or "nobody"
            raise Refused(f"there is no centurio '{name}'.", remedy=f"There is: {known}.")
        asking = self.sessions.of(LEGATUS).current
        if asking is None:
            raise Refused("there is no turn of the Legatus to dispatch for.")
        sending = asyncio.create_task(self._dispatched(asking, name, text), name=f"dispatch:{name}")
        self._sending.add(sending)
        sending.add_done_callback(self._sending.discard)
        try:
            _, answer = await asyncio.shield(sending)
            return await answer
        except asyncio.CancelledError:
            # What had begun to be written is written all the same: a turn that somebody has to end.
            sending.add_done_callback(self._call_back)
            raise

    async def post(self, text: str, audience: Sequence[str]) -> Nuntius:
        """The Legatus says something that asks for no answer; Caesar gets it if he is addressed."""
        known = {CAESAR, ALL, *self._roster.names()}
        unknown = [name for name in audience if name not in known]
        if unknown or not audience:
            raise Refused(
                f"unknown audience: {', '.join(unknown) or 'nobody'}.", remedy="Use list_centuriones."
            )
        heard = (ALL,) if ALL in audience else distinct(audience)
        nuntius = written(LEGATUS, text, heard, self._record.clock.now())
        parcels: tuple[Parcel, ...] = ()
        if heard == (ALL,) or CAESAR in heard:
            asking = self.sessions.of(LEGATUS).current
            carrier = asking or Turn(0, LEGATUS, nuntius, root=0)
            parcels = self._record.messenger.answer(carrier, self._endings.heading(LEGATUS), text)
        posted = await self._record.nuntii.post(nuntius, parcels)
        self._record.messenger.wake()
        return posted

    # --- out -----------------------------------------------------------------------------------------------

    def told(self, turn: Turn) -> context.Told:
        """What an agent has to know beside the record: the others' state, and who was not found."""
        notices: tuple[str, ...] = ()
        if turn.agent != LEGATUS:
            return context.Told()
        if turn.nuntius.sender == CAESAR:
            unknown = mentions.find(turn.nuntius.text, self._roster.names()).unknown
            notices = tuple(
                f"Caesar wrote @{name}, but there is no centurio of that name." for name in unknown
            )
        return context.Told(status=self.status(), notices=notices)

    def status(self) -> tuple[context.AgentStatus, ...]:
        """How each centurio is: at work, awake or asleep, for how many seconds, and how many turns wait."""
        sessions = {session.name: session for session in self.sessions.all()}
        return tuple(self._status(name, sessions.get(name)) for name in self._roster.names())

    def own_status(self) -> context.AgentStatus:
        """How the Legatus himself is."""
        return self._status(LEGATUS, self.sessions.of(LEGATUS))

    def _status(self, name: str, session: Session | None) -> context.AgentStatus:
        if session is None or not (session.live or session.current):
            return context.AgentStatus(name, "asleep")
        seconds = int(self._record.clock.monotonic() - session.since)
        if session.current is None:
            return context.AgentStatus(name, "awake", seconds, len(session.turns))
        return context.AgentStatus(name, "at work", seconds, len(session.turns) - 1)

    async def tell(self, text: str, buttons: Sequence[Button] = ()) -> None:
        """A word of Legio itself to Caesar."""
        await self._record.outbox.add([self._record.messenger.notice(text, buttons)])
        self._record.messenger.wake()

    def watch(self, turn: Turn, event: Event) -> None:
        """Show Caesar what an agent does for him."""
        self._record.messenger.progress(turn, event)

    async def settle(self, turn: Turn, outcome: Outcome) -> None:
        """Write how a turn ended, with what Caesar has to be told of it, in one transaction."""
        ending = self._endings.of(turn, outcome)
        await self._record.turns.end(turn, ending, outcome.thread)
        self._record.messenger.progress(turn, outcome.end)
        self._record.messenger.wake()
        report(turn, ending)
        waiting = self._dispatches.pop(turn.id, None)
        if waiting is not None and not waiting.done():
            match outcome.end:
                case Failed() | Stopped() as end:
                    waiting.set_exception(Refused(sentence(turn.agent, end)))
                case answered:
                    waiting.set_result(answered.text)

    async def _close(self, turn: Turn, ending: Ending) -> None:
        await self._record.turns.end(turn, ending)
        self._record.messenger.wake()

    async def _dispatched(self, asking: Turn, name: str, text: str) -> Dispatched:
        """The turn, written and given to its session, and where its answer will be found."""
        async with self._dispatching:  # or dispatches at once would all find the budget unspent
            await self._spend_a_hop(asking)
            nuntius = written(LEGATUS, text, (name,), self._record.clock.now(), reply_to=asking.nuntius)
            (turn,) = await self._record.turns.admit(nuntius, [name], root=asking.root)
        answer = self._dispatches[turn.id] = asyncio.get_running_loop().create_future()
        self._assign([turn])
        return turn, answer

    def _call_back(self, sending: "asyncio.Task[Dispatched]") -> None:
        """Stop the turn of a dispatch whose answer nobody waits for any more."""
        if sending.cancelled() or sending.exception() is not None:
            return
        turn, answer = sending.result()
        if answer.done() and not answer.cancelled():
            answer.exception()  # it failed before that, and nobody was told
        answer.cancel()
        self.sessions.of(turn.agent).stop(turn)

    async def _spend_a_hop(self, asking: Turn) -> None:
        if await self._record.nuntii.dispatched(asking.root) < HOP_BUDGET:
            return
        if self._warned_of != asking.root:
            self._warned_of = asking.root
            await self.tell(
                f"⛔ The Legatus wanted to dispatch more than {HOP_BUDGET} times for one message of"
                " yours; the rest was refused. Write again if it should go on."
            )
        raise Refused(
            f"the budget of {HOP_BUDGET} dispatches for this message of Caesar's is used up.",
            remedy="Answer with what you have; Caesar was told.",
        )

    def _addressed(self, text: str, answered: Nuntius | None) -> tuple[str, ...]:
        found = mentions.find(text, self._roster.names())
        if ALL in found.addressed:
            return (ALL,)
        if found.addressed:
            # A name that nobody bears goes to the Legatus, who is told.
            return (
                (*found.addressed, LEGATUS)
                if found.unknown and LEGATUS not in found.addressed
                else found.addressed
            )
        if answered is not None and answered.sender in self._roster.names():
            return (answered.sender,)
        return (LEGATUS,)

    def _agents(self, audience: tuple[str, ...]) -> tuple[str, ...]:
        return (LEGATUS, *self._roster.names()) if audience == (ALL,) else audience

    def _assign(self, turns: Sequence[Turn]) -> None:
        for turn in turns:
            self.sessions.of(turn.agent).submit(turn)
