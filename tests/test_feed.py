"""What the whole pipeline leaves in the feed, with scripted agents: nobody else has to write it."""

import asyncio
import itertools
from pathlib import Path

from legio.events import End
from legio.sessions.thread import CHANGED, FIRST_USE, LOST, RESET
from tests.camp import Legion, legion
from tests.fakes import Stage
from tests.scenes import scene, until

Told = tuple[str, str, str]


async def told(camp: Legion, after: int = 0, agent: str | None = None) -> list[Told]:
    """Kind, agent and text of all that happened after that."""
    entries = await camp.praetorium.feed.since(after, 1000, agent=agent)
    return [(entry.kind.value, entry.agent, entry.text) for entry in entries]


async def then(_: End) -> None:
    """Nobody wants to know."""


@scene
async def test_a_conversation_over_a_restart_is_told_whole_and_in_order(tmp_path: Path) -> None:
    stage = Stage()
    async with legion(tmp_path / "castra", stage) as camp:
        await camp.say("@pullo @vorenus the ford")
        await camp.settled(2)
        before = await camp.praetorium.feed.since(0, 1000)
    async with legion(tmp_path / "castra", stage) as camp:
        camp.updates = itertools.count(100)
        again = await camp.praetorium.feed.since(0, 1000)
        await camp.say("@pullo go on")
        await camp.settled(1)
        after = await told(camp, before[-1].id)
        his = await told(camp, agent="pullo")
    assert again == before, "a restart loses none and changes none"
    assert [entry.id for entry in before] == list(range(1, 7))
    assert his[:3] == [
        ("user", "pullo", "@pullo @vorenus the ford"),
        ("activation", "pullo", FIRST_USE),
        ("assistant", "pullo", "pullo heard."),
    ]
    assert after == his[3:]
    assert after == [
        ("user", "pullo", "@pullo go on"),
        ("resume", "pullo", ""),
        ("assistant", "pullo", "pullo heard."),
    ]


@scene
async def test_sleep_an_edited_prompt_a_lost_thread_and_a_reset_are_told_with_their_reasons(
    tmp_path: Path,
) -> None:
    stage = Stage()
    async with legion(tmp_path / "castra", stage) as camp:
        session = camp.sessions.of("pullo")
        await camp.say("@pullo one")
        await camp.settled(1)
        await session.rest()
        await camp.say("@pullo two")
        await camp.settled(2)
        camp.castra.prompt("pullo").write_text("---\ndescription: new\n---\nYou are another.\n")
        await camp.say("@pullo three")
        await camp.settled(3)
        await session.rest()
        stage.lost = {brief.thread for brief in stage.briefs}
        await camp.say("@pullo four")
        await camp.settled(4)
        session.reset(then)
        await camp.say("@pullo five")
        await camp.settled(5)
        threads = [(kind, text) for kind, _, text in await told(camp) if kind not in {"user", "assistant"}]
    assert threads == [
        ("activation", FIRST_USE),
        ("resume", ""),
        ("resume", CHANGED),
        ("repair", LOST),
        ("repair", RESET),
    ]


@scene
async def test_failed_stopped_and_late_turns_are_told_as_they_end(tmp_path: Path) -> None:
    async def say(text: str) -> str:
        if "bad</message>" in text:
            raise LookupError("overloaded")
        if "slow" in text:
            await asyncio.Event().wait()
        return "well"

    stage = Stage(say=say)
    async with legion(tmp_path / "castra", stage) as camp:
        await camp.say("@pullo bad")
        await camp.settled(1)
        await camp.say("@pullo slow")
        await until(lambda: len(stage.asked) == 2)
        camp.legatus.stop()
        await camp.settled(2)
        ends = [each for each in await told(camp) if each[0] in {"error", "event", "repair"}]
    assert ends == [
        ("error", "pullo", "scripted"),
        # Without a word of his in it the thread could not be taken back: it gave way to another.
        ("repair", "pullo", ""),
        ("event", "pullo", "The turn was stopped."),
    ]


@scene
async def test_a_first_turn_that_is_stopped_at_once_makes_no_repair_of_the_next(tmp_path: Path) -> None:
    async def say(text: str) -> str:
        return "well"

    stage = Stage(say=say, gate=asyncio.Event())
    async with legion(tmp_path / "castra", stage) as camp:
        await camp.say("@pullo one")
        await until(lambda: stage.starting)
        camp.legatus.stop()
        await camp.settled(1)
        assert stage.gate is not None
        stage.gate.set()
        await camp.say("@pullo two")
        await camp.settled(2)
        kinds = [kind for kind, *_ in await told(camp)]
    assert kinds.count("activation") == 1
    assert "repair" not in kinds
