import asyncio
from datetime import timedelta
from pathlib import Path

import pytest

from legio.errors import Refused
from legio.events import Answered, Fault
from legio.legatus import EXPIRY, HOP_BUDGET, Said
from legio.nuntius import Nuntius, TurnState
from legio.ports import Ending, Letter
from tests.camp import RECEIVED, Legion, Setting, legion
from tests.clocks import FakeClock
from tests.fakes import Stage
from tests.scenes import TICK_SECONDS, scene, until


async def record(camp: Legion) -> list[Nuntius]:
    return list(await camp.praetorium.nuntii.latest("caesar", 100))


@scene
async def test_without_a_mention_the_legatus_answers(tmp_path: Path) -> None:
    async with legion(tmp_path / "castra", Stage()) as camp:
        await camp.say("ave")
        await camp.settled(1)
        question, answer = await record(camp)
    assert (question.sender, question.audience) == ("caesar", ("legatus",))
    assert (answer.sender, answer.audience, answer.reply_to) == ("legatus", ("caesar",), question.id)


@scene
async def test_several_mentioned_answer_in_parallel_and_hear_each_other(tmp_path: Path) -> None:
    together = asyncio.Barrier(2)

    async def meet(text: str) -> str:
        async with asyncio.timeout(5):
            await together.wait()
        return "met"

    async with legion(tmp_path / "castra", Stage(say=meet)) as camp:
        await camp.say("@vorenus @pullo compare")
        await camp.settled(2)
        _, *answers = await record(camp)
    assert {(answer.sender, answer.audience) for answer in answers} == {
        ("vorenus", ("caesar", "pullo")),
        ("pullo", ("caesar", "vorenus")),
    }


@scene
async def test_all_is_everyone_and_everyone_hears_it(tmp_path: Path) -> None:
    async with legion(tmp_path / "castra", Stage()) as camp:
        await camp.say("@all report")
        await camp.settled(4)
        question, *answers = await record(camp)
    assert question.audience == ("all",)
    assert sorted(answer.sender for answer in answers) == ["brutus", "legatus", "pullo", "vorenus"]
    assert {answer.audience for answer in answers} == {("all",)}


@scene
async def test_an_unknown_name_goes_to_the_legatus_who_is_told(tmp_path: Path) -> None:
    stage = Stage()
    async with legion(tmp_path / "castra", stage) as camp:
        await camp.say("@vorenus and @titus look at this")
        await camp.settled(2)
    (told,) = stage.texts("legatus")
    assert "<notice>Caesar wrote @titus, but there is no centurio of that name.</notice>" in told
    assert "<notice>" not in stage.texts("vorenus")[0]


@scene
async def test_a_reply_to_an_agents_message_addresses_that_agent(tmp_path: Path) -> None:
    async with legion(tmp_path / "castra", Stage()) as camp:
        await camp.say("@pullo build it")
        await camp.settled(1)
        (dispatch,) = await camp.praetorium.outbox.due()
        await camp.praetorium.outbox.start(dispatch)
        await camp.praetorium.outbox.sent(dispatch, 901)
        (turn,) = await camp.say("and paint it", reply_to=901)
        await camp.settled(2)
    assert turn.agent == "pullo"


@scene
async def test_a_reply_that_mentions_somebody_else_addresses_him(tmp_path: Path) -> None:
    async with legion(tmp_path / "castra", Stage()) as camp:
        await camp.say("@pullo build it")
        await camp.settled(1)
        (turn,) = await camp.say("@brutus is that good?", reply_to=1)
        await camp.settled(2)
    assert turn.agent == "brutus"


@scene
async def test_the_same_update_twice_changes_nothing(tmp_path: Path) -> None:
    stage = Stage()
    async with legion(tmp_path / "castra", stage) as camp:
        await camp.praetorium.inbox.put(Letter(7, "{}", RECEIVED))
        await camp.legatus.hear(Said("once", 7))
        assert await camp.legatus.hear(Said("once", 7)) == ()
        await camp.settled(1)
        assert len(await record(camp)) == 2
    assert len(stage.asked) == 1


