"""What Caesar said, changed by what he says next: gathered, interrupted, edited, asked again.

A nuntius that nobody has been told may still become another one; one that somebody was told stays as it is,
and a new one takes its place. Which of the two it is, the record decides in the transaction that writes it.
"""

import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from legio.nuntius import CAESAR, Nuntius, Turn, TurnState
from legio.ports import Cause, Change, Ending, Press, Source
from legio.record import Record
from legio.sessions import Sessions

URGENT = "!"
CORRECTION = "I have edited what I wrote before. This takes its place:\n\n"
"""Stands above the text of a nuntius that takes the place of one that somebody was told."""
SENT_APART = timedelta(seconds=1)
"""By how much Telegram's times of two quick messages may differ: it counts whole seconds."""
GATHERED_CHARACTERS = 20_000
"""How much is gathered into one nuntius at most."""
ASKED_AGAIN = uuid.UUID("2f2a6a4e-3a5b-4c86-9d0c-6a1c0e3b7f11")
"""Names the nuntii that ask a turn's question once more: the same turn gives the same id."""


@dataclass(frozen=True, slots=True)
class _Last:
    """What Caesar said last; `heard` is on the monotonic clock, `sent` as Telegram has it."""

    nuntius: Nuntius
    heard: float
    sent: datetime | None


