"""The passing side of the chat: typing, and one silent status line for each running turn.

Nothing of this is owed to anybody, so nothing is queued: the newest word of a turn wins, and what Telegram
does not take now is dropped. A quick answer needs no status line; a line is edited in place and taken away
when its turn ends, and from then on no edit of it begins. The answer itself is the courier's business.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final

import structlog
from telegram import Bot
from telegram.constants import ChatAction
from telegram.error import BadRequest, NetworkError, RetryAfter, TelegramError

from legio.bot.alarm import Alarm
from legio.bot.pace import Pace
from legio.bot.phrases import THINKING, phrase
from legio.bot.sending import NO_PREVIEW, may_have_arrived, seconds_asked
from legio.events import Event
from legio.nuntius import Turn
from legio.ports import Clock

PROGRESS_QUIET: Final = "progress.quiet"
PROGRESS_LEFT: Final = "progress.left"
PROGRESS_BROKEN: Final = "progress.broken"

TYPING_SECONDS: Final = 4.0
"""Telegram shows typing for 5 s."""

TYPING_PATIENCE_SECONDS: Final = 0.1
"""A turn that is answered sooner shows no typing either: nobody would see it, and it costs a call."""

PATIENCE_SECONDS: Final = 0.7
"""A turn that is answered sooner shows no status line."""

EDIT_SECONDS: Final = 1.0
"""A line is edited at most this often."""

EDITS_PER_SECOND: Final = 18 / 60
EDITS_BURST: Final = 10
"""The budget that all lines share. Telegram counts edits as messages: the answers need room, too."""

TROUBLE_SECONDS: Final = 5.0
"""How long nothing is shown after a failure for which Telegram named no wait."""

REMOVALS: Final = 5
"""Tries to take a line away before it is left."""

CLOSE_SECONDS: Final = 2.0

ENDED_REMEMBERED: Final = 1000
"""Ended turns that are remembered, so that a late step of one shows nothing."""

log = structlog.get_logger()


@dataclass(slots=True)
class _Line:
    """A turn's status line. `shown` is what stands in the chat; `message` is None until it stands there."""

    agent: str
    since: float
    words: str = THINKING
    shown: str = ""
    message: int | None = None
    drawn: float = 0.0
    ended: bool = False
    lost: bool = False
    removals: int = 0

    @property
    def text(self) -> str:
        return f"⏳ {self.agent}: {self.words}"

    @property
    def waiting(self) -> bool:
        """Whether the chat shows something else than it should, and may still be told."""
        return not self.ended and not self.lost and self.shown != self.text

    @property
    def due(self) -> float:
        return self.since + PATIENCE_SECONDS if self.message is None else self.drawn + EDIT_SECONDS


