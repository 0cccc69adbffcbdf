import asyncio
import json
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from legio.bot.alarm import Alarm
from legio.clock import SystemClock
from legio.legatus import Admit
from legio.nuntius import CAESAR, Nuntius, Turn
from legio.ports import Firing, Rule, Schedule, Work
from legio.standing.scheduler import LOOK_SECONDS, Scheduler
from tests.camp import legion
from tests.clocks import FakeClock, settled
from tests.fakes import NotingMessenger, Stage
from tests.scenes import scene
from tests.standing.memory import MemorySchedules

NOON = datetime(2026, 11, 21, 11, 0, tzinfo=UTC)  # in Zurich
HOUR, DAY = timedelta(hours=1), timedelta(days=1)
HOURLY = Rule("FREQ=HOURLY;INTERVAL=1", "every hour")
DAILY = Rule("FREQ=DAILY;BYHOUR=12;BYMINUTE=0;BYSECOND=0", "every day at 12:00")


class SetClock(FakeClock):
    """A clock on the wall that somebody sets, while the time that passes goes on."""

    def __init__(self) -> None:
        super().__init__(NOON)
        self.off = timedelta()

    def now(self) -> datetime:
        return super().now() + self.off


@dataclass
class Tower:
    """A scheduler at work, and what came of it."""

    clock: SetClock = field(default_factory=SetClock)
    schedules: MemorySchedules = field(default_factory=MemorySchedules)
    messenger: NotingMessenger = field(default_factory=NotingMessenger)
    heard: list[tuple[str, str]] = field(default_factory=list)
    troubles: list[Exception] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.alarm = Alarm(self.clock)
        self.scheduler = Scheduler(self.schedules, self.messenger, self.hear, self.clock, self.alarm)

    async def hear(self, text: str, origin: str, admit: Admit) -> tuple[Turn, ...]:
        if self.troubles:
            raise self.troubles.pop()
        self.heard.append((text, origin))
        return await admit(Nuntius("id", CAESAR, text, ("legatus",), self.clock.now()), ["legatus"])

    async def set_up(self, due: datetime, rule: Rule | None = None, **changes: Any) -> Schedule:
        schedule = Schedule(Work.REMINDER, "tea", CAESAR, "Europe/Zurich", due, due, rule)
        return await self.schedules.add(replace(schedule, **changes))

    @property
    def notices(self) -> list[str]:
        return [json.loads(parcel.payload)["text"] for parcel in self.schedules.parcels]

    @property
    def rings(self) -> list[str]:
        return [json.loads(parcel.payload).get("ring", "usual") for parcel in self.schedules.parcels]

    @asynccontextmanager
    async def at_work(self) -> Any:
        task = asyncio.create_task(self.scheduler.run())
        await settled()
        try:
            yield
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)


@scene
async def test_a_reminder_comes_at_its_instant_and_once() -> None:
    tower = Tower()
    await tower.set_up(NOON + timedelta(minutes=20))
    async with tower.at_work():
        await tower.clock.run(20 * 60 - 1)
        before = list(tower.notices)
        await tower.clock.run(2)
        then = list(tower.notices)
        await tower.clock.run(3 * 24 * 3600)

    assert (before, then, tower.notices) == ([], ["⏰ tea"], ["⏰ tea"])
    assert tower.messenger.wakes == 1
    assert await tower.schedules.standing() == ()


@scene
async def test_what_recurs_comes_each_time() -> None:
    tower = Tower()
    await tower.set_up(NOON + HOUR, HOURLY)
    async with tower.at_work():
        await tower.clock.run(3.5 * 3600)

    assert tower.notices == ["⏰ tea"] * 3


@scene
async def test_what_is_added_while_it_sleeps_is_done_in_time() -> None:
    tower = Tower()
    async with tower.at_work():
        await tower.set_up(NOON + timedelta(seconds=5))
        tower.alarm.ring()
        await tower.clock.run(5)

    assert tower.notices == ["⏰ tea"]


@scene
async def test_what_was_due_while_legio_was_down_is_done_once_and_said_so() -> None:
    tower = Tower()
    await tower.set_up(NOON - 3 * HOUR)
    await tower.set_up(NOON - 2 * DAY, DAILY)
    await tower.set_up(NOON - 40 * DAY, Rule("FREQ=MINUTELY;INTERVAL=5", "every 5 minutes"), text="bell")

    await tower.scheduler.look()

    assert tower.notices == [
        "⏰ bell\nMore than 1,000 were due while Legio was down; done once now.",
        "⏰ tea\n3 were due while Legio was down; done once now.",
        "⏰ tea\nThis was due Saturday 21 November 2026 09:00 Europe/Zurich, while Legio was down.",
    ]
    assert [row.due for row in await tower.schedules.standing()] == [NOON + timedelta(minutes=5), NOON + DAY]


@scene
async def test_a_task_is_put_to_the_legion_with_where_it_comes_from() -> None:
    tower = Tower()
    row = await tower.set_up(NOON, DAILY, work=Work.TASK, text="@vorenus survey the ford")

    await tower.scheduler.look()

    assert tower.heard == [
        ("@vorenus survey the ford", f"schedule {row.number} (every day at 12:00), set up by caesar.")
    ]
    assert tower.notices == ["⏰ 1 · every day at 12:00\n@vorenus survey the ford"]
    assert tower.rings == ["silent"]
    assert [turn.agent for turn in tower.schedules.turns] == ["legatus"]


