"""👀 on a message that waits behind another one: it was seen, and its turn comes.

Passing, as all that is only pleasant: set at once or, where Telegram does not bear it now, not at all, and
never before the message is on the disk. It goes when all whom the message was for have begun with it; then
the roll-call tells more.
"""

from typing import Final

from legio.bot.alarm import Alarm
from legio.bot.pace import Pace
from legio.bot.rollcall import Chat
from legio.events import Answered, Event, Failed, Stopped, Waiting
from legio.nuntius import Turn
from legio.ports import Clock

SEEN: Final = "👀"
PER_SECOND: Final = 1.0
BURST: Final = 6
"""Telegram names no bound for reactions; this stays far below what it bears in messages."""
LATER_SECONDS: Final = 2.0


class Reactions:
    """`show` from any task of the loop; `run` is one task's body, for ever."""

    def __init__(self, chat: Chat, clock: Clock) -> None:
        self._chat = chat
        self._pace = Pace(clock, per_second=PER_SECOND, burst=BURST)
        self._open: dict[int, str] = {}
        self._waiting: dict[int, set[int]] = {}
        self._shown: set[int] = set()
        self._due: dict[int, bool] = {}
        self._changed = Alarm(clock)

    def show(self, turn: Turn, event: Event) -> None:
        """Take note of what becomes of a turn. Never blocks, never raises."""
        match event:
            case Waiting():
                others = [agent for each, agent in self._open.items() if each != turn.id]
                self._open[turn.id] = turn.agent
                if turn.message is not None and turn.agent in others:
                    self._waiting.setdefault(turn.message, set()).add(turn.id)
                    self._want(turn.message, seen=True)
            case Answered() | Failed() | Stopped():
                self._open.pop(turn.id, None)
                self._begun(turn)
            case _:
                self._begun(turn)

    async def run(self) -> None:
        """React for ever."""
        while True:
            # What could not be taken back is tried once more, later: what stands there says something wrong.
            await self._changed.wait(LATER_SECONDS if self._due else None)
            for message, seen in list(self._due.items()):
                if self._due.get(message) is seen:
                    del self._due[message]
                    await self._react(message, seen=seen)

    def _begun(self, turn: Turn) -> None:
        """Nobody is waited for any more by a message whose last turn has begun."""
        for message in [each for each, turns in self._waiting.items() if turn.id in turns]:
            self._waiting[message].discard(turn.id)
            if not self._waiting[message]:
                del self._waiting[message]
                self._want(message, seen=False)

    def _want(self, message: int, *, seen: bool) -> None:
        self._due[message] = seen
        self._changed.ring()

    async def _react(self, message: int, *, seen: bool) -> None:
        if seen is (message in self._shown):
            return
        if self._chat.budget.quiet or not self._pace.take():
            if not seen:
                self._due.setdefault(message, seen)
            return
        await self._chat.react(message, SEEN if seen else None)
        (self._shown.add if seen else self._shown.discard)(message)
