"""The courier: everything that the outbox holds goes out, in order, at a pace that Telegram bears.

Each chat has a lane of its own, so that chats do not hold each other up; in a lane nothing overtakes. After
a failure the lane rests and then begins again with the same message, as the outbox knows it by then. What a
failure means is for `sending` to say.
"""

import asyncio
from collections.abc import Callable
from itertools import groupby
from pathlib import Path
from typing import Final, assert_never

import structlog
from telegram import Bot

from legio.bot.alarm import Alarm
from legio.bot.pace import Budget, Budgets
from legio.bot.sending import Delivered, Postponed, Undeliverable, deliver
from legio.ports import Clock, Dispatch, Outbox, Parcel

OUTBOX_SENT: Final = "outbox.sent"
OUTBOX_POSTPONED: Final = "outbox.postponed"
OUTBOX_UNDELIVERABLE: Final = "outbox.undeliverable"
OUTBOX_BROKEN: Final = "outbox.broken"

FIRST_REST_SECONDS: Final = 1.0
LONGEST_REST_SECONDS: Final = 15.0
"""The rest after a failure doubles from the first to the longest."""

LOOK_SECONDS: Final = 30.0
"""How often the outbox is looked at although nobody rang: a missed call must not hold a message for ever."""

log = structlog.get_logger()


class Courier:
    """Sends what is due; files of the castra lie below `files`.

    `run` is the one task's body; `wake` and `flush` may be called from any other.
    """

    def __init__(
        self, bot: Bot, outbox: Outbox, clock: Clock, budgets: Budgets | None = None, *, files: Path = Path()
    ) -> None:
        self._bot = bot
        self._outbox = outbox
        self._clock = clock
        self._files = files
        self._call = Alarm(clock)
        self._empty = Alarm(clock)
        self._lanes: set[int] = set()
        self._budgets = budgets or Budgets(clock)
        self._setbacks: dict[int, int] = {}
        self._listener: Callable[[Parcel, int], None] = lambda _parcel, _message: None
        self._stray: Callable[[int], None] = lambda _thread: None
        self._quiet: Callable[[], bool] = lambda: False

    def listen(self, listener: Callable[[Parcel, int], None]) -> None:
        """Tell `listener` each parcel that has arrived, and as which message."""
        self._listener = listener

    def strays(self, listener: Callable[[int], None]) -> None:
        """Tell `listener` of each topic that a message was meant for and that is gone."""
        self._stray = listener

    def hush(self, quiet: Callable[[], bool]) -> None:
        """Ask `quiet` before each message whether it may ring."""
        self._quiet = quiet

    def wake(self) -> None:
        """Look at the outbox now. Never blocks."""
        self._call.ring()

    async def run(self) -> None:
        """Send for ever, until cancelled; what was on its way then is doubtful in the next process."""
        async with asyncio.TaskGroup() as lanes:
            while True:
                await self._look(lanes)
                await self._call.wait(LOOK_SECONDS)

    async def flush(self, deadline_seconds: float) -> None:
        """Wait until nothing is due any more, or the deadline has passed. `run` has to be running."""
        self._empty.silence()  # that it was empty before is old news
        self._call.ring()
        await self._empty.wait(deadline_seconds)

    async def _look(self, lanes: asyncio.TaskGroup) -> None:
        try:
            due = await self._outbox.due()
        except Exception:  # the praetorium may be readable again at the next look
            log.exception(OUTBOX_BROKEN)
            return
        if not due and not self._lanes and not self._call.rung:
            self._empty.ring()
        ordered = sorted(due, key=lambda it: it.parcel.chat)  # stable: the order within a chat stays
        for chat, dispatches in groupby(ordered, key=lambda it: it.parcel.chat):
            if chat not in self._lanes:
                self._lanes.add(chat)
                lanes.create_task(self._lane(chat, list(dispatches)), name=f"outbox:{chat}")

    async def _lane(self, chat: int, dispatches: list[Dispatch]) -> None:
        budget = self._budgets.of(chat)
        try:
            for behind, dispatch in zip(range(len(dispatches) - 1, -1, -1), dispatches, strict=True):
                budget.owed = behind + 1
                await self._paced(budget)
                budget.owed = behind
                rest = await self._carry(dispatch)
                if rest > 0:
                    await self._clock.sleep(rest)
                    break
        except Exception:  # one lane's failure must not end the courier, nor come again at once
            log.exception(OUTBOX_BROKEN, chat=chat)
            await self._clock.sleep(self._rest(chat))
        finally:
            budget.owed = 0
            self._lanes.discard(chat)
            self.wake()

    async def _paced(self, budget: Budget) -> None:
        while not budget.messages.take():
            await self._clock.sleep(budget.messages.delay())

    async def _carry(self, dispatch: Dispatch) -> float:
        """Send one; returns how long its chat has to rest then, 0 when the next may follow."""
        await self._outbox.start(dispatch)
        outcome = await deliver(self._bot, dispatch, self._files, quiet=self._quiet())
        chat = dispatch.parcel.chat
        match outcome:
            case Delivered(message, astray):
                await self._outbox.sent(dispatch, message)
                if astray is not None:
                    self._stray(astray)
                self._listener(dispatch.parcel, message)
                self._setbacks.pop(chat, None)
                log.info(
                    OUTBOX_SENT, chat=chat, parcel=dispatch.id, message=message, tries=dispatch.tries + 1
                )
                return 0.0
            case Undeliverable(error):
                await self._outbox.failed(dispatch, error, final=True, doubtful=dispatch.doubtful)
                log.error(OUTBOX_UNDELIVERABLE, chat=chat, parcel=dispatch.id, error=error)
                return 0.0
            case Postponed():
                return await self._postpone(dispatch, outcome)
            case _:
                assert_never(outcome)

    async def _postpone(self, dispatch: Dispatch, outcome: Postponed) -> float:
        doubtful = dispatch.doubtful or outcome.doubtful
        await self._outbox.failed(dispatch, outcome.error, final=False, doubtful=doubtful)
        chat = dispatch.parcel.chat
        if outcome.seconds is None:
            rest = self._rest(chat)
        else:
            rest = outcome.seconds
            self._budgets.of(chat).flooded(rest)
        say = log.error if outcome.urgent else log.warning
        say(OUTBOX_POSTPONED, chat=chat, parcel=dispatch.id, error=outcome.error, again_in=rest)
        return rest

    def _rest(self, chat: int) -> float:
        setbacks = self._setbacks.get(chat, 0)
        self._setbacks[chat] = setbacks + 1
        return min(FIRST_REST_SECONDS * 2.0 ** min(setbacks, 10), LONGEST_REST_SECONDS)
