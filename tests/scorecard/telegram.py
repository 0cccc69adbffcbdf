"""Telegram and the way to it fail, in each way that they have; nothing is lost, and what is doubtful says so.

The faults are made while Legio works and Caesar writes. A fault is over when Telegram answers well again.
"""

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import httpx

from legio.local.botapi.faults import Trouble
from tests.processes import TOKEN
from tests.scenes import until
from tests.scorecard.scenario import Figures, Scenario
from tests.scorecard.wired import Wired, wired

GROUP = "Telegram"
SEND, POLL = "sendMessage", "getUpdates"
MESSAGES = 4
RETRY_AFTER = 3
SECONDS = 60.0
CONFLICT = (
    "⚠️ Another program reads this bot's messages, so some of yours may never reach Legio. Stop that program,"
    " or get a new token for the bot from @BotFather."
)

PACED_SECONDS = 10.0
"""What is owed after a fault comes as fast as a chat bears it: nine at once, and then one a second."""

Fault = Callable[[Wired], Awaitable[int]]
"""Makes the fault, has Caesar write meanwhile, and returns when it is over how often it was made."""


def _scenario(name: str, fault: Fault, *, bound: float, quick: bool = False) -> Scenario:
    """Legio lives through `fault`: all that was asked meanwhile is answered, and what is asked then."""

    async def run(folder: Path) -> Figures:
        async with wired(folder) as site:
            async with site.legio():
                tries = await fault(site)
                recovery = await site.settled(seconds=SECONDS)
                site.load.say("all")
                recovery = max(recovery, await site.settled(seconds=SECONDS))
            return await _figures(site, tries, recovery)

    return Scenario(GROUP, name, run, bound + PACED_SECONDS, quick=quick)


async def _figures(site: Wired, tries: int, recovery: float) -> Figures:
    marked = sum(end.marked for end in site.load.ends)
    note = f"{marked} marked as possible duplicates" if marked else ""
    return await site.load.figures(tries=tries, recovery=recovery, note=note)


def _say(site: Wired, *, rule: str = "") -> None:
    for _ in range(MESSAGES):
        site.load.anything(rule=rule)


# --- what single calls meet ----------------------------------------------------------------------------


def _met(*troubles: tuple[str, Trouble]) -> Fault:
    """Each trouble is met once by the next call of its method, while Caesar writes and goes on writing."""

    async def fault(site: Wired) -> int:
        for method, trouble in troubles:
            site.station.telegram.faults.arm(method, trouble, retry_after=RETRY_AFTER)
        _say(site)
        begun = time.monotonic()
        while site.station.telegram.faults.armed:
            assert time.monotonic() - begun < SECONDS, "the troubles were not met"
            await asyncio.sleep(1)
            site.load.anything()
        return len(troubles)

    return fault


async def _flooded(site: Wired) -> int:
    """Answers and polls are refused for a while, and wait as long as Telegram says."""
    telegram, before = site.station.telegram, len(site.station.telegram.calls)
    floods = [SEND, SEND, POLL]
    tries = await _met(*((method, Trouble.FLOOD) for method in floods))(site)
    await site.settled(seconds=SECONDS)
    calls = list(telegram.calls)[before:]
    for method in (SEND, POLL):
        times = [call.at for call in calls if call.method == method]
        for nth in range(floods.count(method)):
            waited = times[nth + 1] - times[nth]
            assert waited >= RETRY_AFTER, f"{method} came again after {waited:.2f} s"
    return tries


# --- what comes in -------------------------------------------------------------------------------------


async def _repeated(site: Wired) -> int:
    """Every update comes twice at once, and once more when it was answered."""
    updates = site.station.telegram.updates
    said = []
    for _ in range(MESSAGES):
        site.load.anything()
        said.append(updates.pending[-1])
        updates.repeat(said[-1])
    await site.settled()
    await until(lambda: updates.polled and not updates.pending, what="the poll")
    for update in said:
        updates.repeat(update)
    await until(lambda: not updates.pending, deadline=SECONDS, what="all to be received")
    return 2 * MESSAGES


async def _out_of_order(site: Wired) -> int:
    """What Caesar wrote comes backwards, in one batch."""
    updates = site.station.telegram.updates
    updates.hold()
    _say(site)
    updates.release(backwards=True)
    await until(lambda: not updates.pending, deadline=SECONDS, what="all to be received")
    return MESSAGES


# --- what the wire does --------------------------------------------------------------------------------


