"""Answers being written, as Telegram's own drafts: one a turn, never queued, the newest text alone.

A draft that there is no room for now is not sent later: a newer one is. The answer itself ends it, and
Telegram forgets one that is not renewed.
"""

from collections.abc import Callable, Iterable
from typing import Final

from legio.bot.alarm import Alarm
from legio.bot.pace import kept
from legio.bot.rollcall.chat import Chat
from legio.bot.rollcall.face import draft
from legio.bot.rollcall.roll import EDIT_SECONDS, Entry

RENEW_SECONDS: Final = 20.0
"""A draft lives for some 30 s, and goes with any message that is sent meanwhile."""


class Drafts:
    """`at_work` gives the turns that have not ended. `run` is a task's body."""

    def __init__(self, chat: Chat, at_work: Callable[[], Iterable[Entry]]) -> None:
        self._chat = chat
        self._at_work = at_work
        self._written = Alarm(chat.clock)
        self._shown: dict[int, tuple[str, float]] = {}
        self._kept = kept(0)

    def look(self) -> None:
        """Somebody wrote just now."""
        self._written.ring()

    async def run(self) -> None:
        """For ever, until cancelled."""
        while True:
            at_work = list(self._at_work())
            self._kept = kept(len(at_work))
            entries = {entry.turn: entry for entry in at_work if entry.draft.strip()}
            self._shown = {turn: shown for turn, shown in self._shown.items() if turn in entries}
            for entry in sorted(entries.values(), key=self._moment):
                await self._show(entry)
            await self._written.wait(self._pause(entries.values()))

    async def _show(self, entry: Entry) -> None:
        now = self._chat.clock.monotonic()
        # A turn may have ended while the draft of another was sent.
        if entry.state.ended or self._moment(entry) > now or not self._chat.budget.spare(self._kept):
            return
        self._shown[entry.turn] = (entry.draft, now)
        await self._chat.draft(entry.turn, draft(entry.agent, entry.draft), entry.agent)

    def _moment(self, entry: Entry) -> float:
        """When its draft is to be sent next."""
        text, at = self._shown.get(entry.turn, ("", 0.0))
        if not text:
            return 0.0
        return at + (RENEW_SECONDS if text == entry.draft else EDIT_SECONDS)

    def _pause(self, entries: Iterable[Entry]) -> float | None:
        now = self._chat.clock.monotonic()
        moments = [max(self._moment(entry) - now, 0.0) for entry in entries if not entry.state.ended]
        return max(min(moments), self._chat.budget.spare_delay(self._kept)) if moments else None
