"""A process that does standing work until it is killed: `python -m tests.praetorium.timekeeper FILE`.

Every hour of a clock that runs ahead something is due; what was written is told after its commit.
"""

import asyncio
import sys
from datetime import timedelta
from pathlib import Path

from legio.ports import Firing, Rule, Schedule, Work
from legio.praetorium import open_praetorium
from tests.praetorium.record import START, StillClock, parcel, said

HOUR = timedelta(hours=1)


async def keep_time(path: Path) -> None:
    hourly = Rule("FREQ=HOURLY;INTERVAL=1", "every hour")
    async with open_praetorium(path, StillClock()) as praetorium:
        for work in Work:
            await praetorium.schedules.add(
                Schedule(work, work.value, "caesar", "UTC", START, START, hourly), update_id=len(work.value)
            )
        while True:
            for schedule in await praetorium.schedules.standing():
                name = f"{schedule.number} {int((schedule.due - START) / HOUR)}"
                nuntius = said(name) if schedule.work is Work.TASK else None
                firing = Firing(schedule.due + HOUR, [parcel(name)], nuntius, ["legatus"])
                await praetorium.schedules.fire(schedule, firing)
                sys.stdout.write(f"{name}\n")
                sys.stdout.flush()


if __name__ == "__main__":
    asyncio.run(keep_time(Path(sys.argv[1])))
