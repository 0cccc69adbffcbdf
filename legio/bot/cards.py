"""Cards: messages with buttons. A press does what it says once, and its outcome is written on the card."""

import asyncio
import contextlib

import structlog
from telegram import CallbackQuery, Message
from telegram.error import TelegramError

from legio.decisions import Decisions
from legio.errors import LegioError

log = structlog.get_logger()

LONGEST_TOAST = 200
LONGEST_CARD = 4000


class Cards:
    """Takes presses to the decisions. What Telegram has to be told of them never holds up the next update."""

    def __init__(self, decisions: Decisions) -> None:
        self._decisions = decisions
        self._outcomes: asyncio.Queue[tuple[CallbackQuery, str]] = asyncio.Queue()

    async def press(self, query: CallbackQuery) -> None:
        """Decide; a dead button does nothing and says so."""
        try:
            said = await self._decisions.press(query.data or "")
        except LegioError as error:
            said = str(error)
        self._outcomes.put_nowait((query, said))

    async def run(self) -> None:
        """Write the outcomes, for ever: the body of a guarded task."""
        while True:
            query, said = await self._outcomes.get()
            await _show(query, said)


async def _show(query: CallbackQuery, said: str) -> None:
    # Both are a courtesy: the decision itself is done, and the network's failure does not undo it.
    with contextlib.suppress(TelegramError):
        await query.answer(said[:LONGEST_TOAST])
    if not isinstance(query.message, Message):
        return
    try:
        asked = (query.message.text or "")[: LONGEST_CARD - len(said)]
        await query.edit_message_text(f"{asked}\n\n→ {said}"[:LONGEST_CARD], entities=[])
    except TelegramError as error:
        log.warning("card.unwritten", message=query.message.message_id, error=str(error))
