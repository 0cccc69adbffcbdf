"""How soon Caesar sees on his phone that he was heard: by typing, a reaction or a message."""

import asyncio

from legio.bot.pace import PER_SECOND
from legio.local.botapi.state import BotApiState, Call
from tests.bench.camp import Bot, Camp
from tests.bench.report import Figure, Sample, spell

LATENCY_SECONDS = 1.0
MOST_SECONDS = 0.150
SHARE = 95.0
VISIBLE = ("sendChatAction", "setMessageReaction", "sendMessage", "sendMessageDraft", "sendDocument")
AGENT = "vorenus"


async def signs(camp: Camp, legio: Bot, *, count: int) -> Sample:
    """Seconds from an update to the first visible sign, with a model that takes its time; `count` times."""
    await legio.answers(f"@{AGENT} wake")
    camp.model.latency = LATENCY_SECONDS
    try:
        return Sample(tuple([await _sign(legio, number) for number in range(count)]))
    finally:
        camp.model.latency = 0.0


def sign_figure(seen: Sample) -> Figure:
    """The first visible sign."""
    slowest = seen.percentile(SHARE)
    return Figure(
        "update to the first visible sign",
        f"{spell(MOST_SECONDS)} (p95)",
        f"p95 {spell(slowest)}; median {seen}",
        slowest <= MOST_SECONDS,
    )


def first_sign(telegram: BotApiState, *, since: float) -> Call | None:
    """The first call after that moment that shows in the chat."""
    return next((it for it in telegram.calls if it.at >= since and it.method in VISIBLE), None)


async def _sign(legio: Bot, number: int) -> float:
    # Nothing of the turn before, its fold included, may be taken for a sign of this one.
    await asyncio.sleep(1 / PER_SECOND)
    began = legio.telegram.clock.monotonic()
    await legio.answers(f"@{AGENT} sign-{number}")
    found = first_sign(legio.telegram, since=began)
    assert found is not None
    return found.at - began
