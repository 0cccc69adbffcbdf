"""A stop takes effect at once wherever the turn is: nothing that it waits for is waited for any longer."""

import asyncio
from pathlib import Path

from legio.nuntius import Tally
from tests.camp import Legion, Setting, legion
from tests.fakes import Stage
from tests.scenes import scene, until


async def never(_: str) -> str:
    await asyncio.Event().wait()
    return ""


async def tally_of(camp: Legion, ended: int) -> Tally:
    await camp.settled(ended)
    assert await camp.praetorium.check() == ()
    return await camp.praetorium.turns.tally()


@scene
async def test_a_turn_is_stopped_while_its_agent_starts_and_the_next_one_is_answered(tmp_path: Path) -> None:
    stage = Stage(gate=asyncio.Event())
    async with legion(tmp_path / "castra", stage) as camp:
        await camp.say("@vorenus one")
        await until(lambda: stage.starting)
        assert [turn.agent for turn in camp.legatus.stop()] == ["vorenus"]
        assert await tally_of(camp, 1) == Tally(1, 0, 0, 1, 0, 0)
        assert camp.legatus.stop() == (), "it is over"
        assert stage.gate is not None
        await camp.say("@vorenus two")
        stage.gate.set()
        assert await tally_of(camp, 2) == Tally(2, 1, 0, 1, 0, 0)
        first, _ = await camp.sent()
        assert first["text"] == "⏹ vorenus: stopped."
    (asked,) = stage.texts("vorenus")
    assert "one" in asked, "what was stopped stays in the record, and the thread is told so"


@scene
async def test_an_agent_who_was_started_for_nothing_is_used_for_the_next_turn(tmp_path: Path) -> None:
    stage = Stage()
    async with legion(tmp_path / "castra", stage) as camp:
        await camp.say("@vorenus one")
        await camp.settled(1)
        await camp.sessions.of("vorenus").rest()
        stage.gate = asyncio.Event()
        await camp.say("@vorenus two")
        await until(lambda: stage.starting)
        camp.legatus.stop()
        stage.gate.set()
        await until(lambda: camp.sessions.of("vorenus").idle)
        await camp.say("@vorenus three")
        assert await tally_of(camp, 3) == Tally(3, 2, 0, 1, 0, 0)
        thread = await camp.praetorium.threads.load("vorenus")
    assert len(stage.briefs) == 2
    assert thread is not None
    assert thread.process is not None
    assert thread.process.pid == 2, "the process that lives is the one that the record knows"


@scene
async def test_a_turn_is_stopped_while_it_waits_behind_another_that_goes_on(tmp_path: Path) -> None:
    hold = asyncio.Event()

    async def say(_: str) -> str:
        await hold.wait()
        return "done"

    stage = Stage(say=say)
    async with legion(tmp_path / "castra", stage) as camp:
        await camp.say("@vorenus one")
        await until(lambda: stage.asked)
        (turn,) = await camp.say("@vorenus two")
        camp.sessions.of("vorenus").stop(turn)
        assert await tally_of(camp, 1) == Tally(2, 0, 0, 1, 0, 1)
        hold.set()
        assert await tally_of(camp, 2) == Tally(2, 1, 0, 1, 0, 0)
    assert len(stage.asked) == 1


@scene
async def test_a_turn_is_stopped_while_it_waits_for_a_place_and_takes_none_later(tmp_path: Path) -> None:
    hold = asyncio.Event()

    async def say(text: str) -> str:
        if "hold" in text:
            await hold.wait()
        return "done"

    stage = Stage(say=say)
    async with legion(tmp_path / "castra", stage, Setting(max_live=1)) as camp:
        await camp.say("@vorenus hold")
        await until(lambda: stage.asked)
        await camp.say("@pullo go")
        await until(lambda: camp.sessions.of("pullo").current is not None)
        camp.legatus.stop("pullo")
        assert await tally_of(camp, 1) == Tally(2, 0, 0, 1, 0, 1)
        await until(lambda: camp.sessions.of("pullo").quiet)
        hold.set()
        assert await tally_of(camp, 2) == Tally(2, 1, 0, 1, 0, 0)
    assert [brief.name for brief in stage.briefs] == ["vorenus"]
    assert stage.closed == ["vorenus"], "he was not put to sleep for somebody whom nobody wants"