@scene
async def test_the_agents_know_of_a_delay() -> None:
    tower = Tower()
    await tower.set_up(NOON - DAY, DAILY, work=Work.TASK, text="survey", author="legatus")

    await tower.scheduler.look()

    ((_, origin),) = tower.heard
    assert origin == (
        "schedule 1 (every day at 12:00), set up by legatus. 2 were due while Legio was down; done once now."
    )


@scene
async def test_a_reminder_marked_urgent_rings_always() -> None:
    tower = Tower()
    await tower.set_up(NOON, text="! rise")
    await tower.set_up(NOON, text="!")

    await tower.scheduler.look()

    assert tower.notices == ["⏰ rise", "⏰ !"]
    assert tower.rings == ["urgent", "urgent"]


@scene
async def test_a_clock_that_is_set_back_makes_nothing_come_twice() -> None:
    tower = Tower()
    await tower.set_up(NOON + HOUR, HOURLY)
    async with tower.at_work():
        await tower.clock.run(3600)
        tower.clock.off = -2 * HOUR
        await tower.clock.run(2 * 3600)
        once = list(tower.notices)
        await tower.clock.run(3600 + 60)

    assert once == ["⏰ tea"]
    assert tower.notices == ["⏰ tea"] * 2


@scene
async def test_a_clock_that_is_set_forward_is_noticed_within_a_minute() -> None:
    # So is a machine that was suspended: the time that passes stood still, the clock on the wall went on.
    tower = Tower()
    await tower.set_up(NOON + 5 * HOUR, HOURLY)
    async with tower.at_work():
        tower.clock.off = 7.5 * HOUR
        await tower.clock.run(LOOK_SECONDS)

    assert tower.notices == ["⏰ tea\n3 were due while Legio was down; done once now."]


@scene
async def test_a_row_that_makes_no_sense_holds_up_no_other() -> None:
    tower = Tower()
    await tower.set_up(NOON, DAILY, zone="Nowhere/City", text="lost")
    await tower.set_up(NOON, Rule("FREQ=NEVER", "never"), text="odd")
    await tower.set_up(NOON)

    await tower.scheduler.look()

    assert tower.notices == [
        "⛔ Schedule 1 was given up: schedule 1: there is no time zone Nowhere/City. Set it up again: lost",
        "⛔ Schedule 2 was given up: it cannot be read. Set it up again: odd",
        "⏰ tea",
    ]
    assert await tower.schedules.standing() == ()


@scene
async def test_what_cannot_be_done_now_is_tried_again_and_holds_up_no_other() -> None:
    tower = Tower()
    await tower.set_up(NOON - HOUR, work=Work.TASK, text="broken")
    await tower.set_up(NOON + timedelta(seconds=5))
    tower.troubles.append(OSError("the castra is away"))

    assert await tower.scheduler.look() == LOOK_SECONDS
    tower.clock.advance(5)
    tower.troubles.append(OSError("the castra is away"))
    await tower.scheduler.look()
    assert tower.notices == ["⏰ tea"]
    await tower.scheduler.look()
    assert tower.notices[1].startswith("⏰ 1 · once\nbroken")


@scene
async def test_a_task_whose_process_died_before_anybody_took_it_up_is_taken_up_once(tmp_path: Path) -> None:
    castra, clock = tmp_path / "castra", SystemClock()
    async with legion(castra, Stage()) as camp:
        now = clock.now()
        await camp.praetorium.schedules.add(
            Schedule(Work.TASK, "@vorenus survey", CAESAR, "Europe/Zurich", now, now)
        )

        async def dies(_: str, __: str, admit: Admit) -> tuple[Turn, ...]:
            await admit(Nuntius("id", CAESAR, "@vorenus survey", ("vorenus",), now), ["vorenus"])
            raise asyncio.CancelledError

        dying = Scheduler(camp.praetorium.schedules, camp.messenger, dies, clock, Alarm(clock))
        with pytest.raises(asyncio.CancelledError):
            await dying.look()

    async with legion(castra, stage := Stage()) as camp:
        await camp.legatus.take_up()
        again = Scheduler(
            camp.praetorium.schedules, camp.messenger, camp.legatus.hear_again, clock, Alarm(clock)
        )
        await again.look()
        await camp.settled(1)
        assert len(stage.texts("vorenus")) == 1
        assert await camp.praetorium.schedules.standing() == ()
        assert (await camp.praetorium.turns.tally()).received == 1


@scene
async def test_what_somebody_else_did_meanwhile_is_not_done_again() -> None:
    tower = Tower()
    row = await tower.set_up(NOON, DAILY, work=Work.TASK)
    tower.schedules.rows[row.number] = replace(row, due=NOON + DAY)

    await tower.scheduler._do(row, NOON)

    assert tower.notices == []
    assert tower.schedules.turns == []


@scene
async def test_with_nothing_due_it_looks_once_a_minute_and_does_nothing() -> None:
    tower = Tower()

    assert await tower.scheduler.look() == LOOK_SECONDS
    await tower.set_up(NOON + timedelta(seconds=7))
    assert await tower.scheduler.look() == pytest.approx(7)
    await tower.schedules.fire((await tower.schedules.standing())[0], Firing(NOON + DAY))
    assert await tower.scheduler.look() == LOOK_SECONDS
    assert tower.notices == []
