"""The first sign that Caesar was heard: typing, shown at once and for as long as somebody is at work."""

from collections.abc import Callable, Iterable
from typing import Final

from legio.bot.alarm import Alarm
from legio.bot.rollcall.chat import Chat

TYPING_SECONDS: Final = 4.0
"""Telegram shows typing for 5 s."""

TYPING_PATIENCE_SECONDS: Final = 0.06
"""An agent who answers sooner is not announced: nobody would see it, and it costs a call."""


class Typing:
    """`since` says from when on somebody has been at work, None while nobody is; `who` says who they are.

    `run` is a task's body.
    """

    def __init__(
        self, chat: Chat, since: Callable[[], float | None], who: Callable[[], Iterable[str]] = tuple
    ) -> None:
        self._who = who
        self._chat = chat
        self._since = since
        self._called = Alarm(chat.clock)

    def look(self) -> None:
        """Somebody was called just now."""
        self._called.ring()

    async def run(self) -> None:
        """For ever, until cancelled."""
        while True:
            since = self._since()
            if since is None:
                await self._called.wait()
                continue
            early = since + TYPING_PATIENCE_SECONDS - self._chat.clock.monotonic()
            if early > 0:
                await self._called.wait(early)
                continue
            if self._chat.budget.typing():
                await self._chat.typing(self._who())
            await self._called.wait(TYPING_SECONDS)
