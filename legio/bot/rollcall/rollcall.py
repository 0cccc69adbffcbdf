"""When a roll-call is shown, and what a restart has to know of it.

`show` takes note and returns; the tasks behind it draw, as far as the chat's budget goes: first what has
ended or was called, then what is being written, whichever was drawn longest ago. A roll-call that was folded
is never touched again. Which messages stand is written down beside the turns' way, and once one stands.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Iterator
from typing import Final

import structlog

from legio.bot.alarm import Alarm
from legio.bot.pace import kept
from legio.bot.rollcall.chat import Chat, Refusal
from legio.bot.rollcall.drafts import Drafts
from legio.bot.rollcall.face import face, paused
from legio.bot.rollcall.presence import Typing
from legio.bot.rollcall.roll import Entry, Roll
from legio.config import Streaming
from legio.errors import LegioError
from legio.events import Event
from legio.nuntius import Turn
from legio.ports import RollCalls, Standing

PROGRESS_BROKEN: Final = "progress.broken"
PROGRESS_UNWRITTEN: Final = "progress.unwritten"

REST_SECONDS: Final = 5.0
CLOSE_SECONDS: Final = 2.0

OVER_REMEMBERED: Final = 1000
"""Roll-calls that are remembered when they are over, so that a late step shows nothing."""

log = structlog.get_logger()


class RollCall:
    """`show` from any task of the loop; `run` is the one task's body, until `close` or cancellation."""

    def __init__(self, chat: Chat, record: RollCalls, *, streaming: Streaming = "edit") -> None:
        self._chat = chat
        self._clock = chat.clock
        self._record = record
        self._streaming = streaming
        self._rolls: dict[int, Roll] = {}
        self._over: deque[int] = deque(maxlen=OVER_REMEMBERED)
        self._typing = Typing(chat, self._since, lambda: {entry.agent for entry in self._at_work()})
        self._drafts = Drafts(chat, self._at_work)
        self._changed = Alarm(self._clock)
        self._finished = Alarm(self._clock)
        self._running = False
        self._closing = False

    def show(self, turn: Turn, event: Event) -> None:
        """Take note of what a turn does. Never blocks, never raises."""
        if self._closing or turn.root in self._over:
            return
        roll = self._rolls.get(turn.root)
        if roll is None:
            roll = self._rolls[turn.root] = self._new(turn.root)
        before, called = (roll.moment(), roll.urgent), len(roll.entries)
        roll.note(turn, event, self._clock.monotonic())
        if len(roll.entries) > called:
            self._typing.look()
        if (roll.moment(), roll.urgent) != before or roll.over:
            self._changed.ring()
        if self._streaming == "draft":
            self._drafts.look()

    async def take_up(self) -> None:
        """At the start: go on with what an earlier process left standing, or fold it."""
        try:
            standing = await self._record.standing()
        except LegioError as error:
            log.warning(PROGRESS_UNWRITTEN, error=str(error))
            return
        for left in standing:
            await self._adopt(left)
        self._changed.ring()

    async def run(self) -> None:
        """Show for ever, until closed."""
        self._running = True
        try:
            async with asyncio.TaskGroup() as group:
                passing = [group.create_task(self._guard(self._typing.run), name="progress:typing")]
                if self._streaming == "draft":
                    passing.append(group.create_task(self._guard(self._drafts.run), name="progress:drafts"))
                await self._guard(self._keep)
                for task in passing:
                    task.cancel()
        finally:
            self._running = False
            self._finished.ring()

    async def close(self) -> None:
        """Say of what has not ended that it goes on later, and end `run`; bounded, idempotent."""
        self._closing = True
        self._changed.ring()
        if self._running:
            await self._finished.wait(CLOSE_SECONDS)

    def _new(self, root: int) -> Roll:
        return Roll(root, self._clock.monotonic(), streaming=self._streaming == "edit")

    async def _adopt(self, left: Standing) -> None:
        roll = self._rolls.setdefault(left.root, self._new(left.root))
        if roll.message is not None:  # of two that are about the same, one is enough
            await self._chat.delete(left.message)
            await self._write(self._record.folded(left.message))
            return
        roll.message = left.message
        for called in left.turns:
            roll.recall(called, self._clock.monotonic())

    def _at_work(self) -> Iterator[Entry]:
        entries = (entry for roll in self._rolls.values() for entry in roll.entries.values())
        return (entry for entry in entries if not entry.state.ended)

    def _since(self) -> float | None:
        return min((entry.since for entry in self._at_work()), default=None)

    async def _guard(self, body: Callable[[], Awaitable[None]]) -> None:
        while True:
            try:
                return await body()
            except Exception:  # a bug in what is passing must not end what is not: log, rest, go on
                log.exception(PROGRESS_BROKEN)
                await self._clock.sleep(REST_SECONDS)

    async def _keep(self) -> None:
        while True:
            for roll in sorted(self._rolls.values(), key=lambda roll: (not roll.urgent, roll.drawn)):
                await self._tend(roll)
            if self._closing and not self._rolls:
                return
            await self._changed.wait(self._pause())

    async def _tend(self, roll: Roll) -> None:
        moment = self._moment(roll)
        if moment is None:
            if roll.over or self._closing:
                self._drop(roll)
        elif moment <= self._clock.monotonic() and self._chat.budget.spare(self._kept()):
            await self._draw(roll)

    def _moment(self, roll: Roll) -> float | None:
        """When the roll is to be shown next; at once, if at all, when Legio stops."""
        if not self._closing:
            return roll.moment()
        return None if roll.lost or roll.message is None else 0.0

    async def _draw(self, roll: Roll) -> None:
        now = roll.drawn = self._clock.monotonic()
        substance, ends, over, pausing = roll.substance, roll.ends, roll.over, self._closing
        shown = paused(roll, now) if pausing and not over else face(roll, now)
        if roll.message is None:
            outcome = await self._chat.stand(shown, {entry.agent for entry in roll.entries.values()})
            if isinstance(outcome, int):
                roll.message = outcome
                await self._write(self._record.stands(outcome, roll.root))
        else:
            outcome = await self._chat.edit(roll.message, shown) or roll.message
        if outcome is Refusal.LATER:
            return
        if outcome is Refusal.LOST:
            roll.lost = True
        roll.shown, roll.ends_shown = substance, ends
        if roll.message is not None and (over or roll.lost):
            await self._write(self._record.folded(roll.message))
        if over or pausing:
            self._drop(roll)

    def _drop(self, roll: Roll) -> None:
        """It is never touched again."""
        self._over.append(roll.root)
        self._rolls.pop(roll.root, None)

    async def _write(self, change: Awaitable[None]) -> None:
        try:
            await change
        except LegioError as error:
            # It costs one edit too many, or one message that stands, after a restart: no more than that.
            log.warning(PROGRESS_UNWRITTEN, error=str(error))

    def _pause(self) -> float | None:
        """Seconds until something can be done again; None when only a new event can bring that."""
        now = self._clock.monotonic()
        pauses = [
            max(moment - now, self._chat.budget.spare_delay(self._kept()))
            for roll in self._rolls.values()
            if (moment := self._moment(roll)) is not None
        ]
        return max(min(pauses), 0.0) if pauses else None

    def _kept(self) -> int:
        # When Legio stops nobody answers any more, and what was said has been sent.
        return 0 if self._closing else kept(sum(1 for _ in self._at_work()))