class Progress:
    """`show` from any task of the loop; `run` is the one task's body, until `close` or cancellation."""

    def __init__(self, bot: Bot, chat: int, clock: Clock) -> None:
        self._bot = bot
        self._chat = chat
        self._clock = clock
        self._lines: dict[int, _Line] = {}
        self._over: deque[int] = deque(maxlen=ENDED_REMEMBERED)
        self._budget = Pace(clock, per_second=EDITS_PER_SECOND, burst=EDITS_BURST)
        self._quiet_until = 0.0
        self._changed = Alarm(clock)
        self._busy = Alarm(clock)
        self._finished = Alarm(clock)
        self._running = False
        self._closing = False

    def show(self, turn: Turn, event: Event) -> None:
        """Take note of what a turn does. Never blocks, never raises."""
        words = phrase(event)
        if words is None:
            self._end(turn.id)
        elif turn.id not in self._over and not self._closing:
            if turn.id not in self._lines:
                self._lines[turn.id] = _Line(turn.agent, self._clock.monotonic())
                self._busy.ring()
            self._lines[turn.id].words = words
            self._changed.ring()

    async def run(self) -> None:
        """Show for ever, until closed."""
        self._running = True
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(self._guard(self._type), name="progress:typing")
                group.create_task(self._guard(self._keep_lines), name="progress:lines")
        finally:
            self._running = False
            self._finished.ring()

    async def close(self) -> None:
        """Take all lines away and end `run`; bounded, idempotent."""
        self._closing = True
        for turn in list(self._lines):
            self._end(turn)
        self._changed.ring()
        self._busy.ring()
        if self._running:
            await self._finished.wait(CLOSE_SECONDS)

    def _end(self, turn: int) -> None:
        if turn not in self._over:
            self._over.append(turn)
        if turn in self._lines:
            self._lines[turn].ended = True
            self._changed.ring()

    async def _guard(self, body: Callable[[], Awaitable[None]]) -> None:
        while True:
            try:
                return await body()
            except Exception:  # a bug in what is passing must not end what is not: log, rest, go on
                log.exception(PROGRESS_BROKEN)
                await self._clock.sleep(TROUBLE_SECONDS)

    async def _type(self) -> None:
        while not self._closing:
            running = [line.since for line in self._lines.values() if not line.ended]
            if not running:
                await self._busy.wait()
                continue
            early = min(running) + TYPING_PATIENCE_SECONDS - self._clock.monotonic()
            if early > 0:
                await self._busy.wait(early)
                continue
            if not self._quiet:
                await self._show_typing()
            await self._busy.wait(TYPING_SECONDS)

    async def _show_typing(self) -> None:
        try:
            await self._bot.send_chat_action(self._chat, ChatAction.TYPING)
        except TelegramError as error:
            self._hush(error)

    async def _keep_lines(self) -> None:
        while True:
            await self._remove_ended()
            await self._draw_due()
            if self._closing and not self._lines:
                return
            await self._changed.wait(self._pause())

    async def _remove_ended(self) -> None:
        for turn, line in list(self._lines.items()):
            if line.ended and (line.message is None or await self._removed(line.message, line)):
                del self._lines[turn]

    async def _removed(self, message: int, line: _Line) -> bool:
        if self._quiet:
            return False
        try:
            await self._bot.delete_message(self._chat, message)
        except BadRequest:
            return True  # Caesar took it away himself
        except RetryAfter as error:
            self._hush(error)
            return False
        except TelegramError as error:
            self._hush(error)
            line.removals += 1
            if line.removals == REMOVALS:
                log.warning(PROGRESS_LEFT, message=message, error=str(error))
            return line.removals == REMOVALS
        return True

    async def _draw_due(self) -> None:
        """Those first whose line is the oldest, as far as the budget goes."""
        now = self._clock.monotonic()
        due = [line for line in self._lines.values() if line.waiting and line.due <= now]
        for line in sorted(due, key=lambda line: line.drawn):
            # A turn may have ended, and Telegram may have asked for quiet, while the line before was drawn.
            if line.waiting and not self._quiet and self._budget.take():
                await self._draw(line)

    async def _draw(self, line: _Line) -> None:
        line.drawn, text = self._clock.monotonic(), line.text
        try:
            if line.message is None:
                line.message = await self._stand(text)
            else:
                await self._bot.edit_message_text(
                    text, self._chat, line.message, link_preview_options=NO_PREVIEW
                )
            line.shown = text
        except BadRequest as error:
            line.shown = text
            line.lost = "not modified" not in error.message.lower()
        except TelegramError as error:
            # Were a line made anew that stands there already, one of the two would stay for ever.
            line.lost = line.message is None and isinstance(error, NetworkError) and may_have_arrived(error)
            self._hush(error)

    async def _stand(self, text: str) -> int:
        sent = await self._bot.send_message(
            self._chat, text, disable_notification=True, link_preview_options=NO_PREVIEW
        )
        return sent.message_id

    @property
    def _quiet(self) -> bool:
        return self._clock.monotonic() < self._quiet_until

    def _hush(self, error: TelegramError) -> None:
        seconds = seconds_asked(error) if isinstance(error, RetryAfter) else TROUBLE_SECONDS
        self._quiet_until = max(self._quiet_until, self._clock.monotonic() + seconds)
        log.info(PROGRESS_QUIET, seconds=seconds, error=str(error))

    def _pause(self) -> float | None:
        """Seconds until something can be done again; None when only a new event can bring that."""
        now = self._clock.monotonic()
        moments = [
            self._quiet_until if line.ended else max(line.due, self._quiet_until, now + self._budget.delay())
            for line in self._lines.values()
            if line.ended or line.waiting
        ]
        return max(min(moments) - now, 0.0) if moments else None
