"""One roll-call: who was called for one nuntius of Caesar's, and how each stands. Decides; shows nothing.

A turn on it is in one state at a time and, once it has ended, in the same one for ever, whatever comes late.
An agent who was called more than once (dispatches) stands on it once.
"""

from dataclasses import dataclass, field
from typing import Final, assert_never

from legio.bot.phrases import WAITING, fate, phrase
from legio.events import Answered, End, Event, Failed, Stopped, Thinking, Waiting, Writing
from legio.nuntius import CAESAR, Turn, TurnState
from legio.ports import Called

PATIENCE_SECONDS: Final = 0.7
"""Where all have answered sooner, there is no roll-call."""

EDIT_SECONDS: Final = 1.0
"""It is edited at most this often, but for its end."""

FOLD_SECONDS: Final = 0.3
"""How long after the last end it is folded: the answer goes first."""

TICK_SECONDS: Final = 5.0
SLOW_TICK_SECONDS: Final = 30.0
SLOW_AFTER_SECONDS: Final = 60.0
"""How often only the seconds are brought up to date: the longer it takes, the less often."""

_RECORDED: Final = {TurnState.FAILED: "failed", TurnState.STOPPED: "stopped", TurnState.EXPIRED: "expired"}


@dataclass(slots=True)
class Entry:
    """One turn. `asked` by Caesar himself; `draft` is what is being written; `since` and `seconds` are on
    the monotonic clock.
    """

    turn: int
    agent: str
    asked: bool
    since: float
    words: str = WAITING
    draft: str = ""
    state: TurnState = TurnState.PENDING
    seconds: float = 0.0

    def note(self, event: Event, now: float) -> None:
        """Take note of a step, or of the end."""
        match event:
            case Answered() | Failed() | Stopped():
                self._end(event, now)
            case step:
                self.words = phrase(step) or self.words
                self.state = TurnState.PENDING if isinstance(step, Waiting) else TurnState.RUNNING
                if isinstance(step, Writing):
                    self.draft = step.text
                elif isinstance(step, Thinking):
                    self.draft = ""  # the stream starts, or starts over: what it had written is void

    def _end(self, end: End, now: float) -> None:
        self.words, self.draft, self.seconds = fate(end), "", now - self.since
        match end:
            case Answered():
                self.state = TurnState.ANSWERED
            case Failed():
                self.state = TurnState.FAILED
            case Stopped():
                self.state = TurnState.STOPPED
            case _:
                assert_never(end)


@dataclass(slots=True)
class Roll:
    """The turns under the nuntius of seq `root`, and what is known of the message that shows them.

    `message` is None until it stands in the chat; `shown` is the substance that stands there. `ended` is when
    the last end came. `lost`: it cannot be changed any more.
    """

    root: int
    since: float
    streaming: bool
    entries: dict[int, Entry] = field(default_factory=dict)
    message: int | None = None
    shown: tuple[object, ...] = ()
    ends_shown: int = 0
    drawn: float = 0.0
    ended: float = 0.0
    lost: bool = False

    def note(self, turn: Turn, event: Event, now: float) -> None:
        """Take note of what a turn does; nothing is said of one that has ended."""
        entry = self.entries.get(turn.id)
        if entry is None:
            entry = Entry(turn.id, turn.agent, turn.nuntius.sender == CAESAR, now)
            self.entries[turn.id] = entry
        if not entry.state.ended:
            entry.note(event, now)
            self.ended = now if entry.state.ended else self.ended

    def recall(self, called: Called, now: float) -> None:
        """Take over how a turn stands in the record, unless more is known of it."""
        if called.turn in self.entries:
            return
        words = _RECORDED.get(called.state, WAITING)
        if called.state is TurnState.ANSWERED:
            words = ""
        self.entries[called.turn] = Entry(
            called.turn,
            called.agent,
            called.asked,
            now,
            words=words,
            state=called.state,
            seconds=called.seconds,
        )
        self.entries = dict(sorted(self.entries.items()))

    @property
    def called(self) -> tuple[Entry, ...]:
        """One entry an agent, in the order of the roll: what he is at, else how he ended for Caesar."""
        chosen: dict[str, Entry] = {}
        for entry in self.entries.values():
            other = chosen.setdefault(entry.agent, entry)
            chosen[entry.agent] = max(other, entry, key=_weight)
        return tuple(chosen.values())

    @property
    def over(self) -> bool:
        """Whether all that were called have ended."""
        return all(entry.state.ended for entry in self.entries.values())

    @property
    def ends(self) -> int:
        """How many have ended."""
        return sum(entry.state.ended for entry in self.entries.values())

    @property
    def urgent(self) -> bool:
        """Whether more has to be told than what somebody is doing: that he is called, or has ended."""
        return self.message is None or self.ends_shown != self.ends

    @property
    def substance(self) -> tuple[object, ...]:
        """What it says, but for the seconds."""
        return tuple(
            (entry.agent, entry.state, entry.words, entry.draft if self.streaming else "")
            for entry in self.called
        )

    def moment(self) -> float | None:
        """When it is to be shown next; None when never, as things are."""
        if self.lost or (self.over and self.message is None):
            return None
        if self.over:
            return max(self.drawn, self.ended + FOLD_SECONDS)
        if self.message is None:
            return self.since + PATIENCE_SECONDS
        if self.shown != self.substance:
            return self.drawn + EDIT_SECONDS
        slow = self.drawn - self.since >= SLOW_AFTER_SECONDS
        return self.drawn + (SLOW_TICK_SECONDS if slow else TICK_SECONDS)


def _weight(entry: Entry) -> tuple[bool, bool, bool, int]:
    open_ = not entry.state.ended
    return (open_, entry.state is TurnState.RUNNING, entry.asked, entry.turn)
