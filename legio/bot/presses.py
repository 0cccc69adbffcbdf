"""Presses of the buttons about turns: stop one, stop all of a nuntius, ask once more.

Their data says all that is to be done, so they work after a restart. What is over by then is not done a
second time, and the thumb is told so. Presses of another kind go on to whoever they are for.
"""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final, assert_never

import structlog
from telegram import CallbackQuery, Message, Update
from telegram.error import TelegramError

from legio.legatus import Legatus
from legio.nuntius import Turn
from legio.ports import PRESS, Inbox, Press

OVER: Final = "This is over: nothing was done."
AGAIN: Final = "{agent} is asked again."
STOPPING: Final = "Stopping {agents}."
LONGEST_TOAST: Final = 200
HIGHEST: Final = 2**63 - 1
"""The highest number that the record has room for."""

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Pressed:
    """A button about turns: what it does, and to which turn, or to the turns of which nuntius."""

    act: Press
    number: int


def pressed(data: str) -> Pressed | None:
    """What the data of a button says; None for one that is not about turns, or makes no sense."""
    match data.split(":"):
        case [prefix, act, number] if prefix == PRESS and act in set(Press) and _countable(number):
            return Pressed(Press(act), int(number))
        case _:
            return None


class Presses:
    """Takes updates before `then`, to which all go that are no press of such a button."""

    def __init__(self, legatus: Legatus, inbox: Inbox, then: Callable[[Update], Awaitable[None]]) -> None:
        self._legatus = legatus
        self._inbox = inbox
        self._then = then
        self._answers: asyncio.Queue[tuple[CallbackQuery, str]] = asyncio.Queue()

    async def take(self, update: Update) -> None:
        """Do what the button says and end the update's inbox row. Never raises: what fails is logged."""
        query = update.callback_query
        button = None if query is None else pressed(query.data or "")
        if query is None or button is None:
            await self._then(update)
            return
        try:
            said = await self._do(button, update.update_id)
            self._answers.put_nowait((query, said))
        except Exception:  # the border of one update: its row stays open and is taken up at the next start
            log.exception("update.broke", update=update.update_id)

    async def run(self) -> None:
        """Tell the thumbs, for ever: the body of a guarded task."""
        while True:
            await _tell(*await self._answers.get())

    async def _do(self, button: Pressed, update_id: int) -> str:
        match button.act:
            case Press.RETRY:
                turn = await self._legatus.retry(button.number, update_id=update_id)
                return OVER if turn is None else AGAIN.format(agent=turn.agent)
            case Press.STOP:
                stopped = self._legatus.stop_where(lambda turn: turn.id == button.number)
            case Press.STOP_ALL:
                stopped = self._legatus.stop_where(lambda turn: turn.root == button.number)
            case _:
                assert_never(button.act)
        await self._inbox.finish(update_id)
        return _stopping(stopped)


def _stopping(stopped: tuple[Turn, ...]) -> str:
    if not stopped:
        return OVER
    return STOPPING.format(agents=", ".join(dict.fromkeys(turn.agent for turn in stopped)))


def _countable(number: str) -> bool:
    return (
        number.isascii()
        and number.isdecimal()
        and len(number) <= len(str(HIGHEST))
        and int(number) <= HIGHEST
    )


async def _tell(query: CallbackQuery, said: str) -> None:
    # All of this is a courtesy: what was pressed is done, and the network's failure does not undo it.
    with contextlib.suppress(TelegramError):
        await query.answer(said[:LONGEST_TOAST])
    if _alone(query):
        with contextlib.suppress(TelegramError):
            await query.edit_message_reply_markup()


def _alone(query: CallbackQuery) -> bool:
    """Whether the button is the only one of its message: it is good for one press, and goes."""
    message = query.message
    if not isinstance(message, Message) or message.reply_markup is None:
        return False
    buttons = [button for row in message.reply_markup.inline_keyboard for button in row]
    return len(buttons) == 1 and (query.data or "").startswith(f"{PRESS}:{Press.RETRY}:")
