"""The word that the outbox cannot carry: that nothing can be written, the outbox itself included.

It is sent at once and beside all else, once when the trouble stays and once when it is over.
"""

from collections.abc import Callable
from typing import Final

import structlog
from telegram import Bot
from telegram.error import TelegramError

from legio.bot.sending import NO_PREVIEW
from legio.ports import Clock

LOOK_SECONDS: Final = 1.0
PATIENCE_SECONDS: Final = 5.0
"""A trouble that is over sooner is worth no word."""

BEGUN: Final = (
    "⚠️ Legio cannot write anything down: {trouble}\nNothing is lost: what you write waits at Telegram, and"
    " what was being answered comes when Legio can write again."
)
OVER: Final = "✅ Legio can write again, and goes on."

log = structlog.get_logger()


class Outcry:
    """Tells one chat of `trouble`, which says in a sentence what is wrong, or "". `run` is a task's body."""

    def __init__(self, bot: Bot, chat: int, clock: Clock, trouble: Callable[[], str]) -> None:
        self._bot = bot
        self._chat = chat
        self._clock = clock
        self._trouble = trouble
        self._since: float | None = None
        self._told = False

    async def run(self) -> None:
        """Look for ever, until cancelled."""
        while True:
            await self._look()
            await self._clock.sleep(LOOK_SECONDS)

    async def _look(self) -> None:
        trouble, now = self._trouble(), self._clock.monotonic()
        if not trouble:
            self._since = None
            if self._told:
                self._told = not await self._sent(OVER)
            return
        self._since = now if self._since is None else self._since
        if not self._told and now - self._since >= PATIENCE_SECONDS:
            self._told = await self._sent(BEGUN.format(trouble=trouble))

    async def _sent(self, text: str) -> bool:
        try:
            await self._bot.send_message(self._chat, text, link_preview_options=NO_PREVIEW)
        except TelegramError as error:
            log.warning("outcry.unheard", error=str(error))
            return False
        return True
