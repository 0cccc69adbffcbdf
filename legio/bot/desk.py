"""What a command works with, what it is given, and what it answers."""

from dataclasses import dataclass

from legio.decisions import Decisions
from legio.errors import Refused
from legio.legatus import Legatus
from legio.ports import Button, Ledger, Memoria, Messenger, Nuntii, Turns
from legio.recruiting import Recruiting
from legio.roster import Roster
from legio.sessions import Sessions


@dataclass(frozen=True, slots=True)
class Desk:
    """What the commands work with."""

    legatus: Legatus
    sessions: Sessions
    roster: Roster
    recruiting: Recruiting
    decisions: Decisions
    memoria: Memoria
    nuntii: Nuntii
    turns: Turns
    ledger: Ledger
    messenger: Messenger


@dataclass(frozen=True, slots=True)
class Call:
    """What a command is given: the words behind it, and Telegram's id of the message it replied to."""

    words: str
    reply_to: int | None = None


@dataclass(frozen=True, slots=True)
class Reply:
    """What a command answers: plain text, and the buttons under it."""

    text: str
    buttons: tuple[Button, ...] = ()


class Misused(Refused):
    """The command was not written as it has to be; its usage is shown."""