@scene
async def test_stopping_twice_or_what_has_ended_does_nothing_more(tmp_path: Path) -> None:
    stage = Stage(gate=asyncio.Event())
    async with legion(tmp_path / "castra", stage) as camp:
        (turn,) = await camp.say("@vorenus one")
        await until(lambda: stage.starting)
        session = camp.sessions.of("vorenus")
        for _ in range(3):
            session.stop(turn)
        await camp.settled(1)
        session.stop(turn)
        assert stage.gate is not None
        stage.gate.set()
        await until(lambda: session.quiet)
        session.stop(turn)
        assert await tally_of(camp, 1) == Tally(1, 0, 0, 1, 0, 0)
        assert len(camp.ended) == 1
        assert len(await camp.sent()) == 1


@scene
async def test_what_was_stopped_stays_stopped_if_legio_ends_before_the_agent_has_started(
    tmp_path: Path,
) -> None:
    stage = Stage(gate=asyncio.Event())
    async with legion(tmp_path / "castra", stage) as camp:
        await camp.say("@vorenus one")
        await until(lambda: stage.starting)
        camp.legatus.stop()
    async with legion(tmp_path / "castra", stage) as camp:
        assert await camp.legatus.take_up() == ()
        assert await camp.praetorium.turns.tally() == Tally(1, 0, 0, 1, 0, 0)


@scene
async def test_an_agent_who_cannot_be_started_fails_nothing_that_was_stopped(tmp_path: Path) -> None:
    stage = Stage(gate=asyncio.Event(), broken={"vorenus"})
    async with legion(tmp_path / "castra", stage) as camp:
        await camp.say("@vorenus one")
        await until(lambda: stage.starting)
        camp.legatus.stop()
        assert stage.gate is not None
        stage.gate.set()
        assert await tally_of(camp, 1) == Tally(1, 0, 0, 1, 0, 0)
        await until(lambda: camp.sessions.of("vorenus").quiet)
        assert len(camp.ended) == 1


@scene
async def test_a_second_try_after_a_lost_process_heeds_a_stop(tmp_path: Path) -> None:
    stage = Stage(say=never)
    async with legion(tmp_path / "castra", stage) as camp:
        stage.gate = asyncio.Event()
        stage.gone = ["vorenus"]
        await camp.say("@vorenus one")
        await until(lambda: stage.starting)
        stage.gate.set()
        stage.gate = asyncio.Event()
        await until(lambda: len(stage.starting) == 2, what="the second try")
        camp.legatus.stop()
        assert await tally_of(camp, 1) == Tally(1, 0, 0, 1, 0, 0)
        stage.gate.set()
        stage.gate, stage.say = None, None
        await camp.say("@vorenus two")
        assert await tally_of(camp, 2) == Tally(2, 1, 0, 1, 0, 0)


@scene
async def test_a_stop_that_cannot_be_written_leaves_a_turn_that_is_taken_up_at_the_next_start(
    tmp_path: Path,
) -> None:
    stage = Stage(gate=asyncio.Event())
    async with legion(tmp_path / "castra", stage) as camp:
        query = "CREATE TRIGGER broken BEFORE UPDATE ON turns BEGIN SELECT raise(ABORT, 'broken'); END"
        await camp.praetorium.database.change(query)
        await camp.say("@vorenus one")
        await until(lambda: stage.starting)
        camp.legatus.stop()
    stage.gate = None
    async with legion(tmp_path / "castra", stage) as camp:
        await camp.praetorium.database.change("DROP TRIGGER broken")
        assert len(await camp.legatus.take_up()) == 1
        assert await tally_of(camp, 1) == Tally(1, 1, 0, 0, 0, 0)


@scene
async def test_what_is_amended_while_its_agent_starts_is_told_as_it_stands_then(tmp_path: Path) -> None:
    stage = Stage(gate=asyncio.Event())
    async with legion(tmp_path / "castra", stage, Setting(gather_seconds=60)) as camp:
        await camp.say("@vorenus one")
        await until(lambda: stage.starting)
        assert await camp.say("@vorenus two") == ()
        assert stage.gate is not None
        stage.gate.set()
        await camp.settled(1)
        assert [turn.nuntius.text for turn in camp.ended] == ["@vorenus one\n@vorenus two"]
    (asked,) = stage.texts("vorenus")
    assert "@vorenus one\n@vorenus two</message>" in asked
