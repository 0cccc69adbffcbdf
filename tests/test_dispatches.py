import asyncio
from pathlib import Path

import pytest

from legio.dispatches import HOP_BUDGET
from legio.errors import Refused
from legio.events import Fault
from tests.camp import legion
from tests.fakes import Stage
from tests.scenes import TICK_SECONDS, scene, until


def dispatching() -> bool:
    """Whether a dispatch is still being written."""
    return any(task.get_name().startswith("dispatch:") for task in asyncio.all_tasks())


@scene
async def test_a_dispatch_gives_the_legatus_the_centurios_final_text(tmp_path: Path) -> None:
    async def act(text: str) -> str:
        if 'from="caesar"' in text:
            return "He says: " + await camp.legatus.dispatches.ask("vorenus", "look it up")
        return "it is blue"

    async with legion(tmp_path / "castra", Stage(say=act)) as camp:
        await camp.say("ask vorenus")
        await camp.settled(2)
        question, dispatch, answer, summary = await camp.record()
        sent = await camp.sent()
    assert (dispatch.sender, dispatch.audience, dispatch.reply_to) == ("legatus", ("vorenus",), question.id)
    assert (answer.sender, answer.audience) == ("vorenus", ("legatus",))
    assert summary.text == "He says: it is blue"
    assert [word["text"] for word in sent] == ["He says: it is blue"], "a dispatch's answer rings no phone"


@scene
async def test_a_failed_dispatch_tells_the_legatus_why(tmp_path: Path) -> None:
    async def act(text: str) -> str:
        if 'from="caesar"' not in text:
            raise LookupError(Fault.RATE_LIMIT.value)
        with pytest.raises(Refused, match="rate limit"):
            await camp.legatus.dispatches.ask("vorenus", "look it up")
        return "he failed"

    async with legion(tmp_path / "castra", Stage(say=act)) as camp:
        await camp.say("ask vorenus")
        await camp.settled(2)
        assert [word["text"] for word in await camp.sent()] == ["he failed"]


@scene
async def test_the_hop_budget_stops_loops_and_caesar_is_told(tmp_path: Path) -> None:
    refused: list[str] = []

    async def act(text: str) -> str:
        if 'from="caesar"' not in text:
            return "again!"
        for _ in range(HOP_BUDGET + 2):
            try:
                await camp.legatus.dispatches.ask("vorenus", "once more")
            except Refused as error:
                refused.append(str(error))
        return "enough"

    async with legion(tmp_path / "castra", Stage(say=act)) as camp:
        await camp.say("loop")
        await camp.settled(HOP_BUDGET + 1)
        words = [str(word["text"]) for word in await camp.sent()]
    assert len(refused) == 2
    assert sum("more than" in word for word in words) == 1, "Caesar is told once"


@scene
async def test_a_dispatch_to_nobody_or_outside_of_a_turn_is_refused(tmp_path: Path) -> None:
    async with legion(tmp_path / "castra", Stage()) as camp:
        for name in ("titus", "legatus"):
            with pytest.raises(Refused, match="there is no centurio"):
                await camp.legatus.dispatches.ask(name, "hello")
        with pytest.raises(Refused, match="no turn"):
            await camp.legatus.dispatches.ask("vorenus", "hello")


@scene
async def test_stopping_the_legatus_stops_whom_he_waits_for(tmp_path: Path) -> None:
    async def act(text: str) -> str:
        if 'from="caesar"' in text:
            return await camp.legatus.dispatches.ask("vorenus", "take your time")
        await asyncio.Event().wait()
        return ""

    stage = Stage(say=act)
    async with legion(tmp_path / "castra", stage) as camp:
        await camp.say("ask vorenus")
        await until(lambda: len(stage.asked) == 2)
        camp.legatus.stop("legatus")
        await camp.settled(2)
        tally = await camp.praetorium.turns.tally()
    assert tally.stopped == 2


@scene
async def test_a_posted_nuntius_is_seen_by_its_audience_at_their_next_turn(tmp_path: Path) -> None:
    stage = Stage()
    async with legion(tmp_path / "castra", stage) as camp:
        await camp.legatus.dispatches.post("the bridge is down", ["vorenus"])
        await camp.say("@vorenus march")
        await camp.say("@pullo march")
        await camp.settled(2)
        sent = await camp.sent()
    assert "the bridge is down" in stage.texts("vorenus")[0]
    assert "the bridge is down" not in stage.texts("pullo")[0]
    assert len(sent) == 2, "what is not for Caesar is not sent to him"


@scene
async def test_a_nuntius_posted_to_caesar_reaches_his_chat(tmp_path: Path) -> None:
    async with legion(tmp_path / "castra", Stage()) as camp:
        await camp.legatus.dispatches.post("all is well", ["caesar"])
        (sent,) = await camp.sent()
    assert sent["text"] == "all is well"


@pytest.mark.parametrize("audience", [[], ["titus"], ["vorenus", "titus"]])
@scene
async def test_a_nuntius_to_nobody_known_is_refused(tmp_path: Path, audience: list[str]) -> None:
    async with legion(tmp_path / "castra", Stage()) as camp:
        with pytest.raises(Refused, match="unknown audience"):
            await camp.legatus.dispatches.post("hello", audience)


@scene
async def test_a_dispatch_that_is_cut_off_while_it_is_written_leaves_no_turn_that_nobody_ends(
    tmp_path: Path,
) -> None:
    async def act(text: str) -> str:
        if 'from="caesar"' not in text:
            await asyncio.Event().wait()
        for turns in range(20):
            dispatch = asyncio.create_task(camp.legatus.dispatches.ask("vorenus", "look"), name="tool")
            for _ in range(turns):
                await asyncio.sleep(0)
            dispatch.cancel()
            await asyncio.wait({dispatch})
        return "never mind"

    stage = Stage(say=act)
    async with legion(tmp_path / "castra", stage) as camp:
        await camp.say("ask vorenus")
        async with asyncio.timeout(20):
            while dispatching() or (tally := await camp.praetorium.turns.tally()).pending:  # noqa: ASYNC110
                await asyncio.sleep(TICK_SECONDS)
    assert (tally.answered, tally.stopped) == (1, tally.received - 1)
    assert tally.stopped, "no dispatch came to be written"
