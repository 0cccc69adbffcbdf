"""Asking Telegram for updates, for ever: what it does not answer is asked again, and no silence lasts.

An update counts as received when the queue's `put` has returned, which is when it is on the disk; only the
next poll tells Telegram so. A poll that was broken off therefore loses nothing, and what comes twice is known
by its id. python-telegram-bot's own loop ends for good when a proxy answers 404 for a moment, and cannot be
stopped while it waits; this one does neither.
"""

import asyncio
import contextlib
from dataclasses import dataclass
from typing import Any

import httpx
import structlog
from telegram import Bot
from telegram.error import RetryAfter, TelegramError, TimedOut
from telegram.request import HTTPXRequest

from legio.bot.gate import ALLOWED_UPDATES
from legio.bot.receiver import Receiver
from legio.bot.sending import seconds_asked
from legio.ports import Clock

log = structlog.get_logger()

RETRY_SECONDS = (1.0, 2.0, 5.0, 10.0)
"""How long to wait between tries to reach Telegram; the last one repeats."""
TAKING_SECONDS = 0.02
"""What came is taken before more is asked for: a poll is work, and would hold up the turn that just began."""
LET_GO_SECONDS = 1.0
"""How long a poll that is broken off may take to end; it is left behind then."""


@dataclass(frozen=True, slots=True)
class Patience:
    """How long Telegram may take to answer a poll, and how long all may be silent before it has stalled."""

    poll_seconds: int = 10
    stall_seconds: float = 45.0
    retry_seconds: tuple[float, ...] = RETRY_SECONDS


class PollingRequest(HTTPXRequest):
    """The request object of `getUpdates`: one connection, and a fresh one when that is lost."""

    def __init__(self, *, read_timeout: float = 5.0, pool_timeout: float = 1.0) -> None:
        super().__init__(connection_pool_size=1, read_timeout=read_timeout, pool_timeout=pool_timeout)

    async def do_request(self, *args: Any, **kwargs: Any) -> tuple[int, bytes]:  # noqa: ANN401  (PTB's own)
        """As PTB's."""
        try:
            return await super().do_request(*args, **kwargs)
        except TimedOut as error:
            if isinstance(error.__cause__, httpx.PoolTimeout):
                # Only one poll runs at a time: a pool that is full has lost count, and would stay full.
                await self.shutdown()
                await self.initialize()
            raise


class Polling:
    """Puts into `queue` what Telegram has. `run` is the one task's body."""

    def __init__(
        self,
        bot: Bot,
        queue: "asyncio.Queue[object]",
        clock: Clock,
        receiver: Receiver,
        *,
        patience: Patience = Patience(),
    ) -> None:
        self._bot = bot
        self._queue = queue
        self._clock = clock
        self._receiver = receiver
        self._patience = patience
        self._offset: int | None = None
        self._setbacks = 0
        self._due = 0.0

    async def run(self) -> None:
        """Poll until cancelled; a polling that stalls or breaks is begun anew where it stood."""
        while True:
            self._expect()
            poll = asyncio.create_task(self._poll(), name="telegram:poll")
            try:
                await self._until_stalled(poll)
            finally:
                poll.cancel()
                await asyncio.wait({poll}, timeout=LET_GO_SECONDS)
            if poll.done() and not poll.cancelled():
                log.error("telegram.polling.broke", exc_info=poll.exception())
            else:
                log.error("telegram.polling.stalled", seconds=self._patience.stall_seconds)
            self._receiver.restarted()
            await self._clock.sleep(self._setback())

    async def acknowledge(self) -> None:
        """Tell Telegram what was received, so that it is not sent once more; not while `run` runs."""
        if self._offset is not None:
            with contextlib.suppress(TelegramError):
                await self._bot.get_updates(offset=self._offset, timeout=0, allowed_updates=ALLOWED_UPDATES)

    async def _until_stalled(self, poll: "asyncio.Task[None]") -> None:
        while not poll.done() and (left := self._due - self._clock.monotonic()) > 0:
            timer = asyncio.create_task(self._clock.sleep(left), name="telegram:stall")
            try:
                await asyncio.wait({poll, timer}, return_when=asyncio.FIRST_COMPLETED)
            finally:
                timer.cancel()
                await asyncio.gather(timer, return_exceptions=True)

    async def _poll(self) -> None:
        while True:
            wait = await self._once()
            if wait:
                await self._clock.sleep(wait)

    async def _once(self) -> float:
        """One poll; returns how long to wait before the next."""
        try:
            updates = await self._bot.get_updates(
                offset=self._offset, timeout=self._patience.poll_seconds, allowed_updates=ALLOWED_UPDATES
            )
            await self._receiver.heard()
            for update in updates:
                self._expect()
                await self._queue.put(update)
                self._offset = update.update_id + 1
        except TelegramError as error:
            await self._receiver.failed(error)
            return self._rest(error)
        self._setbacks = 0
        self._expect()
        return TAKING_SECONDS if updates else 0.0

    def _rest(self, error: TelegramError) -> float:
        wait = seconds_asked(error) if isinstance(error, RetryAfter) else self._setback()
        if not _silence(error):
            self._expect(after=wait)
        return wait

    def _setback(self) -> float:
        """How long to wait after one more failure in a row."""
        waits = self._patience.retry_seconds
        wait = waits[min(self._setbacks, len(waits) - 1)]
        self._setbacks += 1
        return wait

    def _expect(self, *, after: float = 0.0) -> None:
        """There was a sign: the next one is due within the bound, counted from `after` seconds on."""
        self._due = self._clock.monotonic() + after + self._patience.stall_seconds


def _silence(error: TelegramError) -> bool:
    """Whether nobody answered at all, not even by refusing the connection."""
    return isinstance(error, TimedOut) and not isinstance(error.__cause__, httpx.ConnectTimeout)
