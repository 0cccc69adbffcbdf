"""Pairing: whoever sends the code that stands in the terminal becomes Caesar.

It is asked of Telegram as later everything is, but nothing is kept and nobody is answered: to all but the one
who knows the code this bot is silent. Where the id is written, and what the terminal looks like, is for
whoever started it.
"""

import asyncio
import contextlib
import hmac
import re
import secrets
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from typing import Any

import structlog
from telegram import Chat, Message, Update

from legio.bot.connection import Line, overheard
from legio.bot.receiver import Receiver
from legio.errors import LegioError
from legio.ports import Clock

log = structlog.get_logger()

ALPHABET = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"
"""Nothing that is mistaken for another sign: no I, O, 0, 1. Five bits each."""
GROUPS, GROUP_CHARACTERS = 3, 4
"""Sixty bits, of which five tries find nothing."""
CODE_SECONDS = 600.0
TRIES = 5

_CODE = re.compile(f"[{ALPHABET}]{{{GROUPS * GROUP_CHARACTERS}}}")


@dataclass(frozen=True, slots=True)
class Invitation:
    """What the terminal shows: the code, the bot to send it to, and for how many minutes it is good."""

    code: str
    username: str
    minutes: int = int(CODE_SECONDS // 60)

    @property
    def link(self) -> str:
        """Opens the bot's chat with the code ready to be sent (https://core.telegram.org/bots/features)."""
        return f"https://t.me/{self.username}?start={self.code}"


@dataclass(frozen=True, slots=True)
class Terminal:
    """What whoever started Legio is shown; never what somebody wrote."""

    invite: Callable[[Invitation], None]
    say: Callable[[str], None]


@contextlib.asynccontextmanager
async def paired(line: Line, receiver: Receiver, terminal: Terminal) -> AsyncIterator[int]:
    """The id of whoever sent the code. Telegram is told that it was received when the block is left.

    Raises `LegioError` after the fifth wrong code, and as `reached` does.
    """
    pairing = Pairing(line.clock, terminal)
    async with overheard(line, pairing, receiver) as bot:
        caesar_id = await pairing.caesar(bot.username)
        if caesar_id is not None:
            yield caesar_id
            return
    raise LegioError(
        f"the pairing is over: {TRIES} wrong codes were sent to the bot.",
        remedy="Start Legio again for a new code.",
    )


class Pairing(asyncio.Queue[object]):
    """Takes the updates in the place of a legion's queue, and drops them all."""

    def __init__(self, clock: Clock, terminal: Terminal, *, draw: Callable[[], str] | None = None) -> None:
        super().__init__()
        self._clock = clock
        self._terminal = terminal
        self._draw = draw or new_code
        self._found: asyncio.Future[int | None] = asyncio.get_running_loop().create_future()
        self._code = ""
        self._expires = 0.0
        self._left = TRIES

    async def put(self, item: object) -> None:
        """Judge an update. After the end it never returns: what comes then is for the legion to receive."""
        if self._found.done():
            await asyncio.Event().wait()
        if isinstance(item, Update) and item.message is not None:
            self._judge(item.message)

    async def caesar(self, username: str) -> int | None:
        """Invite, with a fresh code every ten minutes, until somebody has sent it; None: all tries failed."""
        while not self._found.done():
            self._code, self._expires = self._draw(), self._clock.monotonic() + CODE_SECONDS
            self._terminal.invite(Invitation(self._code, username))
            timer = asyncio.create_task(self._clock.sleep(CODE_SECONDS), name="pairing:code")
            waited: set[asyncio.Future[Any]] = {self._found, timer}
            try:
                await asyncio.wait(waited, return_when=asyncio.FIRST_COMPLETED)
            finally:
                timer.cancel()
                await asyncio.gather(timer, return_exceptions=True)
        return self._found.result()

    def _judge(self, message: Message) -> None:
        given = code_in(message)
        if given is None or message.from_user is None:
            return
        same = hmac.compare_digest(given.encode(), _folded(self._code).encode())
        if same and self._clock.monotonic() < self._expires:
            log.info("pairing.done")
            self._found.set_result(message.from_user.id)
            return
        self._left -= 1
        log.warning("pairing.wrong_code", tries_left=self._left)
        if self._left:
            self._terminal.say(f"A wrong code was sent to the bot; tries left: {self._left}.")
        else:
            self._found.set_result(None)


def new_code() -> str:
    """A code that nobody guesses, in groups that a person can read."""
    groups = ("".join(secrets.choice(ALPHABET) for _ in range(GROUP_CHARACTERS)) for _ in range(GROUPS))
    return "-".join(groups)


def code_in(message: Message) -> str | None:
    """The code that a person wrote himself in his private chat, bare or behind /start; None for all else."""
    sender, chat = message.from_user, message.chat
    if sender is None or sender.is_bot or chat.type != Chat.PRIVATE or chat.id != sender.id:
        return None
    if message.sender_chat or message.forward_origin or message.via_bot:
        return None
    head, *rest = (message.text or "").split() or [""]
    words = rest if head.partition("@")[0].lower() == "/start" else [head, *rest]
    code = _folded("".join(words))
    return code if _CODE.fullmatch(code) else None


def _folded(code: str) -> str:
    return code.replace("-", "").upper()
