"""What becomes of a thread whose process died, would not stop, or was asked what failed."""

import asyncio
from pathlib import Path

from legio.events import End, Fault
from legio.sessions.hearing import GRACE_SECONDS
from legio.sessions.thread import CONTEXT_FULL
from tests.camp import Setting, legion
from tests.clocks import FakeClock
from tests.fakes import Stage
from tests.scenes import scene, until


@scene
async def test_a_full_ceiling_lets_all_agents_be_renewed_at_once(tmp_path: Path) -> None:
    stage = Stage()
    async with legion(tmp_path / "castra", stage, Setting(max_live=2)) as camp:
        await camp.say("@vorenus @pullo one")
        await camp.settled(2)
        for name in ("vorenus", "pullo"):
            camp.castra.prompt(name).write_text("---\ndescription: new\n---\nYou are changed.\n")
        await camp.say("@vorenus @pullo two")
        await camp.settled(4)
        assert (await camp.praetorium.turns.tally()).answered == 4
    assert stage.most_live == 2


@scene
async def test_a_process_that_was_killed_while_idle_costs_no_answer(tmp_path: Path) -> None:
    stage = Stage()
    async with legion(tmp_path / "castra", stage) as camp:
        await camp.say("@vorenus one")
        await camp.settled(1)
        stage.gone.append("vorenus")
        await camp.say("@vorenus two")
        await camp.settled(2)
        tally = await camp.praetorium.turns.tally()
    assert tally.answered == 2
    assert len(stage.texts("vorenus")) == 2
    assert stage.briefs[1].resume


@scene
async def test_a_process_that_is_gone_twice_fails_the_turn(tmp_path: Path) -> None:
    stage = Stage(gone=["vorenus", "vorenus"])
    async with legion(tmp_path / "castra", stage) as camp:
        await camp.say("@vorenus one")
        await camp.settled(1)
        await camp.say("@vorenus two")
        await camp.settled(2)
        tally = await camp.praetorium.turns.tally()
    assert (tally.failed, tally.answered) == (1, 1)
    assert stage.texts("vorenus")[0].count("one") == 1, "what it was never told is told as record"


@scene
async def test_an_agent_that_would_not_stop_has_another_process_for_the_next_question(
    tmp_path: Path,
) -> None:
    async def never(text: str) -> str:
        if "run for ever" in text:
            await asyncio.Event().wait()
        return "well"

    stage, clock = Stage(say=never, deaf={"legatus"}), FakeClock()
    async with legion(tmp_path / "castra", stage, Setting(clock=clock)) as camp:
        await camp.say("run for ever")
        await until(lambda: stage.asked)
        camp.legatus.stop()
        await until(lambda: clock.sleepers > 1, what="the grace")
        clock.advance(GRACE_SECONDS)
        await camp.settled(1)
        assert stage.live == 0
        await camp.say("again")
        await camp.settled(2)
        tally = await camp.praetorium.turns.tally()
    assert (tally.stopped, tally.answered) == (1, 1)


@scene
async def test_a_thread_that_is_taken_back_is_told_all_that_it_was_told_since(tmp_path: Path) -> None:
    async def play(text: str) -> str:
        if "the stopped one</message>" in text:
            await asyncio.Event().wait()
        if "the bad one</message>" in text:
            raise LookupError(Fault.OVERLOADED.value)
        return "well"

    stage = Stage(say=play)
    async with legion(tmp_path / "castra", stage) as camp:
        await camp.say("the good one")
        await camp.settled(1)
        await camp.say("the stopped one")
        await until(lambda: len(stage.asked) == 2)
        camp.legatus.stop()
        await camp.settled(2)
        await camp.say("the bad one")
        await camp.settled(3)
        await camp.say("the next one")
        await camp.settled(4)
    told = stage.texts("legatus")[-1]
    assert stage.briefs[-1].resume_at == "mark 1"
    assert told.count("the stopped one") == 1
    assert told.count("the bad one") == 1
    assert "the good one" not in told


@scene
async def test_a_thread_is_taken_back_again_until_it_is_told_something(tmp_path: Path) -> None:
    async def overloaded(text: str) -> str:
        if "the bad one</message>" in text:
            raise LookupError(Fault.OVERLOADED.value)
        return "well"

    stage = Stage(say=overloaded)
    async with legion(tmp_path / "castra", stage) as camp:
        await camp.say("the good one")
        await camp.settled(1)
        await camp.say("the bad one")
        await camp.settled(2)
        stage.gone.append("legatus")
        await camp.say("the next one")
        await camp.settled(3)
    assert [brief.resume_at for brief in stage.briefs] == ["", "mark 1", "mark 1"]
    assert stage.texts("legatus")[-1].count("the bad one") == 1


@scene
async def test_what_caesar_reset_stays_behind_when_the_thread_after_it_ends(tmp_path: Path) -> None:
    async def then(_: End) -> None: ...

    stage = Stage()
    async with legion(tmp_path / "castra", stage, Setting(max_context_tokens=1000)) as camp:
        await camp.say("@vorenus the old matter")
        await camp.settled(1)
        camp.sessions.of("vorenus").reset(then)
        await camp.say("@vorenus the new matter")
        await camp.settled(2)
        stage.context_tokens = 2000
        await camp.say("@vorenus too much")
        await camp.settled(3)
        await camp.say("@vorenus and now")
        await camp.settled(4)
    told = stage.texts("vorenus")[-1]
    assert CONTEXT_FULL in told
    assert "the new matter" in told
    assert "the old matter" not in told
