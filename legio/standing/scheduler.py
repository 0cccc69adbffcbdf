"""What is due is done: once, also when Legio was down in between, and without a model being asked when.

The scheduler sleeps until the next instant, yet never for more than a minute: clocks are set and machines are
suspended. What a firing does and when it comes again is written in one transaction, by the record.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Protocol
from zoneinfo import ZoneInfo

import structlog

from legio.errors import LegioError
from legio.legatus import Admit
from legio.nuntius import Nuntius, Turn
from legio.ports import Clock, Firing, Messenger, Ring, Schedule, Schedules, Work
from legio.standing.occurrences import MOST_COUNTED, after, count
from legio.standing.understanding import written
from legio.zones import zone_of

SCHEDULE_FIRED = "schedule.fired"
SCHEDULE_BROKEN = "schedule.broken"

LOOK_SECONDS = 60.0
"""How long a change of the clock may go unseen."""
LATE = timedelta(minutes=2)
"""What is done later than that was held up by something, which Caesar is told."""
URGENT = "!"
"""How the text of a reminder begins that rings in quiet hours, too."""

log = structlog.get_logger()

Hear = Callable[[str, str, Admit], Awaitable[tuple[Turn, ...]]]
"""Words in Caesar's name with their origin: addressed, written by an `Admit`, given to sessions."""


class Bell(Protocol):
    """What ends the scheduler's sleep."""

    async def wait(self, seconds: float | None = None) -> None:
        """Until it was rung, or the time has passed."""


@dataclass(frozen=True, slots=True)
class _Due:
    """A schedule that is due: how often it was by now, and what it does next."""

    schedule: Schedule
    times: int
    late: bool
    zone: ZoneInfo
    next: datetime | None

    @property
    def note(self) -> str:
        """What Caesar is told of a delay; "" if there was none."""
        if self.times > 1:
            many = f"More than {MOST_COUNTED:,}" if self.times > MOST_COUNTED else str(self.times)
            return f"{many} were due while Legio was down; done once now."
        return (
            f"This was due {written(self.schedule.due, self.zone)}, while Legio was down."
            if self.late
            else ""
        )


class Scheduler:
    """`run` is the one task's body; whoever rings the bell makes it look again."""

    def __init__(
        self, schedules: Schedules, messenger: Messenger, hear: Hear, clock: Clock, bell: Bell
    ) -> None:
        self._schedules = schedules
        self._messenger = messenger
        self._hear = hear
        self._clock = clock
        self._bell = bell

    async def run(self) -> None:
        """Do what is due, for ever."""
        while True:
            await self._bell.wait(await self.look())

    async def look(self) -> float:
        """Do all that is due now; returns in how many seconds to look again."""
        failed: set[int] = set()
        while True:
            standing = [row for row in await self._schedules.standing() if row.number not in failed]
            now = self._clock.now()
            due = [row for row in standing if row.due <= now]
            if not due:
                break
            failed |= {row.number for row in due if not await self._tried(row, now)}
        if failed or not standing:
            return LOOK_SECONDS
        return min(LOOK_SECONDS, (standing[0].due - now).total_seconds())

    async def _tried(self, schedule: Schedule, now: datetime) -> bool:
        """Whether it could be done; if not it stays due, and is tried again at the next look."""
        try:
            await self._do(schedule, now)
        except Exception:  # the border of one schedule: what holds it up holds up no other
            log.exception(SCHEDULE_BROKEN, schedule=schedule.number)
            return False
        return True

    async def _do(self, schedule: Schedule, now: datetime) -> None:
        try:
            due = _due(schedule, now)
        except (LegioError, ValueError, LookupError) as error:  # a row that makes no sense, and never will
            log.warning(SCHEDULE_BROKEN, schedule=schedule.number, error=repr(error))
            await self._give_up(schedule, error)
            return
        match schedule.work:
            case Work.REMINDER:
                done = await self._remind(due)
            case Work.TASK:
                done = await self._begin(due)
        self._messenger.wake()
        log.info(
            SCHEDULE_FIRED,
            schedule=schedule.number,
            due=schedule.due.isoformat(),
            times=due.times,
            done=done,
        )

    async def _remind(self, due: _Due) -> bool:
        schedule = due.schedule
        text = schedule.text.removeprefix(URGENT).strip() or schedule.text
        ring = Ring.URGENT if schedule.text.startswith(URGENT) else Ring.USUAL
        notice = self._messenger.notice("\n".join(filter(None, (f"⏰ {text}", due.note))), ring=ring)
        return await self._schedules.fire(schedule, Firing(due.next, [notice])) is not None

    async def _begin(self, due: _Due) -> bool:
        """What the agents are asked stands in the chat, without a sound: the answer is what rings."""
        schedule = due.schedule
        words = schedule.rule.words if schedule.rule else "once"
        head = f"⏰ {schedule.number} · {words}"
        notice = self._messenger.notice(
            "\n".join(filter(None, (head, schedule.text, due.note))), ring=Ring.SILENT
        )
        origin = f"schedule {schedule.number} ({words}), set up by {schedule.author}"
        done = False

        async def admit(nuntius: Nuntius, agents: Sequence[str]) -> tuple[Turn, ...]:
            nonlocal done
            turns = await self._schedules.fire(schedule, Firing(due.next, [notice], nuntius, agents))
            done = turns is not None
            return turns or ()

        await self._hear(schedule.text, f"{origin}. {due.note}".strip(), admit)
        return done

    async def _give_up(self, schedule: Schedule, error: Exception) -> None:
        what = str(error) if isinstance(error, LegioError) else "it cannot be read."
        said = f"⛔ Schedule {schedule.number} was given up: {what} Set it up again: {schedule.text}"
        await self._schedules.fire(schedule, Firing(None, [self._messenger.notice(said)]))
        self._messenger.wake()


def _due(schedule: Schedule, now: datetime) -> _Due:
    zone = zone_of(schedule.zone)
    if zone is None:
        raise LegioError(f"there is no time zone {schedule.zone}.", where=f"schedule {schedule.number}")
    late = now - schedule.due >= LATE
    if schedule.rule is None:
        return _Due(schedule, 1, late, zone, None)
    times = 1 + count(schedule.rule, schedule.first, zone, (schedule.due, now))
    return _Due(schedule, times, late, zone, after(schedule.rule, schedule.first, zone, now))
