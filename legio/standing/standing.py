"""Setting up standing work, looking at it and taking it away, for Caesar and the Legatus alike.

What is set up is said back in full. When it is done is the scheduler's business.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from legio.errors import Refused
from legio.ports import Clock, Schedule, Schedules, Work
from legio.standing.spans import Moment
from legio.standing.understanding import When, said, when, when_and_text, written
from legio.zones import zone_of

LONGEST_TEXT = 3500
"""So that it fits into one message, with a word on when it was due."""
WAITED = timedelta(minutes=10)
"""What is older was held up; by less the clocks of Telegram and of this machine may differ."""


@dataclass(frozen=True, slots=True)
class Order:
    """What is to be set up: what for, the words, when, by whom, and the update that brought it, if any."""

    work: Work
    text: str
    when: When
    author: str
    update_id: int | None = None


class Standing:
    """The standing work. `wake` tells the scheduler that something changed."""

    def __init__(
        self, schedules: Schedules, clock: Clock, zone: ZoneInfo, wake: Callable[[], None] = lambda: None
    ) -> None:
        self._schedules = schedules
        self._clock = clock
        self._wake = wake
        self.zone = zone

    @property
    def now(self) -> str:
        """What the clock on the owner's wall shows, in full."""
        return written(self._clock.now(), self.zone)

    def read(self, words: str, sent: datetime | None = None) -> tuple[When, str]:
        """When, and what, of words that say both. Raises `NotUnderstood`.

        Words that were `sent` long ago, as when Legio was down, mean what they meant then.
        """
        now = self._clock.now()
        then = sent if sent is not None and now - sent > WAITED else now
        return when_and_text(words, Moment(then, self.zone))

    def read_when(self, words: str) -> When:
        """When, of words that say nothing else. Raises `NotUnderstood`."""
        return when(words, Moment(self._clock.now(), self.zone))

    async def set_up(self, order: Order) -> Schedule:
        """Let it stand; what stood already is returned as it stands. Raises `Refused` for what cannot be."""
        text = order.text.strip()
        if not text:
            raise Refused("there is nothing to be said or done then.", remedy="Write it behind the time.")
        if order.work is Work.TASK and text.startswith("/"):
            raise Refused("a command cannot be scheduled.", remedy="Write what an agent shall do.")
        if len(text) > LONGEST_TEXT:
            raise Refused(
                f"the text has {len(text)} characters.", remedy=f"At most {LONGEST_TEXT} can stand."
            )
        schedule = Schedule(
            order.work,
            text,
            order.author,
            self.zone.key,
            order.when.due,
            order.when.due,
            order.when.rule,
        )
        written = await self._schedules.add(schedule, update_id=order.update_id)
        self._wake()
        return written

    async def all(self) -> tuple[Schedule, ...]:
        """What stands, by the next instant."""
        return await self._schedules.standing()

    async def end(self, number: int) -> Schedule:
        """Take it away. Raises `Refused` when nothing stands under that number."""
        ended = await self._schedules.end(number)
        if ended is None:
            raise Refused(f"no schedule {number} stands.", remedy="/schedule lists those that do.")
        self._wake()
        return ended

    async def resume(self, number: int) -> Schedule:
        """Let it stand again. Raises `Refused` when it stands or was done for the last time."""
        resumed = await self._schedules.resume(number)
        if resumed is None:
            raise Refused(f"schedule {number} cannot stand again.")
        self._wake()
        return resumed

    def said(self, schedule: Schedule) -> str:
        """When it is due, in full: "⏰ Monday 23 November 2026 08:00 Europe/Zurich, then every Monday"."""
        zone = zone_of(schedule.zone) or self.zone
        return f"⏰ {said(When(schedule.due, schedule.rule), zone)}"