@scene
async def test_one_agents_failure_does_not_hold_up_another(tmp_path: Path) -> None:
    async def fail(text: str) -> str:
        if 'from="caesar"' in text and "@vorenus" in text and stage.asked[-1][0] == "vorenus":
            raise LookupError(Fault.OVERLOADED.value)
        return "fine"

    stage = Stage(say=fail)
    async with legion(tmp_path / "castra", stage) as camp:
        await camp.say("@vorenus @pullo go")
        await camp.settled(2)
        tally = await camp.praetorium.turns.tally()
        words = [str(word["text"]) for word in await camp.sent()]
    assert (tally.answered, tally.failed) == (1, 1)
    assert "⛔ vorenus: the model is overloaded. Write again in a moment." in words


@scene
async def test_the_answer_goes_out_headed_and_in_reply_to_the_question(tmp_path: Path) -> None:
    async with legion(tmp_path / "castra", Stage()) as camp:
        await camp.say("@vorenus look")
        await camp.settled(1)
        (sent,) = await camp.sent()
        assert camp.messenger.wakes
        assert isinstance(camp.messenger.events[-1][1], Answered)
    assert sent == {"heading": "vorenus — vorenus's work", "text": "vorenus heard.", "reply_to": 1}


@scene
async def test_a_dispatch_gives_the_legatus_the_centurios_final_text(tmp_path: Path) -> None:
    async def act(text: str) -> str:
        if 'from="caesar"' in text:
            return "He says: " + await camp.legatus.dispatch("vorenus", "look it up")
        return "it is blue"

    async with legion(tmp_path / "castra", Stage(say=act)) as camp:
        await camp.say("ask vorenus")
        await camp.settled(2)
        question, dispatch, answer, summary = await record(camp)
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
            await camp.legatus.dispatch("vorenus", "look it up")
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
                await camp.legatus.dispatch("vorenus", "once more")
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
                await camp.legatus.dispatch(name, "hello")
        with pytest.raises(Refused, match="no turn"):
            await camp.legatus.dispatch("vorenus", "hello")


@scene
async def test_stopping_the_legatus_stops_whom_he_waits_for(tmp_path: Path) -> None:
    async def act(text: str) -> str:
        if 'from="caesar"' in text:
            return await camp.legatus.dispatch("vorenus", "take your time")
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
async def test_what_was_left_open_is_taken_up_at_the_start(tmp_path: Path) -> None:
    async def never(_: str) -> str:
        await asyncio.Event().wait()
        return ""

    stage = Stage(say=never)
    async with legion(tmp_path / "castra", stage) as camp:
        await camp.say("one")
        await until(lambda: stage.asked)
    stage.say = None
    async with legion(tmp_path / "castra", stage) as camp:
        await camp.legatus.take_up()
        await camp.settled(1)
        tally = await camp.praetorium.turns.tally()
        told, _ = await camp.sent()
    assert tally.answered == 1
    assert "<interrupted>" in stage.asked[-1][1]
    assert told["text"] == "♻️ Legio was restarted and takes up again:\n· legatus: one"


@scene
async def test_a_dispatch_that_was_cut_off_ends_and_the_legatus_asks_again(tmp_path: Path) -> None:
    async def act(text: str) -> str:
        if 'from="caesar"' in text:
            return await camp.legatus.dispatch("vorenus", "look")
        if len(stage.asked) == 2:
            await asyncio.Event().wait()
        return "seen"

    stage = Stage(say=act)
    async with legion(tmp_path / "castra", stage) as camp:
        await camp.say("ask vorenus")
        await until(lambda: len(stage.asked) == 2)
    async with legion(tmp_path / "castra", stage) as camp:
        await camp.legatus.take_up()
        await camp.settled(2)
        tally = await camp.praetorium.turns.tally()
    assert (tally.received, tally.answered, tally.stopped) == (3, 2, 1)


