"""How the running Legio is, for whoever looks at it from outside."""

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from legio.nuntius import Tally


@dataclass(frozen=True, slots=True)
class Backlog:
    """What the record still has to be done. Ages are in seconds, 0.0 where there is nothing.

    `inbox_seconds` is the age of the oldest letter not finished, `turn_seconds` that of the oldest turn not
    ended, `outbox_seconds` that of the oldest parcel that has to go out. `slowest` is the agent that has owed
    an answer for longest without ending any turn, "" for none.
    """

    tally: Tally
    inbox: int = 0
    inbox_seconds: float = 0.0
    turn_seconds: float = 0.0
    slowest: str = ""
    slowest_seconds: float = 0.0
    outbox: int = 0
    outbox_seconds: float = 0.0
    undeliverable: int = 0


@dataclass(frozen=True, slots=True)
class Reception:
    """How Telegram is heard. `deaf` says in a sentence why it is not, "" while it is.

    `troubles` counts calls that failed, `restarts` how often the polling had stalled and was begun anew.
    """

    deaf: str = ""
    silent_seconds: float = 0.0
    troubles: int = 0
    restarts: int = 0


@dataclass(frozen=True, slots=True)
class Pulse:
    """One look at all of it. Memory is resident bytes, of Legio and of all that it has started."""

    backlog: Backlog
    reception: Reception
    uptime_seconds: float
    live_sessions: int
    own_bytes: int
    started_bytes: int
    last_error: datetime | None = None


class Vitals(Protocol):
    """The signs of life."""

    async def pulse(self) -> Pulse:
        """1. How all is now; raises `PraetoriumError` when the record cannot be read. Changes nothing."""
