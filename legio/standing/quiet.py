"""Quiet hours: when messages come without a sound, by the owner's clock.

They hold when a message is sent, however long ago it was written. Only what he himself marked urgent rings.
"""

import re
from dataclasses import dataclass
from datetime import datetime, time
from zoneinfo import ZoneInfo

from legio.errors import Refused
from legio.ports import Clock, Settings
from legio.standing.times import clock_time
from legio.zones import local

SETTING = "quiet"
_BETWEEN = re.compile(r"\s*(?:-|–|—|\bto\b|\buntil\b|\btill\b)\s*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Hours:
    """From one time of the day to another, over midnight where the end is the earlier one."""

    begin: time
    end: time

    def __str__(self) -> str:
        return f"{self.begin:%H:%M}-{self.end:%H:%M}"

    def hold(self, now: time) -> bool:
        """Whether it is quiet at `now`."""
        if self.begin < self.end:
            return self.begin <= now < self.end
        return now >= self.begin or now < self.end


def hours(text: str) -> Hours:
    """The hours that `text` names, as "22:00-07:00". Raises `Refused`."""
    match [clock_time(part) for part in _BETWEEN.split(text.strip())]:
        case [time() as begin, time() as end] if begin != end:
            return Hours(begin, end)
        case _:
            raise Refused(f"“{text.strip()}” are no hours.", remedy="Write them like 22:00-07:00, or off.")


class QuietHours:
    """The hours that Caesar set. `load` reads what an earlier process was told."""

    def __init__(self, settings: Settings, clock: Clock, zone: ZoneInfo) -> None:
        self._settings = settings
        self._clock = clock
        self._zone = zone
        self.hours: Hours | None = None

    async def load(self) -> None:
        """Take up what is remembered; what cannot be read any more is no hours."""
        try:
            self.hours = hours(await self._settings.get(SETTING) or "")
        except Refused:
            self.hours = None

    async def set(self, chosen: Hours | None) -> None:
        """Keep these hours from now on, or none."""
        if chosen is None:
            await self._settings.drop(SETTING)
        else:
            await self._settings.put(SETTING, str(chosen))
        self.hours = chosen

    def now(self) -> bool:
        """Whether it is quiet now."""
        return self.at(self._clock.now())

    def at(self, instant: datetime) -> bool:
        """Whether it is quiet then, as far as is set by now."""
        return self.hours is not None and self.hours.hold(local(instant, self._zone).time())
