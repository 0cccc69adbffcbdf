"""Caesar is told directly what the outbox cannot tell him, over a scripted Telegram."""

import asyncio
import contextlib
from collections.abc import AsyncIterator

from legio.bot.outcry import BEGUN, LOOK_SECONDS, OVER, PATIENCE_SECONDS, Outcry
from tests.bot.wire import FakeTelegram, bot_on, unconnected
from tests.clocks import FakeClock
from tests.scenes import scene

CHAT = 9
FULL = "praetorium.db: the disk is full."


class Scene:
    """An outcry at work, and what it looks at."""

    def __init__(self) -> None:
        self.telegram, self.clock, self.trouble = FakeTelegram(), FakeClock(), ""

    @contextlib.asynccontextmanager
    async def at_work(self) -> AsyncIterator["Scene"]:
        outcry = Outcry(bot_on(self.telegram), CHAT, self.clock, lambda: self.trouble)
        task = asyncio.create_task(outcry.run(), name="outcry")
        try:
            yield self
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)


@scene
async def test_a_trouble_that_stays_is_told_once_and_so_is_its_end() -> None:
    async with Scene().at_work() as scene:
        scene.trouble = FULL
        await scene.clock.run(60)
        assert scene.telegram.texts == [BEGUN.format(trouble=FULL)]
        scene.trouble = ""
        await scene.clock.run(60)
        assert scene.telegram.texts[1:] == [OVER]


@scene
async def test_a_trouble_that_passes_is_not_told() -> None:
    async with Scene().at_work() as scene:
        for _ in range(3):
            scene.trouble = FULL
            await scene.clock.run(PATIENCE_SECONDS - LOOK_SECONDS)
            scene.trouble = ""
            await scene.clock.run(LOOK_SECONDS)
        assert scene.telegram.texts == []


@scene
async def test_what_telegram_did_not_take_is_told_again() -> None:
    async with Scene().at_work() as scene:
        scene.telegram.script["sendMessage"].append(unconnected())
        scene.trouble = FULL
        await scene.clock.run(PATIENCE_SECONDS + 2 * LOOK_SECONDS)
        assert len(scene.telegram.texts) == 2
