"""What a command works with, what it is given, and what it answers."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

from legio.attachments import Depot
from legio.bot.pages import Pages
from legio.bot.payload import FileMessage, TextMessage
from legio.config import BudgetConfig
from legio.decisions import Decisions
from legio.errors import Refused
from legio.legatus import Legatus
from legio.ports import (
    Button,
    Clock,
    Costs,
    Ledger,
    Memoria,
    Messenger,
    Nuntii,
    Threads,
    Turns,
)
from legio.recruiting import Recruiting
from legio.roster import Roster
from legio.sessions import Sessions
from legio.standing import QuietHours, Standing
from legio.survey import Survey
from legio.tuning import Tuning


@dataclass(frozen=True, slots=True)
class Sight:
    """What it takes to look behind an agent and into the record; times are shown in `zone`."""

    pages: Pages
    threads: Threads
    tuning: Tuning
    costs: Costs
    clock: Clock
    zone: ZoneInfo
    max_context_tokens: int
    history_window: int


async def unserved() -> str:
    """The way to a console that is not there."""
    raise Refused(
        "the console is not served.", remedy="Set [console] port in legio.toml, and start Legio anew."
    )


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
    standing: Standing
    quiet: QuietHours
    sight: Sight
    depot: Depot
    budget: BudgetConfig
    survey: Survey
    invitation: Callable[[], Awaitable[str]] = unserved


@dataclass(frozen=True, slots=True)
class Call:
    """What a command is given: the words behind it, and Telegram's ids of what it replied to and came with.

    `sent` is when Caesar sent it, by Telegram's clock.
    """

    words: str
    reply_to: int | None = None
    update_id: int | None = None
    sent: datetime | None = None


@dataclass(frozen=True, slots=True)
class Reply:
    """What a command answers: plain text, and the buttons under it.

    `shown` is how it looks exactly, where plain text says too little, and `file` follows it.
    """

    text: str
    buttons: tuple[Button, ...] = ()
    shown: TextMessage | None = None
    file: FileMessage | None = None


class Misused(Refused):
    """The command was not written as it has to be; its usage is shown."""
