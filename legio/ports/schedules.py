"""Standing work: what has to be said or done at an instant that somebody named before."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Protocol

from legio.nuntius import Nuntius, Turn
from legio.ports.messenger import Parcel

MOST_STANDING = 100
"""How many schedules may stand at once."""


class Work(StrEnum):
    """What a schedule is for: a word to Caesar, which asks no model, or a nuntius in his name."""

    REMINDER = "reminder"
    TASK = "task"


@dataclass(frozen=True, slots=True)
class Rule:
    """When it comes again: `rrule` as RFC 5545 writes it, and the same in words, such as "every Monday"."""

    rrule: str
    words: str


@dataclass(frozen=True, slots=True)
class Schedule:
    """One piece of standing work. All instants are aware and in UTC.

    `due` is the next instant, or the last one when there is none after it; `first` is where the rule began to
    count. `zone` is the IANA name of the zone whose wall clock the rule goes by. `author` is who set it up.
    `fired` is the instant that was done last, `number` is given by the praetorium, and 0 before that.
    """

    work: Work
    text: str
    author: str
    zone: str
    due: datetime
    first: datetime
    rule: Rule | None = None
    fired: datetime | None = None
    number: int = 0


@dataclass(frozen=True, slots=True)
class Firing:
    """What a schedule does when it is due: words for the outbox, and the nuntius with whom it is for.

    `next` is when it is due again, None for never. Parcels without a seq carry the nuntius, if there is one.
    """

    next: datetime | None
    parcels: Sequence[Parcel] = ()
    nuntius: Nuntius | None = None
    agents: Sequence[str] = ()


class Schedules(Protocol):
    """What stands. Each method is one transaction."""

    async def add(self, schedule: Schedule, *, update_id: int | None = None) -> Schedule:
        """1. Writes it and returns it with its number; what stands already is returned as it stands.

        That is what the same update brought before (also when it has ended since), or what says the same at
        the same time to the same end. Raises `Refused` when as many stand as may.
        """

    async def standing(self) -> tuple[Schedule, ...]:
        """2. Those that have not ended, by the instant at which they are due."""

    async def fire(self, schedule: Schedule, firing: Firing) -> tuple[Turn, ...] | None:
        """3. Does it, once: the effect and the next instant are written together.

        Returns the turns in the order of the agents; None, and nothing changes, if it is not due at
        `schedule.due` any more.
        """

    async def end(self, number: int) -> Schedule | None:
        """4. Takes it away, and returns it as it stood; None if it did not stand."""

    async def resume(self, number: int) -> Schedule | None:
        """5. Lets one that was taken away stand again; None if it stands, was never, or has nothing left."""
