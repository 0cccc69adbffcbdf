import asyncio
from pathlib import Path

from legio.nuntius import TurnState
from tests.camp import Setting, legion
from tests.clocks import FakeClock
from tests.fakes import Stage
from tests.scenes import scene, until


@scene
async def test_idle_sessions_sleep_and_wake_by_resuming(tmp_path: Path) -> None:
    stage, clock = Stage(), FakeClock()
    async with legion(tmp_path / "castra", stage, Setting(clock=clock, idle_seconds=300)) as camp:
        reaper = asyncio.create_task(camp.sessions.reap(), name="reaper")
        await camp.say("@vorenus one")
        await camp.settled(1)
        await asyncio.sleep(0.01)
        clock.advance(60)
        await asyncio.sleep(0.01)
        assert stage.live == 1, "not idle for long enough"
        for _ in range(6):
            clock.advance(60)
            await asyncio.sleep(0.01)
        await until(lambda: stage.live == 0, what="sleep")
        await camp.say("@vorenus two")
        await camp.settled(2)
        reaper.cancel()
        await asyncio.gather(reaper, return_exceptions=True)
    assert stage.briefs[1].resume


@scene
async def test_never_more_agents_live_than_the_ceiling_allows(tmp_path: Path) -> None:
    async def slowly(_: str) -> str:
        await asyncio.sleep(0.005)
        return "done"

    stage = Stage(say=slowly)
    async with legion(tmp_path / "castra", stage, Setting(max_live=2)) as camp:
        for _ in range(3):
            await camp.say("@all report")
        await camp.settled(12)
        tally = await camp.praetorium.turns.tally()
    assert tally.answered == 12
    assert stage.most_live == 2


@scene
async def test_closing_leaves_what_still_runs_open_in_the_record(tmp_path: Path) -> None:
    async def never(_: str) -> str:
        await asyncio.Event().wait()
        return ""

    stage = Stage(say=never)
    async with legion(tmp_path / "castra", stage) as camp:
        await camp.say("one")
        await until(lambda: stage.asked)
        await camp.sessions.close(patience=0)
        (turn,) = await camp.praetorium.turns.open()
    assert (turn.state, turn.interrupted) == (TurnState.RUNNING, True)
    assert stage.live == 0


@scene
async def test_a_dismissed_agent_has_no_process_no_task_and_no_thread(tmp_path: Path) -> None:
    stage = Stage()
    async with legion(tmp_path / "castra", stage) as camp:
        await camp.say("@vorenus one")
        await camp.settled(1)
        task = camp.sessions.of("vorenus").task
        await camp.sessions.dismiss("vorenus")
        await camp.sessions.dismiss("nobody")
        assert task.done()
        assert stage.live == 0
        assert [session.name for session in camp.sessions.all()] == []
        assert await camp.praetorium.threads.load("vorenus") is None


@scene
async def test_what_an_earlier_legio_left_running_is_ended_before_anything_is_taken_up(
    tmp_path: Path,
) -> None:
    stage = Stage()
    async with legion(tmp_path / "castra", stage) as camp:
        await camp.say("@vorenus ave")
        await camp.settled(1)
        thread = await camp.praetorium.threads.load("vorenus")
        assert await camp.sessions.end_orphans() == ("vorenus",)
    assert thread is not None
    assert stage.ended == [thread.process]
