"""Caesar's chat as what is passing reaches it: tried once, and a failure is a value.

What Telegram does not take now may be taken later, or never; nothing is raised but bugs and cancellation.
After a failure nothing passing is sent for a while: what Telegram asks for, else longer from one to the next.
"""

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Final, TypeVar

import structlog
from telegram import Bot
from telegram.constants import ChatAction
from telegram.error import BadRequest, Forbidden, NetworkError, RetryAfter, TelegramError

from legio.bot.pace import Budget
from legio.bot.piece import Piece
from legio.bot.rollcall.face import Face
from legio.bot.sending import (
    NO_PREVIEW,
    may_have_arrived,
    seconds_asked,
    telegram_entity,
    telegram_keyboard,
)
from legio.ports import Clock

PROGRESS_QUIET: Final = "progress.quiet"

TROUBLE_SECONDS: Final = 5.0
LONGEST_TROUBLE_SECONDS: Final = 60.0
"""How long nothing is shown after a failure for which Telegram named no wait: doubled up to the longest."""

T = TypeVar("T")

log = structlog.get_logger()


class Refusal(Enum):
    """Why something is not shown."""

    LATER = "later"
    """It may be tried again."""
    LOST = "lost"
    """It can never be done, or must not be tried again."""


@dataclass(slots=True)
class Chat:
    """The one chat `id`, and the budget it has. `place` is the topic that agents share, None for no topic."""

    bot: Bot
    id: int
    clock: Clock
    budget: Budget
    place: Callable[[Iterable[str]], int | None] = lambda _agents: None
    _setbacks: int = field(default=0, init=False)

    async def stand(self, face: Face, agents: Iterable[str] = ()) -> int | Refusal:
        """A new silent message about `agents`, in reply to nothing; Telegram's id of it."""
        sent = self.bot.send_message(
            self.id,
            face.piece.text,
            entities=_entities(face.piece),
            reply_markup=telegram_keyboard(face.rows),
            disable_notification=True,
            link_preview_options=NO_PREVIEW,
            message_thread_id=self.place(agents),
        )
        outcome = await self._attempt(sent, twice=False)
        return outcome if isinstance(outcome, Refusal) else outcome.message_id

    async def edit(self, message: int, face: Face) -> Refusal | None:
        """The message, as it is to stand now; None when it does."""
        return await self._attempt(self._edited(message, face))

    async def _edited(self, message: int, face: Face) -> None:
        try:
            await self.bot.edit_message_text(
                face.piece.text,
                self.id,
                message,
                entities=_entities(face.piece),
                reply_markup=telegram_keyboard(face.rows),
                link_preview_options=NO_PREVIEW,
            )
        except BadRequest as error:
            if "not modified" not in error.message.lower():
                raise

    async def delete(self, message: int) -> None:
        """The message, gone; left where it cannot be."""
        await self._attempt(self.bot.delete_message(self.id, message))

    async def draft(self, number: int, piece: Piece, agent: str = "") -> None:
        """What an agent writes, natively; lost where it cannot be shown now."""
        shown = self.bot.send_message_draft(
            self.id,
            number,
            piece.text,
            entities=_entities(piece),
            message_thread_id=self.place((agent,)),
        )
        await self._attempt(shown)

    async def react(self, message: int, emoji: str | None) -> None:
        """The bot's reaction to a message of Caesar's; None takes it back."""
        await self._attempt(self.bot.set_message_reaction(self.id, message, emoji))

    async def typing(self, agents: Iterable[str] = ()) -> None:
        """These are at work."""
        await self._attempt(
            self.bot.send_chat_action(self.id, ChatAction.TYPING, message_thread_id=self.place(agents))
        )

    async def _attempt(self, call: Awaitable[T], *, twice: bool = True) -> T | Refusal:
        """What the call returns. With `twice` false what may have been done already is never done again."""
        try:
            outcome = await call
        except (BadRequest, Forbidden):
            return Refusal.LOST
        except RetryAfter as error:
            self._quiet(seconds_asked(error), error, flooded=True)
            return Refusal.LATER
        except TelegramError as error:
            seconds = min(TROUBLE_SECONDS * 2.0 ** min(self._setbacks, 10), LONGEST_TROUBLE_SECONDS)
            self._setbacks += 1
            self._quiet(seconds, error)
            doubtful = isinstance(error, NetworkError) and may_have_arrived(error)
            return Refusal.LOST if doubtful and not twice else Refusal.LATER
        self._setbacks = 0
        return outcome

    def _quiet(self, seconds: float, error: TelegramError, *, flooded: bool = False) -> None:
        if flooded:
            self.budget.flooded(seconds)
        else:
            self.budget.hush(seconds)
        log.info(PROGRESS_QUIET, seconds=seconds, error=str(error))


def _entities(piece: Piece) -> list[Any] | None:
    return [telegram_entity(entity) for entity in piece.entities] or None
