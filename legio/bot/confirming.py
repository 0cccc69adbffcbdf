"""The second factor: what cannot be taken back wants a code of Caesar's authenticator after his thumb.

The code is taken out of the stream of updates before anybody else sees it, and its message out of the chat:
it reaches no agent, no record and no log. Nor does one that comes too late, or again after a restart: what is
a code of these minutes is known as such whether one was asked for or not.
"""

import asyncio
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final

import structlog
from telegram import Bot, Message, Update
from telegram.error import BadRequest, TelegramError

from legio.decisions import Choice
from legio.errors import LegioError, Refused
from legio.ports import Clock, Inbox, Messenger
from legio.totp import Authenticator, Verdict

log = structlog.get_logger()

TRIES: Final = 3
CODE_SECONDS: Final = 120.0
REST_SECONDS: Final = 300.0
"""How long no code is asked for after three wrong ones: a million codes are soon tried without it."""
LONGEST_CHARACTERS: Final = 40
"""A longer text is something else, whatever digits stand in it."""
REMOVALS: Final = 5
REMOVAL_SECONDS: Final = 5.0

NOT_ASKED = "Nothing waits for a code now. Press the button again if you wanted to confirm something."
USED = "That code was used before. Wait for the next one."
WRONG = "That code is wrong."

_CODE = re.compile(r"(?<![0-9])([0-9]{3}) ?([0-9]{3})(?![0-9])")


@dataclass(slots=True)
class _Waiting:
    """The choice that waits for a code."""

    choice: Choice
    expires: float
    left: int = TRIES


class Confirming:
    """Keeps one choice at a time until its code has come. `run` is a guarded task's body."""

    def __init__(self, authenticator: Authenticator, bot: Bot, clock: Clock) -> None:
        self._authenticator = authenticator
        self._bot = bot
        self._clock = clock
        self._waiting: _Waiting | None = None
        self._resting_until = 0.0
        self._doomed: asyncio.Queue[Message] = asyncio.Queue()

    def ask(self, choice: Choice) -> str:
        """Keep the choice in an earlier one's place; returns what Caesar has to do, or raises `Refused`."""
        now = self._clock.monotonic()
        if now < self._resting_until:
            seconds = int(self._resting_until - now) + 1
            raise Refused(f"{TRIES} wrong codes were sent.", remedy=f"Ask again in {seconds} seconds.")
        earlier = self._open()
        self._waiting = _Waiting(choice, now + CODE_SECONDS)
        replaced = f" ({earlier.choice.label}: given up for this.)" if earlier else ""
        return (
            f"{choice.label}: write the code of your authenticator within {CODE_SECONDS:.0f} seconds."
            f"{replaced}"
        )

    async def take(self, message: Message) -> str | None:
        """What Caesar is told of a message that was a code; None when it was none, and others may see it."""
        code = self._code(message)
        if code is None:
            return None
        self._doomed.put_nowait(message)
        waiting = self._open()
        if waiting is None:
            return NOT_ASKED
        verdict = await self._authenticator.accept(code)
        if verdict is not Verdict.RIGHT:
            return self._failed(waiting, USED if verdict is Verdict.USED else WRONG)
        self._waiting = None
        log.info("totp.confirmed", choice=waiting.choice.label)
        try:
            return await waiting.choice.act()
        except LegioError as error:
            return str(error)

    async def run(self) -> None:
        """Take the messages that held a code out of the chat, for ever."""
        while True:
            message = await self._doomed.get()
            for _ in range(REMOVALS):
                try:
                    await self._bot.delete_message(message.chat.id, message.message_id)
                except BadRequest:
                    break  # Caesar was faster
                except TelegramError as error:
                    log.warning("totp.undeleted", message=message.message_id, error=str(error))
                    await self._clock.sleep(REMOVAL_SECONDS)
                else:
                    break

    def _code(self, message: Message) -> str | None:
        """The code that the message is; a text beside it does not hide one that is right."""
        text = (message.text or "").strip()
        found = _CODE.findall(text) if len(text) <= LONGEST_CHARACTERS else []
        for code in map("".join, found):
            if self._recognised(code, message) or (self._open() and _CODE.fullmatch(text)):
                return code
        return None

    def _recognised(self, code: str, message: Message) -> bool:
        return self._authenticator.knows(code, message.edit_date or message.date)

    def _open(self) -> _Waiting | None:
        if self._waiting is not None and self._clock.monotonic() > self._waiting.expires:
            self._waiting = None
        return self._waiting

    def _failed(self, waiting: _Waiting, said: str) -> str:
        waiting.left -= 1
        log.warning("totp.refused", choice=waiting.choice.label, tries_left=waiting.left)
        if waiting.left:
            return f"{said} Tries left: {waiting.left}."
        self._waiting = None
        self._resting_until = self._clock.monotonic() + REST_SECONDS
        return f"{said} It was the last try: nothing was done."


class CodeIntake:
    """Takes an update to `then` unless it was a code. Its `take` has the promises of the intake's."""

    def __init__(
        self,
        confirming: Confirming,
        inbox: Inbox,
        messenger: Messenger,
        then: Callable[[Update], Awaitable[None]],
    ) -> None:
        self._confirming = confirming
        self._inbox = inbox
        self._messenger = messenger
        self._then = then

    async def take(self, update: Update) -> None:
        """Never raises: what fails is logged, and comes again after a restart."""
        message = update.message or update.edited_message
        try:
            said = None if message is None else await self._confirming.take(message)
            if said is not None:
                await self._inbox.finish(update.update_id, [self._messenger.notice(said)])
                self._messenger.wake()
                return
        except Exception:  # the border of one update; no word of it may go on to anybody else
            log.exception("totp.broke", update=update.update_id)
            return
        await self._then(update)
