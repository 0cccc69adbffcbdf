"""Who hears a nuntius, and what becomes of the answer.

Caesar's words are addressed, recorded and given to sessions; what the sessions make of them is recorded,
with what has to go out, in one transaction. What agents say to each other is the business of `dispatches`.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import Enum, auto

from legio import context, mentions
from legio.brevity import cut
from legio.changes import Changes, urgent
from legio.dispatches import Dispatches
from legio.endings import Endings, report, reset_sentence, taken_up, written
from legio.errors import Refused
from legio.events import Answered, End, Event, Stopped, Waiting
from legio.nuntius import ALL, CAESAR, LEGATUS, Attachment, Nuntius, Quote, Turn, TurnState
from legio.ports import Button, Cause, Ending
from legio.record import Record
from legio.roster import Roster
from legio.sessions import Outcome, Session, Sessions

EXPIRY = timedelta(hours=24)
"""A question that has waited for longer is not answered any more, but said to have expired."""
HELD = "waiting for Caesar's word on the budget"

Admit = Callable[[Nuntius, Sequence[str]], Awaitable[tuple[Turn, ...]]]
"""Writes a nuntius with the turns of those agents."""

QUOTE_CHARACTERS = 1000
"""How much of what Caesar replied to is told again: to know what is meant, not to read it twice."""


@dataclass(frozen=True, slots=True)
class Said:
    """What Caesar said in one message.

    `update_id` is the update that brought it; `message` and `reply_to` are Telegram's ids of his message and
    of the one he replied to. `further` are the updates beside the first where several brought it, as those of
    an album. `quote` are the words he marked in what he replied to, `replied` is what Telegram knows of it.
    `sent` is when he sent it, to the second.
    """

    text: str
    update_id: int
    message: int | None = None
    reply_to: int | None = None
    attachments: tuple[Attachment, ...] = ()
    quote: str = ""
    replied: Quote | None = None
    further: tuple[int, ...] = ()
    sent: datetime | None = None

    @property
    def updates(self) -> tuple[int, ...]:
        """All the updates that brought it."""
        return (self.update_id, *self.further)


class Edit(Enum):
    """What became of an edit: it was taken, it says what was said before, or no nuntius came of that."""

    TAKEN = auto()
    UNCHANGED = auto()
    UNKNOWN = auto()


class Legatus:
    """The way of a nuntius through the legion. `sessions` is set by whoever builds both."""

    sessions: Sessions

    def __init__(
        self,
        record: Record,
        roster: Roster,
        *,
        replies: str,
        local_time: Callable[[], str] = lambda: "",
        gather_seconds: float = 0.0,
        place: Callable[[int | None], str] = lambda _: "",
    ) -> None:
        self._record = record
        self._local_time = local_time
        self._place = place
        self._roster = roster
        self._endings = Endings(record.messenger, record.clock, roster, replies=replies)
        self.dispatches = Dispatches(record, roster, self._endings, lambda: self.sessions)
        self._changes = Changes(record, lambda: self.sessions, gather_seconds=gather_seconds)

    # --- in ----------------------------------------------------------------------------------------------

    async def hear(self, said: Said) -> tuple[Turn, ...]:
        """Record what Caesar said and give it to whom he addressed; returns what is new for them.

        That is nothing, if it was heard before, or belongs to what he said just before.
        """
        interrupts, text = urgent(said.text)
        answered = await self._answered(said)
        audience = self._addressed(text, answered, said.message)
        nuntius = replace(
            written(CAESAR, text, audience, self._record.clock.now(), reply_to=answered),
            attachments=said.attachments,
            quote=_quoted(said, answered),
        )
        turns = await self._admitted(nuntius, said, interrupts=interrupts)
        self._assign(turns)
        return turns

    async def _admitted(self, nuntius: Nuntius, said: Said, *, interrupts: bool) -> tuple[Turn, ...]:
        agents = self._agents(nuntius.audience)
        cause = Cause(said.updates, {} if said.message is None else {said.message: nuntius.text})
        if interrupts:
            turns = (await self._changes.interrupt(nuntius, agents, cause)).admitted
            self._record.messenger.wake()
        elif await self._changes.gather(nuntius, cause, said.sent):
            self._wait_too(said)
            return ()
        else:
            turns = await self._record.turns.admit(
                nuntius, agents, update_id=said.updates, message=said.message
            )
        if turns:
            self._changes.heard(turns[0].nuntius, said.sent)
        return turns

    def _wait_too(self, said: Said) -> None:
        """Show that a gathered message waits, as the one does that it belongs to now."""
        seq = self._changes.last_seq
        for turn in (turn for session in self.sessions.all() for turn in session.turns):
            if turn.nuntius.seq == seq:
                self._record.messenger.progress(replace(turn, message=said.message), Waiting())

    async def edit(self, said: Said) -> Edit:
        """Caesar edited a message: what it says now is asked instead. Only then its letter is ended."""
        source = None if said.message is None else await self._record.corrections.source(said.message)
        if source is None or said.message is None:
            return Edit.UNKNOWN
        edited = self._changes.edited(source, said.message, urgent(said.text)[1])
        if edited is None:
            return Edit.UNCHANGED
        audience = self._addressed(edited.nuntius.text, await self._answered(said), said.message)
        edited = replace(edited, nuntius=replace(edited.nuntius, audience=audience))
        change = await self._changes.edit(edited, self._agents(audience), said.update_id)
        self._record.messenger.wake()
        self._assign(change.admitted)
        return Edit.TAKEN

    async def retry(self, turn_id: int, *, update_id: int) -> Turn | None:
        """Ask an agent once more what he failed, was stopped at, or was too late for; ends that letter.

        None if there is nothing to ask once more, or it was asked once more already.
        """
        turn = await self._changes.again(turn_id, update_id)
        if turn is not None:
            self._assign([turn])
        return turn

    async def _answered(self, said: Said) -> Nuntius | None:
        return None if said.reply_to is None else await self._record.nuntii.by_message(said.reply_to)

    async def hear_again(self, text: str, origin: str, admit: Admit) -> tuple[Turn, ...]:
        """Words in Caesar's name that he did not write just then: recorded by `admit`, given to agents."""
        audience = self._addressed(text, None)
        nuntius = written(CAESAR, text, audience, self._record.clock.now())
        turns = await admit(replace(nuntius, origin=origin), self._agents(audience))
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
        return self.stop_where(lambda turn: name in (None, turn.agent))

    def stop_where(self, wanted: Callable[[Turn], bool]) -> tuple[Turn, ...]:
        """Stop the turns that run or wait and are wanted; returns them."""
        stopped = []
        for session in self.sessions.all():
            for turn in filter(wanted, session.turns):
                session.stop(turn)
                stopped.append(turn)
        return tuple(stopped)

    def reset(self, name: str) -> None:
        """Stop an agent and begin his conversation afresh; Caesar is told whether he answers then."""

        async def then(end: End) -> None:
            await self.tell(reset_sentence(name, end))

        self.stop(name)
        self.sessions.of(name).reset(then)

    def sleep(self, name: str) -> str:
        """Put an agent to sleep once all his work is done; returns a sentence."""
        session = self.sessions.of(name)
        if not session.live:
            return f"{name} is asleep already."
        busy = not session.quiet
        session.sleep()
        if busy:
            return f"{name} sleeps once his work is done."
        return f"{name} goes to sleep; his thread is kept."

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
        return context.Told(status=self.status(), notices=notices, now=self._local_time())

    def status(self) -> tuple[context.AgentStatus, ...]:
        """How each centurio is: at work, held, awake or asleep, for how many seconds, and who waits."""
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
        state = HELD if session.held else "at work"
        waiting = [turn for turn in session.turns if turn.id != session.current.id]
        return context.AgentStatus(name, state, seconds, len(waiting))

    async def tell(self, text: str, buttons: Sequence[Button] = ()) -> None:
        """A word of Legio itself to Caesar."""
        await self._record.tell(text, buttons)

    async def cause(self) -> str:
        """The id of Caesar's nuntius that the Legatus answers now; raises `Refused` if there is none."""
        turn = self.sessions.of(LEGATUS).current
        root = None if turn is None else await self._record.nuntii.get(turn.root)
        if root is None or root.sender != CAESAR:
            raise Refused("no message of Caesar's has led to this.", remedy="Wait until he writes.")
        return root.id

    def watch(self, turn: Turn, event: Event) -> None:
        """Show Caesar what an agent does for him."""
        self._record.messenger.progress(turn, event)

    async def settle(self, turn: Turn, outcome: Outcome) -> None:
        """Write how a turn ended, with what Caesar has to be told of it, in one transaction."""
        ending = self._endings.of(turn, outcome)
        reply = await self._record.turns.end(turn, ending, outcome.thread)
        end = outcome.end
        if reply is None and isinstance(end, Answered):
            # It was stopped in the record before its agent knew: nobody is told two answers.
            end, ending = Stopped(end.usage), replace(ending, state=TurnState.STOPPED)
        self._record.messenger.progress(turn, end)
        self._record.messenger.wake()
        report(turn, ending)
        self.dispatches.settle(turn, end)

    async def _close(self, turn: Turn, ending: Ending) -> None:
        await self._record.turns.end(turn, ending)
        self._record.messenger.wake()

    def _addressed(self, text: str, answered: Nuntius | None, message: int | None = None) -> tuple[str, ...]:
        """Whom Caesar names; else whom he replies to, else in whose place the message stands."""
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
        host = "" if found.unknown else self._place(message)
        return (host,) if host in self._roster.names() else (LEGATUS,)

    def _agents(self, audience: tuple[str, ...]) -> tuple[str, ...]:
        return (LEGATUS, *self._roster.names()) if audience == (ALL,) else audience

    def _assign(self, turns: Sequence[Turn]) -> None:
        for turn in turns:
            self.sessions.of(turn.agent).submit(turn)


def _quoted(said: Said, answered: Nuntius | None) -> Quote | None:
    """What Caesar's words are about: what he marked of it, or else its beginning."""
    if answered is not None:
        return Quote(answered.sender, cut(said.quote or answered.gist, QUOTE_CHARACTERS))
    if said.replied is not None:
        return Quote(said.replied.sender, cut(said.quote or said.replied.text, QUOTE_CHARACTERS))
    return None
