"""The port `Schedules` in memory, with what its firings led to."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from legio.errors import Refused
from legio.nuntius import Turn
from legio.ports import Firing, Parcel, Schedule
from legio.ports.schedules import MOST_STANDING


@dataclass
class MemorySchedules:
    """Schedules by number. `parcels` and `turns` are what was written when they fired."""

    rows: dict[int, Schedule] = field(default_factory=dict)
    ended: set[int] = field(default_factory=set)
    updates: dict[int, int] = field(default_factory=dict)
    parcels: list[Parcel] = field(default_factory=list)
    turns: list[Turn] = field(default_factory=list)

    async def add(self, schedule: Schedule, *, update_id: int | None = None) -> Schedule:
        if update_id is not None and update_id in self.updates:
            return self.rows[self.updates[update_id]]
        for other in await self.standing():
            if _same(schedule, other):
                return other
        if len(self.rows) - len(self.ended) >= MOST_STANDING:
            raise Refused(f"{MOST_STANDING} schedules stand already.")
        number = len(self.rows) + 1
        self.rows[number] = replace(schedule, number=number)
        if update_id is not None:
            self.updates[update_id] = number
        return self.rows[number]

    async def standing(self) -> tuple[Schedule, ...]:
        left = [row for number, row in self.rows.items() if number not in self.ended]
        return tuple(sorted(left, key=lambda row: (row.due, row.number)))

    async def fire(self, schedule: Schedule, firing: Firing) -> tuple[Turn, ...] | None:
        row = self.rows.get(schedule.number)
        if row is None or row.due != schedule.due or row.number in self.ended:
            return None
        if firing.next is None:
            self.ended.add(row.number)
        self.rows[row.number] = replace(row, fired=row.due, due=firing.next or row.due)
        self.parcels += firing.parcels
        if firing.nuntius is None:
            return ()
        nuntius = replace(firing.nuntius, seq=len(self.turns) + 1)
        turns = tuple(
            Turn(len(self.turns) + index, agent, nuntius, nuntius.seq)
            for index, agent in enumerate(firing.agents, 1)
        )
        self.turns += turns
        return turns

    async def end(self, number: int) -> Schedule | None:
        return self._change(number, self.ended.add, when=number not in self.ended)

    async def resume(self, number: int) -> Schedule | None:
        row = self.rows.get(number)
        left = row is not None and (row.fired is None or row.fired < row.due)
        return self._change(number, self.ended.discard, when=left and number in self.ended)

    def _change(self, number: int, change: Callable[[int], None], *, when: bool) -> Schedule | None:
        if number not in self.rows or not when:
            return None
        change(number)
        return self.rows[number]


def _same(one: Schedule, other: Schedule) -> bool:
    said = (one.work, one.text, one.zone, one.rule and one.rule.rrule)
    return said == (other.work, other.text, other.zone, other.rule and other.rule.rrule) and (
        one.rule is not None or one.due == other.due
    )
