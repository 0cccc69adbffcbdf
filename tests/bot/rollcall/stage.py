"""A roll-call at work over a scripted Telegram, and all around it."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from legio.bot.pace import Budget
from legio.bot.rollcall import RollCall
from legio.config import Streaming
from legio.events import Answered, Event, Usage, Waiting
from legio.nuntius import LEGATUS, Nuntius, Turn
from tests.bot.wire import Call, FakeTelegram, MemoryRollCalls, bot_on, chat_on
from tests.clocks import FakeClock, settled

CHAT = 9
ROOT = 40
DONE = Answered("x", Usage())
NUNTIUS = Nuntius("id", "caesar", "?", ("vorenus",), datetime(2026, 3, 15, tzinfo=UTC), seq=ROOT)
VORENUS = Turn(1, "vorenus", NUNTIUS, root=ROOT)
PULLO = Turn(2, "pullo", NUNTIUS, root=ROOT)
BRUTUS = Turn(3, "brutus", NUNTIUS, root=ROOT)


def dispatched(turn: Turn, number: int) -> Turn:
    """A turn of the same agent under the same root, for which the Legatus asked."""
    return replace(turn, id=number, nuntius=replace(NUNTIUS, sender=LEGATUS))


@dataclass
class Stage:
    """What a scene needs at hand."""

    clock: FakeClock
    telegram: FakeTelegram
    record: MemoryRollCalls
    budget: Budget
    roll_call: RollCall
    task: asyncio.Task[None]

    async def call(self, *turns: Turn, then: float = 0.0) -> None:
        """These were given a nuntius of Caesar's."""
        for turn in turns:
            self.roll_call.show(turn, Waiting())
        await self.clock.run(then)

    async def show(self, event: Event, turn: Turn = VORENUS, *, then: float = 0.0) -> None:
        self.roll_call.show(turn, event)
        await self.clock.run(then)

    @property
    def shown(self) -> list[Call]:
        return self.telegram.of("sendMessage", "editMessageText", "deleteMessage")

    @property
    def lines(self) -> list[tuple[str, str]]:
        """What became of the status messages: method and text."""
        return [(it.method, it.parameters.get("text", "")) for it in self.shown]

    @property
    def last(self) -> str:
        return str(self.shown[-1].parameters["text"])

    @property
    def buttons(self) -> list[tuple[str, str]]:
        """The buttons under the message, as it was last shown."""
        markup = self.shown[-1].parameters.get("reply_markup") or {"inline_keyboard": []}
        return [(it["text"], it["callback_data"]) for row in markup["inline_keyboard"] for it in row]

    @property
    def typed(self) -> list[float]:
        return [call.at for call in self.telegram.of("sendChatAction")]


@contextlib.asynccontextmanager
async def stage(streaming: Streaming = "edit", record: MemoryRollCalls | None = None) -> AsyncIterator[Stage]:
    clock = FakeClock()
    telegram = FakeTelegram(clock.monotonic)
    record = record or MemoryRollCalls()
    chat = chat_on(bot_on(telegram), CHAT, clock)
    roll_call = RollCall(chat, record, streaming=streaming)
    task = asyncio.create_task(roll_call.run(), name="roll-call")
    await settled()
    try:
        yield Stage(clock, telegram, record, chat.budget, roll_call, task)
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
