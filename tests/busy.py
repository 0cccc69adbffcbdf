"""A legion of which somebody is at work, for scenes about what Caesar says meanwhile."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path

from legio.events import Fault
from legio.nuntius import Tally, Turn
from tests.camp import Legion, Setting, legion
from tests.fakes import Stage
from tests.scenes import TICK_SECONDS, until

QUICKLY = 60.0


@dataclass
class Busy:
    """A legion in which everybody who is asked to `hold` is at work until `done` is set."""

    camp: Legion
    stage: Stage
    done: asyncio.Event = field(default_factory=asyncio.Event)

    async def hold(self, to: str = "@vorenus") -> Turn:
        """Whoever is addressed is at work from now on."""
        asked = len(self.stage.asked)
        turn, *_ = await self.camp.say(f"{to} hold")
        await until(lambda: len(self.stage.asked) > asked, what="somebody at work")
        return turn

    async def tally(self, ended: int) -> Tally:
        """How it all ended, once so many turns have."""
        self.done.set()
        await self.camp.settled(ended)
        async with asyncio.timeout(10):
            while (tally := await self.camp.praetorium.turns.tally()).pending:  # noqa: ASYNC110  (no event)
                await asyncio.sleep(TICK_SECONDS)
        assert await self.camp.praetorium.check() == ()
        return tally

    async def words(self) -> list[str]:
        """What Caesar is sent, in short."""
        return [str(word["text"]) for word in await self.camp.sent()]


@contextlib.asynccontextmanager
async def busy(tmp_path: Path, setting: Setting | None = None) -> AsyncIterator[Busy]:
    stage = Stage()
    async with legion(tmp_path / "castra", stage, setting or Setting(gather_seconds=QUICKLY)) as camp:
        made = Busy(camp, stage)

        async def say(text: str) -> str:
            question = text[text.rindex("<message") :]
            if "hold" in question:
                await made.done.wait()
            if "fail" in question:
                raise LookupError(Fault.OVERLOADED.value)
            return f"heard: {question.partition('>')[2].removesuffix('</message>')}"

        stage.say = say
        yield made
