"""What the end of a turn means: for the record, for Caesar's phone, for the log and for whoever waits."""

import uuid
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import assert_never

import structlog

from legio.brevity import on_one_line
from legio.errors import LegioError
from legio.events import ADVICE, Answered, End, Failed, Fault, Stopped, Usage
from legio.nuntius import CAESAR, Nuntius, Turn, TurnState, reply_audience
from legio.ports import Clock, Ending, Messenger, Parcel, Passage, Press
from legio.roster import Roster
from legio.sessions import Outcome

log = structlog.get_logger()

TAKEN_UP_CHARACTERS = 80


class Endings:
    """Makes of a session's outcome what is written in one transaction. Writes nothing itself."""

    def __init__(self, messenger: Messenger, clock: Clock, roster: Roster, *, replies: str) -> None:
        self._messenger = messenger
        self._clock = clock
        self._roster = roster
        self._replies = replies

    def of(self, turn: Turn, outcome: Outcome) -> Ending:
        """The ending: an answer is a nuntius of its own, and what was Caesar's question rings his phone."""
        end = outcome.end
        match end:
            case Answered(text=text, usage=usage):
                reply = written(
                    turn.agent,
                    text,
                    reply_audience(turn.agent, turn.nuntius, self._replies),
                    self._clock.now(),
                    reply_to=turn.nuntius,
                )
                return Ending(TurnState.ANSWERED, reply, self._answer(turn, text), usage, outcome.seconds)
            case Failed(detail=detail, usage=usage):
                return Ending(TurnState.FAILED, None, self._word(turn, end), usage, outcome.seconds, detail)
            case Stopped(usage=usage):
                return Ending(TurnState.STOPPED, None, self._word(turn, end), usage, outcome.seconds)
            case _:
                assert_never(end)

    def expired(self, turn: Turn) -> Ending:
        """The ending of a turn that nobody was there to take up in time."""
        said = f"⌛ {turn.agent}: this waited for more than a day while Legio was down: it was not answered."
        word = self._messenger.notice(said, reply_to=turn.message, about=turn.agent)
        return Ending(TurnState.EXPIRED, None, (word,))

    def heading(self, agent: str) -> str:
        """Who speaks, as it stands above his words."""
        try:
            return f"{agent} — {self._roster.profile(agent).description}"
        except LegioError:
            return agent  # its prompt broke, or it was removed, while it answered

    def _answer(self, turn: Turn, text: str) -> tuple[Parcel, ...]:
        if turn.nuntius.sender != CAESAR:
            return ()
        return self._messenger.answer(turn, self.heading(turn.agent), text)

    def _word(self, turn: Turn, end: Failed | Stopped) -> tuple[Parcel, ...]:
        """What Caesar is told of a turn that gave no answer; of a dispatch's failure the Legatus tells."""
        if turn.nuntius.sender != CAESAR:
            return ()
        again = Press.RETRY.button(turn.id, "🔁 Ask again")
        said = sentence(turn.agent, end)
        return (self._messenger.notice(said, [again], reply_to=turn.message, about=turn.agent),)


def written(
    sender: str, text: str, audience: tuple[str, ...], now: datetime, *, reply_to: Nuntius | None = None
) -> Nuntius:
    """A new nuntius, not yet in the praetorium."""
    answered = reply_to.id if reply_to else None
    return Nuntius(str(uuid.uuid4()), sender, text, audience, now, reply_to=answered)


def sentence(agent: str, end: Failed | Stopped) -> str:
    """What failed and what to do, in one plain sentence, with nothing of the inside."""
    match end:
        case Failed(fault=Fault.UNFIT, detail=detail):
            return f"⛔ {agent}: {ADVICE[Fault.UNFIT]}\n{detail}"
        case Failed(fault=Fault.RATE_LIMIT, until=datetime() as until):
            return f"⛔ {agent}: the model's rate limit is used up until {_minute(until)}. Write again then."
        case Failed(fault=fault):
            return f"⛔ {agent}: {ADVICE[fault]}"
        case Stopped():
            return f"⏹ {agent}: stopped."


def _minute(until: datetime) -> str:
    """The first full minute at which it is over; with its day, as some limits last for a week."""
    over = (until.astimezone(UTC) + timedelta(seconds=59, microseconds=999_999)).replace(
        second=0, microsecond=0
    )
    return f"{over:%H:%M} UTC on {over.day} {over:%B}"


def reset_sentence(agent: str, end: End) -> str:
    """Whether an agent answers after his conversation was begun afresh."""
    match end:
        case Answered():
            return f"✅ {agent} begins afresh, and answers. What was said is kept in the praetorium."
        case Failed() | Stopped():
            return f"⚠️ {agent} begins afresh, but does not answer yet.\n{sentence(agent, end)}"


def taken_up(turns: Sequence[Turn]) -> str:
    """What Caesar is told after a restart."""
    rows = [f"· {turn.agent}: {on_one_line(turn.nuntius.gist, TAKEN_UP_CHARACTERS)}" for turn in turns]
    return "\n".join(["♻️ Legio was restarted and takes up again:", *rows])


def way(passage: Passage) -> tuple[tuple[str, str], ...]:
    """The way of a turn in words, each figure under its name."""
    turn, usage = passage.turn, passage.usage
    dispatched = "" if turn.root == turn.nuntius.seq else f", dispatched for nuntius {turn.root}"
    became = turn.state if passage.reply is None else f"answered by nuntius {passage.reply.seq}"
    return (
        ("Update", "not recorded" if passage.update_id is None else str(passage.update_id)),
        ("Nuntius", f"{turn.nuntius.seq}{dispatched}; {became}"),
        ("Turn", str(turn.id)),
        ("Agent", turn.agent),
        ("Model", usage.model or "not known"),
        ("Tokens", _tokens(usage)),
        ("Cost", f"${usage.cost_usd:.4f}"),
        ("Seconds", f"{passage.seconds:.1f}"),
        ("Tries", str(passage.tries)),
        ("Chunks", str(passage.parcels)),
    )


def _tokens(usage: Usage) -> str:
    cache = f"{usage.cache_read_tokens:,} read from the cache, {usage.cache_write_tokens:,} written to it"
    spent = f"{usage.input_tokens:,} in, {cache}, {usage.output_tokens:,} out"
    return f"{spent}; context {usage.context_tokens:,}"


def report(turn: Turn, ending: Ending) -> None:
    """The one canonical log line of a turn."""
    usage = ending.usage
    say = log.warning if ending.state is TurnState.FAILED else log.info
    say(
        "turn.ended",
        turn=turn.id,
        nuntius=turn.nuntius.seq,
        agent=turn.agent,
        outcome=str(ending.state),
        seconds=round(ending.seconds, 3),
        tokens_in=usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens,
        tokens_out=usage.output_tokens,
        cost_usd=round(usage.cost_usd, 6),
        detail=ending.detail,
    )