class Changes:
    """What becomes of words that change earlier ones. `sessions` gives them, who are built later."""

    def __init__(self, record: Record, sessions: Callable[[], Sessions], *, gather_seconds: float) -> None:
        self._record = record
        self._sessions = sessions
        self._gather_seconds = gather_seconds
        self._last: _Last | None = None

    # --- gathered ------------------------------------------------------------------------------------------

    def heard(self, nuntius: Nuntius, sent: datetime | None) -> None:
        """A nuntius was admitted: what comes quickly after it may belong to it."""
        self._last = _Last(nuntius, self._record.clock.monotonic(), sent)

    @property
    def last_seq(self) -> int:
        """The nuntius that Caesar's last words are in; 0 before he said any."""
        return 0 if self._last is None else self._last.nuntius.seq

    async def gather(self, nuntius: Nuntius, cause: Cause, sent: datetime | None) -> bool:
        """Join what Caesar says now to what he said just before, if nobody has been told that."""
        last = self._last
        if last is None or len(cause.parts) != 1 or not self._follows(nuntius, last, sent):
            return False
        ((message, text),) = cause.parts.items()
        update_id, *_ = cause.updates
        joined = await self._record.corrections.join(
            last.nuntius.seq, text, update_id=update_id, message=message
        )
        if joined is not None:
            self.heard(joined, sent)
        return joined is not None

    def _follows(self, nuntius: Nuntius, last: _Last, sent: datetime | None) -> bool:
        quickly = self._record.clock.monotonic() - last.heard <= self._gather_seconds
        together = sent is None or last.sent is None or abs(sent - last.sent) <= SENT_APART
        return (
            self._gather_seconds > 0
            and quickly
            and together
            and nuntius.audience == last.nuntius.audience
            and nuntius.reply_to in (None, last.nuntius.reply_to)
            and nuntius.quote in (None, last.nuntius.quote)
            and not nuntius.attachments
            and len(last.nuntius.text) + len(nuntius.text) <= GATHERED_CHARACTERS
        )

    # --- interrupted ---------------------------------------------------------------------------------------

    async def interrupt(self, nuntius: Nuntius, agents: Sequence[str], cause: Cause) -> Change:
        """Ask this instead of what the agents are at, and of what waits for them from Caesar."""
        stopped = [
            (turn, self._stopped_for_another(turn))
            for session in map(self._sessions().of, agents)
            for turn in session.turns
            if turn.nuntius.sender == CAESAR or turn is session.current
        ]
        change = await self._record.corrections.replace(nuntius, agents, cause, stopped)
        self._let_go(change.stopped)
        return change

    def _stopped_for_another(self, turn: Turn) -> Ending:
        said = f"⏹ {turn.agent}: stopped for your new message."
        again = Press.RETRY.button(turn.id, "🔁 Ask again")
        word = self._record.messenger.notice(said, [again], reply_to=turn.message, about=turn.agent)
        parcels = (word,) if turn.nuntius.sender == CAESAR else ()
        return Ending(TurnState.STOPPED, None, parcels, detail="Caesar said something else instead")

    # --- edited --------------------------------------------------------------------------------------------

    def edited(self, source: Source, message: int, text: str) -> Source | None:
        """What Caesar's messages say after the edit of one; None if it says what it said."""
        if source.parts.get(message) == text:
            return None
        parts = {**source.parts, message: text}
        mark = CORRECTION if source.nuntius.text.startswith(CORRECTION) else ""
        return Source(replace(source.nuntius, text=mark + "\n".join(parts.values())), parts)

    async def edit(self, edited: Source, agents: Sequence[str], update_id: int) -> Change:
        """The edited nuntius, with the audience it has now, is asked instead of the one before."""
        change = await self._amend(edited, agents, update_id)
        if change is None:
            change = await self._correct(edited, agents, update_id)
        if edited.nuntius.seq == self.last_seq:
            self._last = None  # what it was compared by is not what it says any more
        self._let_go(change.stopped)
        return change

    async def _amend(self, edited: Source, agents: Sequence[str], update_id: int) -> Change | None:
        waiting = (turn for session in self._sessions().all() for turn in session.turns)
        left = [it.agent for it in waiting if it.nuntius.seq == edited.nuntius.seq and it.agent not in agents]
        rest = f" {_names(left)}: not asked any more." if left else ""
        said = f"✏️ Taken: it waits for {_names(agents)} as it stands now.{rest}"
        cause = self._cause(edited, update_id, said)
        return await self._record.corrections.amend(edited.nuntius, agents, cause, _stopped_by_edit())

    async def _correct(self, edited: Source, agents: Sequence[str], update_id: int) -> Change:
        before = edited.nuntius
        text = before.text if before.text.startswith(CORRECTION) else CORRECTION + before.text
        nuntius = replace(
            before,
            id=str(uuid.uuid4()),
            seq=0,
            text=text,
            timestamp=self._record.clock.now(),
            reply_to=before.id,
        )
        stopped = [
            (turn, _stopped_by_edit())
            for session in self._sessions().all()
            for turn in session.turns
            if turn.message in edited.parts and turn.nuntius.sender == CAESAR
        ]
        cause = self._cause(edited, update_id, f"✏️ Taken: {_names(agents)} asked again, with your edit.")
        return await self._record.corrections.replace(nuntius, agents, cause, stopped)

    def _cause(self, edited: Source, update_id: int, word: str) -> Cause:
        parcel = self._record.messenger.notice(word, reply_to=min(edited.parts))
        return Cause((update_id,), edited.parts, (parcel,))

    # --- asked again ---------------------------------------------------------------------------------------

    async def again(self, turn_id: int, update_id: int) -> Turn | None:
        """Admit what a turn that came to nothing was asked once more; None if that was done, or cannot be."""
        nuntius_id = str(uuid.uuid5(ASKED_AGAIN, str(turn_id)))
        return await self._record.corrections.again(turn_id, nuntius_id, update_id=update_id)

    def _let_go(self, turns: Sequence[Turn]) -> None:
        """Their end is in the record by now: whoever is at them is told to leave them."""
        for turn in turns:
            self._sessions().of(turn.agent).stop(turn)


def urgent(text: str) -> tuple[bool, str]:
    """Whether a text interrupts, and the text without the sign for it; a sign alone says just itself."""
    rest = text.removeprefix(URGENT).strip()
    return (True, rest) if text.startswith(URGENT) and rest else (False, text)


def _stopped_by_edit() -> Ending:
    return Ending(TurnState.STOPPED, None, (), detail="Caesar edited his message")


def _names(agents: Sequence[str]) -> str:
    return " and ".join(filter(None, [", ".join(agents[:-1]), agents[-1]]))
