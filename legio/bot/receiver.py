"""How well Telegram is heard: each good answer is a sign of life, and each trouble is said once.

Whoever polls or is called back reports here. A second program that reads the same bot is told to Caesar, as
his messages may go there; everything else is for the log, and for whoever asks how the reception is.
"""

import contextlib
from collections.abc import Awaitable, Callable

import structlog
from telegram.error import Conflict, InvalidToken, TelegramError

from legio.errors import LegioError
from legio.ports import Clock, Reception

log = structlog.get_logger()

ALARM_SECONDS = 30.0
"""A trouble that lasts for longer is worth a word; a shorter one is the way of networks."""
SILENCE_SECONDS = 60.0
LULL_SECONDS = 90.0
"""Tries are 30 s apart at most: a trouble not heard of for longer was over, and is said anew."""

CONFLICT = (
    "⚠️ Another program reads this bot's messages, so some of yours may never reach Legio. Stop that program,"
    " or get a new token for the bot from @BotFather."
)
ALONE = "✅ Legio alone reads this bot's messages again."


class Receiver:
    """Keeps what was heard. `heartbeat` is called for each good answer; `tell` says something to Caesar."""

    def __init__(
        self, clock: Clock, *, heartbeat: Callable[[], None], tell: Callable[[str], Awaitable[None]]
    ) -> None:
        self._clock = clock
        self._heartbeat = heartbeat
        self._conflict = _Conflict(tell)
        self._heard = clock.monotonic()
        self._trouble: TelegramError | None = None
        self._since = self._last = self._heard
        self._said = ""
        self._troubles = self._restarts = 0

    async def heard(self) -> None:
        """Telegram answered well."""
        now = self._clock.monotonic()
        silent, self._heard, self._trouble = now - self._heard, now, None
        if silent > ALARM_SECONDS:
            log.info("telegram.heard_again", after=round(silent))
        with contextlib.suppress(OSError):  # a disk that takes no sign of life must not end the polling
            self._heartbeat()
        await self._conflict.absent(now)

    async def failed(self, error: TelegramError) -> None:
        """Telegram refused, or was not reached; the same is said again only after it was over."""
        now = self._clock.monotonic()
        self._troubles += 1
        if self._trouble is None:
            self._since = now
        kind = _kind(error)
        if kind != self._said or now - self._last > LULL_SECONDS:
            _say(error, kind)
        self._trouble, self._said, self._last = error, kind, now
        if isinstance(error, Conflict):
            await self._conflict.seen(now)

    def restarted(self) -> None:
        """A polling that had stalled is begun anew."""
        self._restarts += 1

    def reception(self) -> Reception:
        """How it is now."""
        silent = self._clock.monotonic() - self._heard
        return Reception(self._deaf(silent), silent, self._troubles, self._restarts)

    def _deaf(self, silent: float) -> str:
        lasted = self._clock.monotonic() - self._since
        if isinstance(self._trouble, InvalidToken):
            return "Telegram does not know the bot's token any more: was it revoked?"
        if self._conflict.told:
            return "Another program reads this bot's messages: stop it, or revoke its token."
        if self._trouble is not None and lasted > ALARM_SECONDS:
            return f"Telegram has been in trouble for {lasted:.0f} s ({_kind(self._trouble)})."
        if silent > SILENCE_SECONDS:
            return f"Nothing was heard from Telegram for {silent:.0f} s."
        return ""


class _Conflict:
    """A second program on the same bot. The two send each other away, so it comes and goes while it lasts."""

    def __init__(self, tell: Callable[[str], Awaitable[None]]) -> None:
        self._tell = tell
        self._since = self._last = float("-inf")
        self.told = False

    async def seen(self, now: float) -> None:
        """It took our place; Caesar is told once, when it stays."""
        if now - self._last > LULL_SECONDS:
            self._since = now
        self._last = now
        if not self.told and now - self._since > ALARM_SECONDS:
            self.told = True
            log.error("telegram.conflict", remedy="Stop the other program, or revoke the bot's token.")
            await self._say(CONFLICT)

    async def absent(self, now: float) -> None:
        """It did not; Caesar is told once, when it stays away."""
        if self.told and now - self._last > LULL_SECONDS:
            self.told = False
            log.info("telegram.conflict.over")
            await self._say(ALONE)

    async def _say(self, text: str) -> None:
        try:
            await self._tell(text)
        except LegioError:
            log.exception("telegram.conflict.untold")


def _kind(error: TelegramError) -> str:
    return f"{type(error).__name__}: {error}"


def _say(error: TelegramError, kind: str) -> None:
    if isinstance(error, InvalidToken):
        log.error("telegram.disowned", error=kind, remedy="If it stays: was the bot's token revoked?")
    else:
        log.warning("telegram.trouble", error=kind)
