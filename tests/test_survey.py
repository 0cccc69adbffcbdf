"""How each agent is, as whoever asks is told it."""

import asyncio
from pathlib import Path

import pytest

from legio.config import BudgetConfig
from legio.errors import Refused
from legio.legatus import HELD
from legio.sessions import Use
from legio.survey import ASLEEP
from legio.tuning import Dial
from tests.camp import Setting, legion
from tests.clocks import FakeClock
from tests.fakes import Stage
from tests.scenes import scene, until
from tests.surveys import Smithy, survey_of


@scene
async def test_before_anything_was_said_everybody_is_asleep_and_has_cost_nothing(tmp_path: Path) -> None:
    async with legion(tmp_path / "castra", Stage()) as camp:
        survey = survey_of(camp)
        found = await survey.all()
        assert [it.name for it in found] == ["legatus", "brutus", "pullo", "vorenus"]
        assert {(it.state, it.waiting, it.tool, it.thread, it.usd, it.tokens) for it in found} == {
            (ASLEEP, 0, None, None, 0.0, 0)
        }
        assert found[2].description == "pullo's work"
        assert found[2].in_force[Dial.MODEL].reason == "nobody named one"
        assert await survey.megabytes(found[2]) is None
        assert await survey.all() == found, "what has not changed is the same"


@scene
async def test_who_is_at_work_is_seen_with_his_tool_and_with_those_who_wait(tmp_path: Path) -> None:
    held, clock = asyncio.Event(), FakeClock()

    async def say(_: str) -> str:
        await held.wait()
        return "done"

    stage = Smithy(say=say, context_tokens=250)
    async with legion(tmp_path / "castra", stage, Setting(clock=clock)) as camp:
        survey = survey_of(camp)
        await camp.say("@pullo ave")
        await camp.say("@pullo and more")
        await until(lambda: camp.sessions.of("pullo").tool)
        clock.advance(5)
        it = await survey.one("pullo")
        assert (it.state, it.seconds, it.waiting, it.tool) == ("at work", 5, 1, Use("Bash", it.since))
        clock.advance(1)
        later = await survey.one("pullo")
        assert (later.seconds, later) == (6, it), "that time passes makes no difference"
        held.set()
        await camp.settled(2)
        await until(lambda: camp.sessions.of("pullo").quiet)
        it = await survey.one("pullo")
        assert (it.state, it.waiting, it.tool) == ("awake", 0, None)
        assert it.usd == pytest.approx(0.02)
        assert survey.share(it.tokens) == 0.25
        assert await survey.megabytes(it) == 100.0


@scene
async def test_who_waits_for_caesars_word_is_held(tmp_path: Path) -> None:
    setting = Setting(budget=BudgetConfig(day_usd=0.015))
    async with legion(tmp_path / "castra", Stage(), setting) as camp:
        await camp.say("@pullo ave")
        await camp.settled(1)
        await camp.say("@pullo ave")
        await until(lambda: camp.sessions.of("pullo").held)
        assert (await survey_of(camp).one("pullo")).state == HELD


@scene
async def test_a_prompt_that_broke_says_so_and_nobody_else_is_known(tmp_path: Path) -> None:
    async with legion(tmp_path / "castra", Stage()) as camp:
        camp.castra.prompt("pullo").write_text("broken")
        it = await survey_of(camp).one("pullo")
        assert "cannot be used" in it.trouble
        assert (it.description, it.in_force) == ("", {})
        with pytest.raises(Refused, match="nobody called 'titus'"):
            await survey_of(camp).one("titus")


@scene
async def test_a_context_that_is_overfull_is_shown_as_full(tmp_path: Path) -> None:
    async with legion(tmp_path / "castra", Stage()) as camp:
        assert survey_of(camp).share(5000) == 1.0