@scene
async def test_what_waited_for_more_than_a_day_expires_and_caesar_is_told(tmp_path: Path) -> None:
    clock = FakeClock()
    async with legion(tmp_path / "castra", Stage(broken={"legatus"}), Setting(clock=clock)) as camp:
        nuntius = Nuntius("11111111-1111-4111-8111-111111111111", "caesar", "old", ("legatus",), clock.now())
        await camp.praetorium.turns.admit(nuntius, ["legatus"], message=5)
        clock.advance((EXPIRY + timedelta(seconds=1)).total_seconds())
        await camp.legatus.take_up()
        (word,) = await camp.sent()
        tally = await camp.praetorium.turns.tally()
    assert tally.expired == 1
    assert word["reply_to"] == 5


@scene
async def test_a_posted_nuntius_is_seen_by_its_audience_at_their_next_turn(tmp_path: Path) -> None:
    stage = Stage()
    async with legion(tmp_path / "castra", stage) as camp:
        await camp.legatus.post("the bridge is down", ["vorenus"])
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
        await camp.legatus.post("all is well", ["caesar"])
        (sent,) = await camp.sent()
    assert sent["text"] == "all is well"


@pytest.mark.parametrize("audience", [[], ["titus"], ["vorenus", "titus"]])
@scene
async def test_a_nuntius_to_nobody_known_is_refused(tmp_path: Path, audience: list[str]) -> None:
    async with legion(tmp_path / "castra", Stage()) as camp:
        with pytest.raises(Refused, match="unknown audience"):
            await camp.legatus.post("hello", audience)


@scene
async def test_the_status_says_who_works_who_waits_and_who_sleeps(tmp_path: Path) -> None:
    hold = asyncio.Event()

    async def wait(_: str) -> str:
        await hold.wait()
        return "done"

    stage = Stage(say=wait)
    async with legion(tmp_path / "castra", stage) as camp:
        await camp.say("@vorenus one")
        await camp.say("@vorenus two")
        await until(lambda: stage.asked)
        brutus, _, vorenus = camp.legatus.status()
        assert camp.legatus.own_status().state == "asleep"
        hold.set()
        await camp.settled(2)
        awake = camp.legatus.status()[2]
    assert (brutus.state, vorenus.state, vorenus.waiting, awake.state) == ("asleep", "at work", 1, "awake")


@scene
async def test_the_end_of_a_turn_is_written_once(tmp_path: Path) -> None:
    async with legion(tmp_path / "castra", Stage()) as camp:
        (turn,) = await camp.say("one")
        await camp.settled(1)
        assert await camp.praetorium.turns.end(turn, Ending(TurnState.FAILED, None, ())) is None
        tally = await camp.praetorium.turns.tally()
    assert (tally.answered, tally.failed) == (1, 0)


@scene
async def test_a_dispatch_that_is_cut_off_while_it_is_written_leaves_no_turn_that_nobody_ends(
    tmp_path: Path,
) -> None:
    async def act(text: str) -> str:
        if 'from="caesar"' not in text:
            await asyncio.Event().wait()
        for turns in range(20):
            dispatch = asyncio.create_task(camp.legatus.dispatch("vorenus", "look"), name="tool")
            for _ in range(turns):
                await asyncio.sleep(0)
            dispatch.cancel()
            await asyncio.wait({dispatch})
        return "never mind"

    stage = Stage(say=act)
    async with legion(tmp_path / "castra", stage) as camp:
        await camp.say("ask vorenus")
        async with asyncio.timeout(10):
            while (tally := await camp.praetorium.turns.tally()).pending:  # noqa: ASYNC110  (no event says so)
                await asyncio.sleep(TICK_SECONDS)
    assert (tally.answered, tally.stopped) == (1, tally.received - 1)
    assert tally.stopped, "no dispatch came to be written"
