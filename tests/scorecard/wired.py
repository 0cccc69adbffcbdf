"""A Legio on the embedded servers, with wires between that can break, and the count of its answers."""

import contextlib
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

from legio.local.botapi.message import Message
from tests.processes import LegioProcess, Station, station
from tests.scorecard.counting import Load
from tests.scorecard.relay import Relay, relay

QUIET = {"LEGIO_CONSOLE_PORT": "0"}
"""Several Legios may run on this machine, and nobody looks at this one."""


@dataclass(frozen=True, slots=True)
class Wired:
    """One castra, the two servers, and the wire to each."""

    station: Station
    load: Load
    telegram_wire: Relay
    model_wire: Relay

    @contextlib.asynccontextmanager
    async def legio(self, *awake: str, **changes: str) -> AsyncIterator[LegioProcess]:
        """Legio at work, the agents that are named (all, where none is) awake, in the changed environment."""
        async with self.station.run(**changes) as process:
            self.load.say(*(awake or ("all",)))
            await self.settled()
            yield process

    async def settled(self, *, seconds: float = 60.0) -> float:
        """Wait until nothing is owed; returns how long that took, and raises if it takes longer."""
        took = await self.load.settled(seconds=seconds)
        assert not self.load.open, f"after {seconds:g} s still owed: {self.load.open}"
        return took

    async def replied(self, mark: str, *, seconds: float = 60.0) -> float:
        """Wait until the message of that mark has a reply; returns how long that took, or raises."""
        begun = time.monotonic()
        await self.station.telegram.wait_for(lambda: self.replies(mark), seconds=seconds)
        return time.monotonic() - begun

    def replies(self, mark: str) -> list[Message]:
        """What the bot wrote in reply to the message of that mark, oldest first."""
        (asked,) = [said.message for said in self.load.said if said.mark == mark]
        answers = self.station.telegram.answers
        return [message for message in answers if message.reply and message.reply.message_id == asked]


@contextlib.asynccontextmanager
async def wired(folder: Path) -> AsyncIterator[Wired]:
    """Everything but Legio itself, which is started with `legio`, as often as a scenario wants."""
    async with (
        station(folder) as made,
        relay(made.environment["LEGIO_TELEGRAM_BASE_URL"]) as telegram_wire,
        relay(made.environment["LEGIO_CLAUDE_BASE_URL"]) as model_wire,
    ):
        made.environment |= QUIET | {
            "LEGIO_TELEGRAM_BASE_URL": telegram_wire.url,
            "LEGIO_CLAUDE_BASE_URL": model_wire.url,
        }
        yield Wired(made, Load(made), telegram_wire, model_wire)