@contextlib.asynccontextmanager
async def _while_he_writes(site: Wired) -> AsyncIterator[None]:
    """Answers are on their way when it begins, and messages wait while it lasts."""
    updates = site.station.telegram.updates
    _say(site, rule="slow 1 then")
    await until(lambda: updates.polled and not updates.pending, what="all to be received")
    yield
    _say(site)


def _revoked(seconds: float) -> Fault:
    async def fault(site: Wired) -> int:
        async with _while_he_writes(site):
            site.station.telegram.revoke()
        await asyncio.sleep(seconds)
        site.station.telegram.reinstate()
        return 1

    return fault


def _down(seconds: float) -> Fault:
    async def fault(site: Wired) -> int:
        async with _while_he_writes(site):
            await site.telegram_wire.down()
        await asyncio.sleep(seconds)
        await site.telegram_wire.up()
        return 1

    return fault


def _silent(seconds: float) -> Fault:
    async def fault(site: Wired) -> int:
        async with _while_he_writes(site):
            site.telegram_wire.silent()
        await asyncio.sleep(seconds)
        site.telegram_wire.heard()
        return 1

    return fault


async def _forgotten(site: Wired) -> int:
    """Whoever stands between drops all connections from its memory, and tells nobody."""
    async with _while_he_writes(site):
        site.telegram_wire.forget()
    return 1


def _rivalled(seconds: float, *, told: int) -> Fault:
    """Another program polls the same bot; Caesar is told so when it stays."""

    async def fault(site: Wired) -> int:
        begun, polls = time.monotonic(), 0
        async with httpx.AsyncClient(base_url=site.telegram_wire.url, trust_env=False, timeout=30) as rival:
            _say(site)
            while time.monotonic() - begun < seconds:
                await rival.post(f"/bot{TOKEN}/{POLL}", json={"timeout": 1})
                polls += 1
        words = [message.text.plain for message in site.station.telegram.answers]
        assert words.count(CONFLICT) == told, f"told {words.count(CONFLICT)} times"
        return polls

    return fault


async def _down_at_the_start(folder: Path) -> Figures:
    async with wired(folder) as site:
        await site.telegram_wire.down()
        _say(site)
        back = asyncio.create_task(_up_after(site, 2))
        async with site.station.run():
            up = await back
            await site.settled(seconds=SECONDS)
            recovery = time.monotonic() - up
        return await _figures(site, 1, recovery)


async def _up_after(site: Wired, seconds: float) -> float:
    await asyncio.sleep(seconds)
    await site.telegram_wire.up()
    return time.monotonic()


SCENARIOS: tuple[Scenario, ...] = (
    _scenario(f"429 with retry_after {RETRY_AFTER}", _flooded, bound=1),
    _scenario("500", _met(*[(SEND, Trouble.SERVER_ERROR), (POLL, Trouble.SERVER_ERROR)] * 3), bound=5),
    _scenario("502", _met(*[(SEND, Trouble.BAD_GATEWAY), (POLL, Trouble.BAD_GATEWAY)] * 3), bound=5),
    _scenario(
        "reset before acceptance",
        _met(*[(SEND, Trouble.RESET_BEFORE), (POLL, Trouble.RESET_BEFORE)] * 2),
        bound=5,
    ),
    _scenario(
        "reset after acceptance",
        _met(*[(SEND, Trouble.RESET_AFTER), (POLL, Trouble.RESET_AFTER)] * 2),
        bound=5,
        quick=True,
    ),
    _scenario("a send that is never answered, and not done", _met((SEND, Trouble.HANG)), bound=10),
    _scenario("a send that is done and never answered", _met((SEND, Trouble.HANG_AFTER)), bound=10),
    _scenario("a poll that is never answered", _met((POLL, Trouble.HANG)), bound=20),
    _scenario("half-open sockets", _forgotten, bound=30),
    _scenario("a network that is silent for 20 s", _silent(20), bound=20),
    _scenario("updates that come again", _repeated, bound=2, quick=True),
    _scenario("updates out of order", _out_of_order, bound=2),
    _scenario("token revoked, and valid again after 2 s", _revoked(2), bound=10, quick=True),
    _scenario("network down for 6 s", _down(6), bound=10),
    _scenario("network down for 60 s", _down(60), bound=60),
    Scenario(GROUP, "network down at the start", _down_at_the_start, 15, quick=True),
    _scenario("409: another program polls for 5 s", _rivalled(5, told=0), bound=10),
    _scenario("409: another program polls for 60 s", _rivalled(60, told=1), bound=40),
)
