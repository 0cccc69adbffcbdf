import asyncio
from pathlib import Path

import pytest

from legio.approvals import APPROVAL_SECONDS, Approvals
from legio.clock import SystemClock
from legio.errors import Refused
from tests.camp import Setting, legion
from tests.clocks import FakeClock
from tests.fakes import Stage
from tests.scenes import scene, until


@scene
async def test_caesars_word_allows_or_denies_a_tool(tmp_path: Path) -> None:
    async with legion(tmp_path / "castra", Stage()) as camp:
        approvals = Approvals(camp.decisions, SystemClock(), camp.legatus.tell)
        for press, allowed in ((0, True), (1, False)):
            asking = asyncio.create_task(approvals.ask("pullo", "Bash", {"command": "ls"}))
            card = await camp.card(press)
            buttons = card["buttons"]
            assert isinstance(buttons, list)
            await camp.decisions.press(buttons[press][1])
            assert await asking is allowed
    assert "command: ls" in str(card["text"])


@scene
async def test_silence_on_a_tool_means_no(tmp_path: Path) -> None:
    clock = FakeClock()
    async with legion(tmp_path / "castra", Stage(), Setting(clock=clock)) as camp:
        approvals = Approvals(camp.decisions, clock, camp.legatus.tell)
        asking = asyncio.create_task(approvals.ask("pullo", "Bash", {"command": "ls"}))
        await until(lambda: clock.sleepers)
        clock.advance(APPROVAL_SECONDS + 1)
        assert await asking is False


@scene
async def test_a_word_that_comes_after_the_turn_went_on_is_refused(tmp_path: Path) -> None:
    async with legion(tmp_path / "castra", Stage()) as camp:
        approvals = Approvals(camp.decisions, SystemClock(), camp.legatus.tell)
        asking = asyncio.create_task(approvals.ask("pullo", "Bash", {"command": "ls"}))
        card = await camp.card(0)
        asking.cancel()
        await asyncio.gather(asking, return_exceptions=True)
        buttons = card["buttons"]
        assert isinstance(buttons, list)
        with pytest.raises(Refused, match="too late"):
            await camp.decisions.press(buttons[0][1])
