"""`/stop` to stopped: from the update that stops an agent in mid-answer to the word that he has stopped."""

import asyncio

from legio.bot.pace import PER_SECOND
from tests.bench.camp import Bot
from tests.bench.report import Figure, Sample, spell

MOST_SECONDS = 0.3
WORDS = 4
"""Messages of one stop: the roll-call and its end, what the command answers, and the word itself."""


async def stops(legio: Bot, agent: str, *, count: int) -> Sample:
    """Seconds from `/stop` to `Stopped`, `count` times, each in the middle of an answer."""
    await legio.answers(f"@{agent} awake")
    return Sample(tuple([await _stop(legio, agent) for _ in range(count)]))


def stop_figure(seen: Sample) -> Figure:
    """How long Caesar's stop takes; nobody stops anything for the median."""
    slow = seen.percentile(95)
    bound = f"{spell(MOST_SECONDS)} (95th percentile)"
    return Figure("/stop to stopped", bound, f"{spell(slow)}; {seen}", slow <= MOST_SECONDS)


async def _stop(legio: Bot, agent: str) -> float:
    # Its own pace is not what is measured.
    await asyncio.sleep(WORDS / PER_SECOND)
    await legio.starts(f"@{agent} slow 60")
    return await legio.answers(f"/stop {agent}", mark=f"⏹ {agent}: stopped.")
