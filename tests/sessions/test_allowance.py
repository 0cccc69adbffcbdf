"""What a session asks of the purse, and in which order."""

import asyncio
from datetime import UTC, datetime

from legio.events import Event, Held
from legio.nuntius import Nuntius, Turn
from legio.ports import Leave
from legio.sessions.allowance import Allowance
from tests.clocks import settled
from tests.scenes import scene

ASKED = Nuntius("1", "caesar", "how deep", ("pullo",), datetime(2026, 11, 21, tzinfo=UTC), seq=1)
TURN = Turn(1, "pullo", ASKED, root=1)


class Purse:
    """A `Purse` with or without money; it notes what it is asked."""

    def __init__(self, *, full: bool = False) -> None:
        self.full = full
        self.asked: list[str] = []
        self.said: asyncio.Future[Leave | None] = asyncio.get_running_loop().create_future()

    async def reserve(self, turn: Turn) -> Leave | None:
        self.asked.append("reserve")
        return Leave() if self.full else None

    async def word(self, turn: Turn) -> Leave | None:
        self.asked.append("word")
        return await self.said

    def withdraw(self, turn: Turn) -> None:
        self.said.set_result(None)

    def release(self, turn: Turn) -> None:
        self.asked.append("release")


def allowance(purse: Purse | None, seen: list[object]) -> Allowance:
    async def sleep() -> None:
        seen.append("asleep")

    def watch(_: Turn, event: Event) -> None:
        seen.append(event)

    return Allowance(purse, watch, sleep)


@scene
async def test_without_a_purse_everything_may_begin() -> None:
    seen: list[object] = []
    free = allowance(None, seen)
    free.withdraw(TURN)
    free.release(TURN)
    assert await free.leave(TURN, wanted=lambda: True) == Leave()
    assert (seen, free.held) == ([], False)


@scene
async def test_a_turn_that_fits_begins_at_once_and_keeps_its_process() -> None:
    seen: list[object] = []
    purse = Purse(full=True)
    assert await allowance(purse, seen).leave(TURN, wanted=lambda: True) == Leave()
    assert (seen, purse.asked) == ([], ["reserve"])


@scene
async def test_one_that_does_not_says_so_sleeps_and_waits() -> None:
    seen: list[object] = []
    purse = Purse()
    poor = allowance(purse, seen)
    waiting = asyncio.create_task(poor.leave(TURN, wanted=lambda: True))
    await settled()
    assert (seen, purse.asked, poor.held) == ([Held("the budget"), "asleep"], ["reserve", "word"], True)
    purse.said.set_result(Leave("cheap"))
    assert await waiting == Leave("cheap")
    poor.release(TURN)
    assert (purse.asked[-1], poor.held) == ("release", False)


@scene
async def test_what_was_stopped_while_it_fell_asleep_asks_nobody() -> None:
    purse = Purse()
    assert await allowance(purse, []).leave(TURN, wanted=lambda: False) is None
    assert purse.asked == ["reserve"]


@scene
async def test_what_is_stopped_while_it_waits_waits_no_longer() -> None:
    purse = Purse()
    poor = allowance(purse, [])
    waiting = asyncio.create_task(poor.leave(TURN, wanted=lambda: True))
    await settled()
    poor.withdraw(TURN)
    assert await waiting is None
