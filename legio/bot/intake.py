"""What comes in: committed before Telegram is told so, then taken to whom it concerns, each exactly once.

Everything here only writes rows and queues: no handler ever waits for a model.
"""

import asyncio
import json

import structlog
from telegram import Bot, CallbackQuery, Message, Update
from telegram.error import TelegramError

from legio.bot.cards import Cards
from legio.bot.commands import Commands
from legio.bot.desk import Reply
from legio.bot.gate import admits
from legio.bot.source import source
from legio.errors import LegioError
from legio.legatus import Legatus, Said
from legio.ports import Clock, Inbox, Letter, Messenger, Parcel

log = structlog.get_logger()

LONGEST_NOTICE = 3500
TEXT_ONLY = "Legio reads text. This was kept nowhere and passed to nobody: say in words what it was."
EDITED = "The edit came too late: the message was passed on as it first was. Write again what is new."


class CommittingQueue(asyncio.Queue[object]):
    """PTB's update queue, whose `put` returns when the update is on the disk.

    Whoever polls awaits `put` before the next poll, and only that one tells Telegram that the update was
    received: so what Telegram has forgotten is always ours.
    """

    def __init__(self, inbox: Inbox, clock: Clock, *, caesar_id: int) -> None:
        super().__init__()
        self._inbox = inbox
        self._clock = clock
        self._caesar_id = caesar_id

    async def put(self, item: object) -> None:
        """Keep an update of Caesar's and pass it on, once; drop all others. PTB's own signals pass."""
        if isinstance(item, Update):
            if not admits(item, self._caesar_id):
                log.info("gate.dropped", update=item.update_id)
            elif await self._keep(item):
                await super().put(item)
        else:
            await super().put(item)

    async def replay(self, bot: Bot) -> int:
        """Pass on what an earlier process received and did not finish; returns how many."""
        letters = await self._inbox.unfinished()
        for letter in letters:
            await super().put(Update.de_json(json.loads(letter.payload), bot))
        return len(letters)

    async def _keep(self, update: Update) -> bool:
        try:
            letter = Letter(update.update_id, update.to_json(), self._clock.now())
            return await self._inbox.put(letter)
        except LegioError as error:
            log.exception("inbox.unwritable", update=update.update_id)
            # PTB polls again from the same offset after a TelegramError: the update comes once more.
            raise TelegramError("the update could not be kept") from error


class Intake:
    """Takes one update at a time from the queue to the command, the decision or the Legatus it is for."""

    def __init__(
        self, inbox: Inbox, legatus: Legatus, commands: Commands, cards: Cards, messenger: Messenger
    ) -> None:
        self._inbox = inbox
        self._legatus = legatus
        self._commands = commands
        self._cards = cards
        self._messenger = messenger

    async def take(self, update: Update) -> None:
        """Do what `update` asks for and end its inbox row. Never raises: what fails is logged."""
        try:
            if update.callback_query is not None:
                await self._press(update.update_id, update.callback_query)
            elif update.message is not None:
                await self._message(update.update_id, update.message)
            elif update.edited_message is not None:
                await self._answer(update.update_id, Reply(EDITED), update.edited_message)
        except Exception:  # the border of one update: its row stays open and is taken up at the next start
            log.exception("update.broke", update=update.update_id)

    async def _message(self, update_id: int, message: Message) -> None:
        reply_to = message.reply_to_message.message_id if message.reply_to_message else None
        if not message.text:
            await self._answer(update_id, Reply(TEXT_ONLY), message)
        elif message.text.startswith("/"):
            reply = await self._commands.run(message.text, reply_to=reply_to)
            await self._answer(update_id, reply, message)
        else:
            await self._legatus.hear(Said(source(message), update_id, message.message_id, reply_to))

    async def _press(self, update_id: int, query: CallbackQuery) -> None:
        await self._cards.press(query)
        await self._inbox.finish(update_id)

    async def _answer(self, update_id: int, reply: Reply, message: Message) -> None:
        *before, last = _cut(reply.text)
        parcels: list[Parcel] = [self._messenger.notice(text, reply_to=message.message_id) for text in before]
        parcels.append(self._messenger.notice(last, reply.buttons, reply_to=message.message_id))
        await self._inbox.finish(update_id, parcels)
        self._messenger.wake()


def _cut(text: str) -> list[str]:
    """Plain text in pieces that fit a message, cut between lines where that is possible."""
    pieces = [""]
    for line in text.splitlines(keepends=True):
        if len(pieces[-1]) + len(line) > LONGEST_NOTICE and pieces[-1].strip():
            pieces.append("")
        while len(line) > LONGEST_NOTICE:
            pieces[-1] += line[:LONGEST_NOTICE]
            pieces.append("")
            line = line[LONGEST_NOTICE:]  # noqa: PLW2901
        pieces[-1] += line
    return [piece for piece in pieces if piece.strip()] or ["(nothing)"]
