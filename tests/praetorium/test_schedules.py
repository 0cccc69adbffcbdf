"""The contract of the port `Schedules`, asked of the real one and of the fake; and the real one killed."""

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from random import Random

import pytest

from legio.errors import Refused
from legio.ports import Firing, Parcel, Rule, Schedule, Schedules, Work
from legio.ports.schedules import MOST_STANDING
from tests.praetorium.record import START, parcel, payloads, praetorium_in, said
from tests.scenes import scene
from tests.standing.memory import MemorySchedules

ROOT = Path(__file__).parents[2]
HOUR = timedelta(hours=1)
HOURLY = Rule("FREQ=HOURLY;INTERVAL=1", "every hour")
LIVES = 5

both = pytest.mark.parametrize("kind", ["real", "fake"])


class Bench:
    """One of the two, and what it wrote when something fired."""

    def __init__(self, schedules: Schedules, sent: Sequence[Parcel] | None) -> None:
        self.schedules = schedules
        self._sent = sent

    async def sent(self) -> list[str]:
        assert self._sent is not None
        return [each.payload for each in self._sent]


class RealBench(Bench):
    """The real one, whose parcels lie in the outbox."""

    def __init__(self, schedules: Schedules, due: object) -> None:
        super().__init__(schedules, None)
        self._due = due

    async def sent(self) -> list[str]:
        return payloads(await self._due())  # type: ignore[operator]


@asynccontextmanager
async def bench(folder: Path, kind: str) -> AsyncIterator[Bench]:
    if kind == "fake":
        schedules = MemorySchedules()
        yield Bench(schedules, schedules.parcels)
    else:
        async with praetorium_in(folder) as praetorium:
            yield RealBench(praetorium.schedules, praetorium.outbox.due)


def reminder(text: str = "tea", due: datetime = START, rule: Rule | None = None) -> Schedule:
    return Schedule(Work.REMINDER, text, "caesar", "Europe/Zurich", due, due, rule)


@both
@scene
async def test_what_is_added_stands_under_a_number_by_its_next_instant(tmp_path: Path, kind: str) -> None:
    async with bench(tmp_path, kind) as it:
        later = await it.schedules.add(reminder("later", START + HOUR))
        task = replace(reminder("@vorenus survey", START, HOURLY), work=Work.TASK, author="legatus")
        sooner = await it.schedules.add(task)

        assert (later.number, sooner.number) == (1, 2)
        assert sooner == replace(task, number=2)
        assert await it.schedules.standing() == (sooner, later)


@both
@scene
async def test_what_stands_already_is_not_set_up_twice(tmp_path: Path, kind: str) -> None:
    async with bench(tmp_path, kind) as it:
        first = await it.schedules.add(reminder(), update_id=7)
        # The same update after a crash, whose "in 20 minutes" is another instant by then.
        again = await it.schedules.add(reminder(due=START + HOUR), update_id=7)
        same = await it.schedules.add(reminder())
        hourly = await it.schedules.add(reminder(rule=HOURLY))
        hourly_again = await it.schedules.add(reminder(due=START + HOUR, rule=HOURLY))
        other = await it.schedules.add(reminder(due=START + HOUR))

        assert (again, same, hourly_again) == (first, first, hourly)
        assert [each.number for each in (first, hourly, other)] == [1, 2, 3]

        await it.schedules.end(1)
        assert (await it.schedules.add(reminder(), update_id=7)).number == 1
        assert [each.number for each in await it.schedules.standing()] == [2, 3]


@both
@scene
async def test_no_more_stand_than_may(tmp_path: Path, kind: str) -> None:
    async with bench(tmp_path, kind) as it:
        for number in range(MOST_STANDING):
            await it.schedules.add(reminder(str(number)))
        with pytest.raises(Refused, match=str(MOST_STANDING)):
            await it.schedules.add(reminder("one more"))

        await it.schedules.end(1)
        assert (await it.schedules.add(reminder("one more"))).number == MOST_STANDING + 1


@both
@scene
async def test_what_fires_is_written_once_and_due_again_later(tmp_path: Path, kind: str) -> None:
    async with bench(tmp_path, kind) as it:
        row = await it.schedules.add(reminder(rule=HOURLY))

        assert await it.schedules.fire(row, Firing(START + HOUR, [parcel("tea")])) == ()
        assert await it.schedules.fire(row, Firing(START + HOUR, [parcel("tea again")])) is None

        (standing,) = await it.schedules.standing()
        assert (standing.due, standing.fired) == (START + HOUR, START)
        assert await it.sent() == ["tea"]


