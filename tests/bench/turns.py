"""One turn after another: Legio beside the bare SDK and beside a bot of a few lines, and what Legio weighs.

The candidates take turns, each after the same rest, so that whatever the machine does befalls them alike.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass

from legio.bot.pace import BURST, PER_SECOND
from legio.errors import LegioError
from legio.local.botapi.server import bot_api_server
from legio.local.botapi.state import BotApiState
from tests.bench.bare import AGENT
from tests.bench.camp import CAESAR_ID, TOKEN, Bot, Camp, pitch
from tests.bench.child import Child, child
from tests.bench.report import Figure, Sample, spell

Ask = Callable[[str], Awaitable[float]]
"""Asks a candidate about a mark; returns the seconds until it answered."""

BARE = "tests.bench.bare"
MOST_TIMES = 1.5
MOST_MORE_SECONDS = 0.015


@dataclass(frozen=True, slots=True)
class Turns:
    """The turns of each candidate, without those that warmed it."""

    legio: Sample
    sdk: Sample
    bot: Sample


async def turns(camp: Camp, legio: Bot, *, pairs: int, warm: int) -> Turns:
    """Ask each candidate in turn, `warm` times for nothing and `pairs` times by the clock."""
    rest = _rest(warm + pairs)
    async with _sdk(camp) as sdk, _bot(camp) as bot:
        candidates: tuple[Ask, ...] = (
            lambda mark: legio.answers(f"@{AGENT} {mark}"),
            lambda mark: _asked(sdk, mark),
            bot.answers,
        )
        seen = [
            [await _rested(rest / len(candidates), ask, f"ave-{number}") for ask in candidates]
            for number in range(warm + pairs)
        ]
    return Turns(*(Sample(seconds) for seconds in zip(*seen[warm:], strict=True)))


def turn_figures(seen: Turns) -> list[Figure]:
    """Legio beside the SDK, and for context beside the bot."""
    legio, sdk = seen.legio.median, seen.sdk.median
    within = legio <= sdk * MOST_TIMES or legio <= sdk + MOST_MORE_SECONDS
    bound = f"{MOST_TIMES} times the SDK's, or {spell(MOST_MORE_SECONDS)} more"
    ratio = f"{seen.legio} = {legio / sdk:.2f} times, {spell(legio - sdk)} more"
    return [
        Figure("bare SDK turn, query() to result", "", str(seen.sdk)),
        Figure("the same SDK under a minimal bot, update to sendMessage", "", str(seen.bot)),
        Figure("Legio turn, update to sendMessage", bound, ratio, within),
    ]


async def _rested(seconds: float, ask: Ask, mark: str) -> float:
    """A turn after a rest: each candidate begins as cold as the others."""
    await asyncio.sleep(seconds)
    return await ask(mark)


def _rest(turns: int) -> float:
    """Seconds between two turns that keep Legio within its own pace: past a burst that would be measured."""
    return max(0.0, turns - BURST) / PER_SECOND / turns


async def _asked(sdk: Child, mark: str) -> float:
    said = await sdk.exchange(mark)
    try:
        return float(said)
    except ValueError as error:
        raise LegioError(f"the bare SDK said {said!r}; {sdk.complaint()}") from error


@contextlib.asynccontextmanager
async def _sdk(camp: Camp) -> AsyncIterator[Child]:
    folder = camp.folder / "sdk"
    pitch(folder)
    async with child(BARE, "sdk", str(folder), camp.model_url, log=folder / "log", environment={}) as process:
        yield process
        await process.exchange("")  # the end of its input: it closes its CLI before it ends


@contextlib.asynccontextmanager
async def _bot(camp: Camp) -> AsyncIterator[Bot]:
    folder = camp.folder / "bot"
    pitch(folder)
    state = BotApiState(token=TOKEN, owner_id=CAESAR_ID)
    async with bot_api_server(state) as url:
        arguments = (BARE, "bot", str(folder), camp.model_url, f"{url}/bot")
        async with child(*arguments, log=folder / "log", environment={}) as process:
            yield Bot(state, process)
