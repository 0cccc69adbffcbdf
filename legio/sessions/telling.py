"""What a thread is told, and what its row says before, meanwhile and after: values, and no process.

The row is written ahead of what it says, in the transaction that begins the turn, so that a crash in between
leaves a thread that was told less than its cursor says, and never more. `previous`, `asked` and `mark` are
what its next start finds the truth by.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import assert_never

from legio import context
from legio.events import Answered, End, Failed, Fault, Stopped
from legio.nuntius import Nuntius, Turn
from legio.ports import Enclosed, Thread
from legio.sessions.camp import Camp
from legio.sessions.thread import CONTEXT_FULL, Ready, successor

PROCESS_IS_DOUBTFUL = (Fault.CRASHED, Fault.STALLED, Fault.TOO_LONG, Fault.INTERNAL)


@dataclass(frozen=True, slots=True)
class Telling:
    """What an agent is about to be told: the text, the nuntii in it, and the row once that is told."""

    text: str
    nuntii: tuple[Nuntius, ...]
    thread: Thread


async def telling(turn: Turn, ready: Ready, enclosed: Enclosed, camp: Camp) -> Telling:
    """All that the thread has not seen yet, and then the turn's own text."""
    thread = ready.thread
    unseen = await camp.nuntii.latest(
        turn.agent,
        ready.brief.history_window,
        after=thread.cursor,
        before=turn.nuntius.seq,
        # What it said itself stands in its thread already, unless the thread is new.
        without=None if ready.new else turn.agent,
    )
    recalled = ready.recalled == turn.nuntius.id
    told = replace(camp.tell(turn), texts=enclosed.texts, flaws=enclosed.flaws, lent=enclosed.lent)
    text = context.message(turn, unseen, told, new=ready.new, recalled=recalled)
    thread = replace(
        begun(ready, unseen, camp),
        asked=turn.nuntius.id,
        previous=thread.cursor,
        cursor=max(thread.cursor, turn.nuntius.seq),
        last_active=camp.clock.now(),
    )
    return Telling(text, (*unseen, turn.nuntius), thread)


def begun(ready: Ready, unseen: Sequence[Nuntius], camp: Camp) -> Thread:
    """The row; of a new thread it says when that began, why, and what it was told."""
    if not ready.new:
        return ready.thread
    told = context.told_of(unseen)
    first = told[0].seq if told else 0
    return replace(
        ready.thread, begun=camp.clock.now(), origin=ready.new, carried=len(told), carried_from=first
    )


def untold(ready: Ready) -> Thread:
    """The row of a thread whose agent was made ready and then told nothing; a new one never came to be."""
    return replace(ready.thread, id=None) if ready.new else ready.thread


def left(thread: Thread, end: End) -> Thread:
    """The row as the end left the thread."""
    thread = replace(
        thread,
        context_tokens=end.usage.context_tokens or thread.context_tokens,
        cost_usd=thread.cost_usd + end.usage.cost_usd,
    )
    match end:
        case Answered(mark=mark):
            marked = thread.cursor if mark else thread.marked
            return replace(thread, asked="", spoiled=False, mark=mark or thread.mark, marked=marked)
        case Failed(fault=Fault.CONTEXT_FULL):
            return successor(thread, CONTEXT_FULL)
        case Failed(fault=fault) if fault in PROCESS_IS_DOUBTFUL:
            return thread  # whether it was told the question is found out at its next start
        case Failed(barren=True):
            # The question would be sent again with the next one: the thread is taken back to its mark,
            # and told the question, as all that was said since, from the record.
            return replace(thread, asked="", spoiled=True, cursor=thread.marked)
        case Failed() | Stopped():
            return replace(thread, asked="", spoiled=False)
        case _:
            assert_never(end)


def closes(end: End) -> bool:
    """Whether the process cannot be trusted any more after this end, or its thread has come to its own."""
    return isinstance(end, Failed) and end.fault in (Fault.CONTEXT_FULL, *PROCESS_IS_DOUBTFUL)