@both
@scene
async def test_what_fires_for_the_last_time_stands_no_more(tmp_path: Path, kind: str) -> None:
    async with bench(tmp_path, kind) as it:
        row = await it.schedules.add(reminder())

        await it.schedules.fire(row, Firing(None, [parcel("tea")]))

        assert await it.schedules.standing() == ()
        assert await it.schedules.fire(row, Firing(None, [parcel("tea")])) is None
        assert await it.schedules.end(row.number) is None
        assert await it.schedules.resume(row.number) is None
        assert await it.sent() == ["tea"]


@both
@scene
async def test_a_task_is_written_with_its_nuntius_and_its_turns(tmp_path: Path, kind: str) -> None:
    async with bench(tmp_path, kind) as it:
        row = await it.schedules.add(replace(reminder(), work=Work.TASK))
        nuntius = replace(said("survey", audience=("vorenus", "pullo")), origin="schedule 1")

        turns = await it.schedules.fire(row, Firing(None, [parcel("⏰")], nuntius, ["vorenus", "pullo"]))

        assert turns is not None
        assert [(turn.agent, turn.root, turn.message) for turn in turns] == [
            ("vorenus", 1, None),
            ("pullo", 1, None),
        ]
        assert turns[0].nuntius == replace(nuntius, seq=1)


@both
@scene
async def test_what_was_taken_away_stands_again_at_a_word(tmp_path: Path, kind: str) -> None:
    async with bench(tmp_path, kind) as it:
        row = await it.schedules.add(reminder(rule=HOURLY))
        await it.schedules.fire(row, Firing(START + HOUR))
        (now,) = await it.schedules.standing()

        assert await it.schedules.end(1) == now
        assert await it.schedules.end(1) is None
        assert await it.schedules.fire(now, Firing(None)) is None
        assert await it.schedules.resume(1) == now
        assert await it.schedules.resume(1) is None
        assert await it.schedules.standing() == (now,)
        assert await it.schedules.end(9) is None
        assert await it.schedules.resume(9) is None


@scene
async def test_the_record_keeps_where_the_words_came_from_and_the_turns_count(tmp_path: Path) -> None:
    async with praetorium_in(tmp_path) as praetorium:
        row = await praetorium.schedules.add(replace(reminder(), work=Work.TASK))
        nuntius = replace(said("survey"), origin="schedule 1 (once), set up by caesar.")
        await praetorium.schedules.fire(row, Firing(None, [parcel("⏰")], nuntius, ["legatus"]))

        (turn,) = await praetorium.turns.open()
        (dispatch,) = await praetorium.outbox.due()
        kept = await praetorium.nuntii.get(1)

        assert kept == replace(nuntius, seq=1)
        assert (turn.nuntius, dispatch.parcel.seq) == (kept, 1)
        assert (await praetorium.turns.tally()).holds
        assert await praetorium.check() == ()


def test_killed_at_any_instant_nothing_is_fired_twice_or_lost(tmp_path: Path) -> None:
    # Each life fires what is due until it is killed; the instants that were due are counted, one each hour.
    path, chance = tmp_path / "praetorium.db", Random(7)
    for _ in range(LIVES):
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.praetorium.timekeeper", str(path)],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            text=True,
        )
        with process:
            assert process.stdout is not None
            for _ in range(1 + chance.randrange(40)):
                process.stdout.readline()
            process.kill()

    async def judge() -> None:
        async with praetorium_in(tmp_path) as praetorium:
            standing = await praetorium.schedules.standing()
            notices = [
                row[0] for row in await praetorium.database.rows("SELECT payload FROM outbox ORDER BY id")
            ]
            asked = [row[0] for row in await praetorium.database.rows("SELECT text FROM nuntii ORDER BY seq")]
            assert await praetorium.check() == ()
            assert (await praetorium.turns.tally()).holds
            for schedule in standing:
                fired = int((schedule.due - schedule.first) / HOUR)
                mine = [text for text in notices if text.startswith(f"{schedule.number} ")]
                assert mine == [f"{schedule.number} {index}" for index in range(fired)]
                if schedule.work is Work.TASK:
                    assert [text for text in asked if text.startswith(f"{schedule.number} ")] == mine
            assert len(notices) > LIVES

    asyncio.run(judge())
