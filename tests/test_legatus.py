import asyncio
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path

import pytest

from legio.errors import Refused
from legio.events import Answered, Fault
from legio.legatus import EXPIRY, QUOTE_CHARACTERS, Said
from legio.nuntius import Attachment, Nuntius, Quote, Turn, TurnState
from legio.ports import Ending, Letter
from tests.camp import RECEIVED, Setting, legion
from tests.clocks import FakeClock
from tests.fakes import Stage
from tests.scenes import scene, until


@scene
async def test_without_a_mention_the_legatus_answers(tmp_path: Path) -> None:
    async with legion(tmp_path / "castra", Stage()) as camp:
        await camp.say("ave")
        await camp.settled(1)
        question, answer = await camp.record()
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
        _, *answers = await camp.record()
    assert {(answer.sender, answer.audience) for answer in answers} == {
        ("vorenus", ("caesar", "pullo")),
        ("pullo", ("caesar", "vorenus")),
    }


@scene
async def test_all_is_everyone_and_everyone_hears_it(tmp_path: Path) -> None:
    async with legion(tmp_path / "castra", Stage()) as camp:
        await camp.say("@all report")
        await camp.settled(4)
        question, *answers = await camp.record()
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
async def test_where_a_message_stands_addresses_an_agent_unless_it_says_otherwise(tmp_path: Path) -> None:
    hosts = {2: "pullo", 3: "pullo", 4: "pullo", 5: "titus"}
    setting = Setting(place=lambda message: hosts.get(message or 0, ""))
    async with legion(tmp_path / "castra", Stage(), setting) as camp:
        turns = [await camp.say(text) for text in ("ave", "ave", "@vorenus ave", "@nobody ave", "ave")]
        await camp.settled(5)
    assert [turn.agent for (turn,) in turns] == ["legatus", "pullo", "vorenus", "legatus", "legatus"]


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
        assert len(await camp.record()) == 2
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
            return await camp.legatus.dispatches.ask("vorenus", "look")
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
async def test_a_reply_says_what_it_is_about(tmp_path: Path) -> None:
    long = "the ford " * 500

    async def say(_: str) -> str:
        return long

    async with legion(tmp_path / "castra", Stage(say=say)) as camp:
        await camp.say("@pullo how deep?")
        await camp.settled(1)
        (dispatch,) = await camp.praetorium.outbox.due()
        await camp.praetorium.outbox.sent(dispatch, 700)
        telegrams = Quote("legio", "⚔️ pullo the ford")
        for said in (
            Said("and there?", 101, 101, 700, replied=telegrams),
            Said("and this?", 102, 102, 700, quote="ford", replied=telegrams),
            Said("what of that?", 103, 103, 9999, replied=Quote("Cato", "delenda est")),
            Said("and of this?", 104, 104, 9999, quote="est", replied=Quote("Cato", "delenda est")),
            Said("no reply", 105, 105),
        ):
            await camp.praetorium.inbox.put(Letter(said.update_id, "{}", RECEIVED))
            await camp.legatus.hear(said)
        await camp.settled(6)
        record = await camp.praetorium.nuntii.latest("caesar", 50, sender="caesar")
    whole, part, unknown, marked, none = (it.quote for it in record[1:])
    assert whole == Quote("pullo", f"{long[: QUOTE_CHARACTERS - 1].rstrip()}…")
    assert part == Quote("pullo", "ford")
    assert unknown == Quote("Cato", "delenda est")
    assert marked == Quote("Cato", "est")
    assert none is None


@scene
async def test_a_reply_to_a_file_without_words_names_it(tmp_path: Path) -> None:
    file = Attachment("attachments/d/1-a.png", "a.png", "image/png", 1, "photo", "")
    async with legion(tmp_path / "castra", Stage()) as camp:
        for said in (Said("", 101, 101, attachments=(file,)), Said("this one", 102, 102, 101)):
            await camp.praetorium.inbox.put(Letter(said.update_id, "{}", RECEIVED))
            await camp.legatus.hear(said)
        await camp.settled(2)
        *_, last = await camp.praetorium.nuntii.latest("caesar", 50, sender="caesar")
    assert last.quote == Quote("caesar", "a.png")


@scene
async def test_words_that_come_from_a_schedule_are_heard_like_caesars_own(tmp_path: Path) -> None:
    async with legion(tmp_path / "castra", Stage()) as camp:

        async def admit(nuntius: Nuntius, agents: Sequence[str]) -> tuple[Turn, ...]:
            return await camp.praetorium.turns.admit(nuntius, agents)

        await camp.legatus.hear_again("@vorenus @pullo report", "schedule 1 (once), set up by caesar.", admit)
        await camp.settled(2)
        asked = camp.stage.texts("vorenus")[0]
        sent = await camp.sent()

    assert 'from="caesar"' in asked
    assert 'origin="schedule 1 (once), set up by caesar."' in asked
    assert {said["text"] for said in sent} == {"vorenus heard.", "pullo heard."}


@scene
async def test_what_the_legatus_does_is_caused_by_a_nuntius_of_caesars(tmp_path: Path) -> None:
    causes: list[str] = []

    async def say(_: str) -> str:
        causes.append(await camp.legatus.cause())
        return "done"

    async with legion(tmp_path / "castra", Stage(say=say)) as camp:
        with pytest.raises(Refused, match="no message of Caesar's has led to this"):
            await camp.legatus.cause()
        (turn,) = await camp.say("order it")
        await camp.settled(1)
        with pytest.raises(Refused):
            await camp.legatus.cause()
    assert causes == [turn.nuntius.id]
