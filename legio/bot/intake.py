"""What comes in: committed before Telegram is told so, then taken to whom it concerns, each exactly once.

Everything here only writes rows and queues: no handler ever waits for a model.
"""

import asyncio
import json
from collections.abc import Callable
from dataclasses import replace

import structlog
from telegram import Bot, CallbackQuery, Message, Update
from telegram.error import TelegramError

from legio.bot.attachments import content, passing, said_in
from legio.bot.cards import Cards
from legio.bot.commands import Commands
from legio.bot.desk import Reply
from legio.bot.gate import admits
from legio.bot.payload import encode
from legio.errors import LegioError
from legio.legatus import Edit, Legatus
from legio.ports import Clock, Inbox, Letter, Messenger, Parcel

log = structlog.get_logger()

LONGEST_NOTICE = 3500
UNREADABLE = "Legio cannot read this kind of message. It was passed to nobody: say in words what it was."
EDITED_COMMAND = "A command runs once, as it was first written. Send it anew."
EDITED_FILE = "This edit was not taken: its message is still on its way, or went to nobody. Edit it again."


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
        self.hasten: Callable[[Update], None] = lambda _: None
        """Told of each new update of Caesar's on its arrival, before those that came before it are taken."""

    async def put(self, item: object) -> None:
        """Keep an update of Caesar's and pass it on, once; drop all others. PTB's own signals pass."""
        if isinstance(item, Update):
            if not admits(item, self._caesar_id):
                log.info("gate.dropped", update=item.update_id)
            elif await self._keep(item):
                self.hasten(item)
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
            self.hasten(update)  # what is urgent does not wait for the disk
            # PTB polls again from the same offset after a TelegramError: the update comes once more.
            raise TelegramError("the update could not be kept") from error


class Intake:
    """Takes one update at a time from the queue to the command, the decision or the Legatus it is for.

    Messages with files go another way: see `legio.bot.attachments`.
    """

    def __init__(
        self, inbox: Inbox, legatus: Legatus, commands: Commands, cards: Cards, messenger: Messenger
    ) -> None:
        self._inbox = inbox
        self._legatus = legatus
        self._commands = commands
        self._cards = cards
        self._messenger = messenger

    def hasten(self, update: Update) -> None:
        """What must not wait for what came before it is begun as soon as the update arrives."""
        message = update.message
        if message is not None and (message.text or "").startswith("/") and message.forward_origin is None:
            self._commands.hasten(message.text or "", update.update_id)

    async def take(self, update: Update) -> None:
        """Do what `update` asks for and end its inbox row. Never raises: what fails is logged."""
        try:
            if update.callback_query is not None:
                await self._press(update.update_id, update.callback_query)
            elif update.message is not None:
                await self._message(update.update_id, update.message)
            elif update.edited_message is not None:
                await self._edited(update.update_id, update.edited_message)
        except Exception:  # the border of one update: its row stays open and is taken up at the next start
            log.exception("update.broke", update=update.update_id)

    async def _message(self, update_id: int, message: Message) -> None:
        said = content(message)
        if said is None and passing(message):
            await self._inbox.finish(update_id)
        elif said is None or said.file is not None:
            await self._answer(update_id, Reply(UNREADABLE), message)
        elif (message.text or "").startswith("/") and message.forward_origin is None:
            replied = _replied(message)
            reply = await self._commands.run(
                message.text or "", reply_to=replied, update_id=update_id, sent=message.date
            )
            await self._answer(update_id, reply, message)
        else:
            await self._legatus.hear(said_in(message, update_id, said.text))

    async def _edited(self, update_id: int, message: Message) -> None:
        """What is not in its words (a live location moves, a preview appears) is no edit to anybody."""
        said = content(message)
        if said is None or message.location is not None:
            await self._inbox.finish(update_id)
        elif (message.text or "").startswith("/"):
            await self._answer(update_id, Reply(EDITED_COMMAND), message)
        else:
            whole = said_in(message, update_id, said.text)
            match await self._legatus.edit(whole):
                case Edit.UNCHANGED:
                    await self._inbox.finish(update_id)
                case Edit.UNKNOWN if said.file is not None:
                    await self._answer(update_id, Reply(EDITED_FILE), message)
                case Edit.UNKNOWN:
                    await self._legatus.hear(whole)
                case Edit.TAKEN:
                    pass

    async def _press(self, update_id: int, query: CallbackQuery) -> None:
        await self._cards.press(query)
        await self._inbox.finish(update_id)

    async def _answer(self, update_id: int, reply: Reply, message: Message) -> None:
        *before, last = _cut(reply.text)
        parcels: list[Parcel] = [self._messenger.notice(text, reply_to=message.message_id) for text in before]
        parcels.append(self._messenger.notice(last, reply.buttons, reply_to=message.message_id))
        thread = message.message_thread_id if message.is_topic_message else None
        if reply.shown is not None:
            shown = replace(reply.shown, reply_to=message.message_id, thread=thread)
            parcels = [Parcel(message.chat.id, encode(shown))]
        if reply.file is not None:
            parcels.append(Parcel(message.chat.id, encode(replace(reply.file, thread=thread))))
        await self._inbox.finish(update_id, parcels)
        self._messenger.wake()


def _replied(message: Message) -> int | None:
    return message.reply_to_message.message_id if message.reply_to_message else None


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
