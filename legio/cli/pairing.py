"""Pairing as the terminal shows it: the code, its link, its picture; and the id, written where it belongs.

The castra is held meanwhile, as by a Legio that serves: two on one bot would take each other's updates.
"""

import sys

from legio.app import inhabited
from legio.bot.connection import Line
from legio.bot.pairing import Invitation, Terminal, paired
from legio.bot.receiver import Receiver
from legio.castra import Castra
from legio.cli import picture
from legio.clock import SystemClock
from legio.config import Config
from legio.config.writing import write_caesar
from legio.errors import LegioError
from legio.praetorium.lock import hold

WELCOME = (
    "Ave Caesar. From now on Legio obeys you, and nobody else gets a word out of it. Write, and the Legatus"
    " answers; /start says how to address the others."
)


async def pair(config: Config, token: str) -> int:
    """Who Caesar is: whoever sends the code that is shown now. Raises `LegioError` when nobody did."""
    castra, clock = Castra(config.castra), SystemClock()
    inhabited(castra)

    async def tell(text: str) -> None:
        _say(text)

    with hold(castra.lock):
        receiver = Receiver(clock, heartbeat=castra.lock.touch, tell=tell)
        line = Line(config.telegram, token, clock)
        async with paired(line, receiver, Terminal(_invite, _say)) as caesar_id:
            _keep(config, caesar_id)
    return caesar_id


def _keep(config: Config, caesar_id: int) -> None:
    assert config.file is not None, "what was loaded knows its file"
    try:
        write_caesar(config.file, caesar_id)
    except LegioError as error:  # Legio can serve him all the same, until it is stopped
        _say(f"Caesar is {caesar_id}, but {error}")
    else:
        _say(f"Caesar is {caesar_id} from now on: it was written to {config.file}.")


def _invite(invitation: Invitation) -> None:
    if sys.stdout.isatty():
        _say(picture.of(invitation.link))
    _say(
        f"Nobody is Caesar yet. Open {invitation.link} and press Start, or send {invitation.code} to"
        f" @{invitation.username} in a private chat. Whoever sends it first is Caesar; it is good for"
        f" {invitation.minutes} minutes."
    )


def _say(text: str) -> None:
    print(text, flush=True)
