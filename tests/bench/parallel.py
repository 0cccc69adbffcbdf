"""Eight centuriones asked at once, with a model that takes a second: does any of them wait for another?"""

import asyncio

from legio.bot.pace import PER_SECOND
from tests.bench.camp import Bot, Camp
from tests.bench.report import Figure, Sample, spell

LATENCY_SECONDS = 1.0
MOST_SECONDS = 1.4


async def rounds(camp: Camp, legio: Bot, names: tuple[str, ...], *, count: int) -> Sample:
    """Seconds from the update until the last of them has answered, `count` times, all awake before."""
    await _rest(names)
    await legio.answers(f"{_mentions(names)} wake", count=len(names))
    camp.model.latency = LATENCY_SECONDS
    try:
        return Sample(tuple([await _round(legio, names, number) for number in range(count)]))
    finally:
        camp.model.latency = 0.0


def parallel_figure(seen: Sample, names: tuple[str, ...]) -> Figure:
    """How long all of them took together."""
    return Figure(
        f"{len(names)} centuriones at once, model of {spell(LATENCY_SECONDS)}",
        f"{spell(MOST_SECONDS)} (median)",
        str(seen),
        seen.median <= MOST_SECONDS,
    )


async def _round(legio: Bot, names: tuple[str, ...], number: int) -> float:
    await _rest(names)
    return await legio.answers(f"{_mentions(names)} round-{number}", count=len(names))


async def _rest(names: tuple[str, ...]) -> None:
    """Until Legio may send as many messages at once again: its own pace is not what is measured.

    A roll-call stands and is folded beside the answers, which is two more.
    """
    await asyncio.sleep((len(names) + 2) / PER_SECOND)


def _mentions(names: tuple[str, ...]) -> str:
    return " ".join(f"@{name}" for name in names)
