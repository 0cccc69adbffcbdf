import asyncio
from pathlib import Path

from legio.attachments import Depot
from legio.events import Answered, End, Fault
from legio.legatus import Said
from legio.nuntius import Attachment
from legio.ports import Letter
from legio.sessions.thread import CHANGED, CONTEXT_FULL, FIRST_USE, LOST, RESET
from tests.attachments.pictures import picture, size_of
from tests.camp import RECEIVED, Setting, legion
from tests.fakes import Stage
from tests.scenes import scene, until


async def echo(text: str) -> str:
    return f"heard: {text.rpartition('>')[0].rpartition('>')[2]}"


@scene
async def test_turns_of_one_agent_are_answered_in_the_order_in_which_they_came(tmp_path: Path) -> None:
    stage = Stage()
    async with legion(tmp_path / "castra", stage) as camp:
        for number in range(5):
            await camp.say(f"order {number}")
        await camp.settled(5)
        assert [turn.nuntius.text for turn in camp.ended] == [f"order {number}" for number in range(5)]
        assert (await camp.praetorium.turns.tally()).answered == 5


@scene
async def test_a_thread_is_told_each_visible_nuntius_once_and_never_its_own_words(tmp_path: Path) -> None:
    stage = Stage()
    async with legion(tmp_path / "castra", stage) as camp:
        await camp.say("@vorenus first")
        await camp.settled(1)
        await camp.say("@vorenus @pullo second")
        await camp.settled(3)
        await camp.say("@vorenus third")
        await camp.settled(4)
        first, second, third = stage.texts("vorenus")
    assert "first</message>" in first
    assert "<praetorium" not in second, "its own question and answer stand in its thread already"
    assert "pullo heard." in third, "what another said to both is told once"
    assert "vorenus heard." not in third
    assert "first" not in third


@scene
async def test_a_thread_is_not_told_what_was_not_for_it(tmp_path: Path) -> None:
    stage = Stage()
    async with legion(tmp_path / "castra", stage) as camp:
        await camp.say("@pullo a secret")
        await camp.settled(1)
        await camp.say("@vorenus hello")
        await camp.settled(2)
        assert all("secret" not in text for text in stage.texts("vorenus"))


@scene
async def test_the_first_thread_is_new_and_says_so(tmp_path: Path) -> None:
    stage = Stage()
    async with legion(tmp_path / "castra", stage) as camp:
        await camp.say("hello")
        await camp.settled(1)
        thread = await camp.praetorium.threads.load("legatus")
    assert f"<context_notice>This thread is new, because {FIRST_USE}." in stage.texts("legatus")[0]
    assert thread is not None
    assert (thread.origin, thread.carried) == (FIRST_USE, 0)
    assert thread.begun is not None
    assert thread.id == stage.briefs[0].thread
    assert not stage.briefs[0].resume
    assert thread.context_tokens == stage.context_tokens


@scene
async def test_an_edited_prompt_takes_effect_at_the_next_turn_while_the_thread_goes_on(
    tmp_path: Path,
) -> None:
    stage = Stage()
    async with legion(tmp_path / "castra", stage) as camp:
        await camp.say("@vorenus one")
        await camp.settled(1)
        camp.castra.prompt("vorenus").write_text("---\ndescription: new\n---\nYou are changed.\n")
        await camp.say("@vorenus two")
        await camp.settled(2)
        thread = await camp.praetorium.threads.load("vorenus")
    before, after = stage.briefs
    assert (after.thread, after.resume) == (before.thread, True)
    assert after.system_prompt == "You are changed."
    assert "context_notice" not in stage.texts("vorenus")[1]
    assert thread is not None
    assert thread.reason == CHANGED


@scene
async def test_a_context_that_has_grown_too_long_is_followed_by_a_new_thread_told_the_record(
    tmp_path: Path,
) -> None:
    stage = Stage(context_tokens=2000)
    async with legion(tmp_path / "castra", stage, Setting(max_context_tokens=1000)) as camp:
        await camp.say("@vorenus remember this")
        await camp.settled(1)
        await camp.say("@vorenus and now")
        await camp.settled(2)
    assert stage.briefs[1].thread != stage.briefs[0].thread
    assert not stage.briefs[1].resume
    told = stage.texts("vorenus")[1]
    assert CONTEXT_FULL in told
    assert "remember this" in told
    assert "vorenus heard." in told, "a new thread is told its own earlier words too"


@scene
async def test_a_thread_that_is_gone_is_bootstrapped_from_the_record(tmp_path: Path) -> None:
    stage = Stage()
    async with legion(tmp_path / "castra", stage) as camp:
        await camp.say("@vorenus remember this")
        await camp.settled(1)
        await camp.sessions.of("vorenus").rest()
        stage.lost.add(stage.briefs[0].thread)
        await camp.say("@vorenus go on")
        await camp.settled(2)
        assert (await camp.praetorium.turns.tally()).answered == 2
    assert LOST in stage.texts("vorenus")[1]
    assert "remember this" in stage.texts("vorenus")[1]


@scene
async def test_a_restart_resumes_the_thread_and_repeats_nothing(tmp_path: Path) -> None:
    stage = Stage()
    async with legion(tmp_path / "castra", stage) as camp:
        await camp.say("first")
        await camp.settled(1)
    async with legion(tmp_path / "castra", stage) as camp:
        camp.updates = iter(range(100, 200))
        await camp.say("second")
        await camp.settled(1)
    assert (stage.briefs[1].thread, stage.briefs[1].resume) == (stage.briefs[0].thread, True)
    assert "first" not in stage.texts("legatus")[1]


@scene
async def test_reset_begins_a_thread_that_is_told_nothing_of_before_and_is_asked_at_once(
    tmp_path: Path,
) -> None:
    stage, ends = Stage(), list[End]()

    async def then(end: End) -> None:
        ends.append(end)

    async with legion(tmp_path / "castra", stage) as camp:
        await camp.say("@vorenus the old matter")
        await camp.settled(1)
        camp.sessions.of("vorenus").reset(then)
        await camp.say("@vorenus the new matter")
        await camp.settled(2)
        thread = await camp.praetorium.threads.load("vorenus")
    _, probe, following = stage.texts("vorenus")
    assert isinstance(ends[0], Answered)
    assert RESET in probe
    assert "old matter" not in probe + following
    assert "<context_notice>" not in following
    assert thread is not None
    assert thread.id == stage.briefs[1].thread != stage.briefs[0].thread
    assert thread.cost_usd > 0.025, "what it has cost is not forgotten"


@scene
async def test_a_reset_agent_that_does_not_answer_is_said_not_to(tmp_path: Path) -> None:
    stage = Stage(broken={"vorenus"})
    async with legion(tmp_path / "castra", stage) as camp:
        camp.legatus.reset("vorenus")
        word = await camp.card(0)
    assert "vorenus begins afresh, but does not answer yet." in str(word["text"])


@scene
async def test_a_prompt_that_cannot_be_used_fails_the_turn_and_the_next_one_works(tmp_path: Path) -> None:
    stage = Stage()
    async with legion(tmp_path / "castra", stage) as camp:
        good = camp.castra.prompt("legatus").read_text()
        camp.castra.prompt("legatus").write_text("no front matter")
        await camp.say("one")
        await camp.settled(1)
        (word,) = await camp.sent()
        camp.castra.prompt("legatus").write_text(good)
        await camp.say("two")
        await camp.settled(2)
        tally = await camp.praetorium.turns.tally()
    assert (tally.answered, tally.failed) == (1, 1)
    assert "prompt.md" in str(word["text"])


@scene
async def test_a_turn_that_has_ended_is_not_asked_again(tmp_path: Path) -> None:
    stage = Stage()
    async with legion(tmp_path / "castra", stage) as camp:
        (turn,) = await camp.say("one")
        await camp.settled(1)
        camp.sessions.of("legatus").submit(turn)
        await camp.settled(2)
        tally = await camp.praetorium.turns.tally()
    assert len(stage.asked) == 1
    assert (tally.received, tally.answered) == (1, 1)


@scene
async def test_an_agent_that_cannot_be_started_fails_its_turn(tmp_path: Path) -> None:
    stage = Stage(broken={"vorenus"})
    async with legion(tmp_path / "castra", stage) as camp:
        await camp.say("@vorenus @pullo both")
        await camp.settled(2)
        tally = await camp.praetorium.turns.tally()
        sent = await camp.sent()
        stage.broken.clear()
        await camp.say("@vorenus again")
        await camp.settled(3)
        assert (await camp.praetorium.turns.tally()).answered == 2
    assert (tally.answered, tally.failed) == (1, 1)
    assert any("vorenus" in str(word["text"]) and "process" in str(word["text"]) for word in sent)


@scene
async def test_after_a_crash_the_agent_is_closed_and_its_thread_resumed(tmp_path: Path) -> None:
    async def crash(text: str) -> str:
        if "crash" in text:
            raise ConnectionError("the CLI ended")
        return "well"

    stage = Stage(say=crash)
    async with legion(tmp_path / "castra", stage) as camp:
        await camp.say("crash")
        await camp.settled(1)
        assert stage.live == 0
        await camp.say("again")
        await camp.settled(2)
        tally = await camp.praetorium.turns.tally()
    assert (tally.failed, tally.answered) == (1, 1)
    assert stage.briefs[1].resume


@scene
async def test_a_full_context_reported_by_the_model_leads_to_a_new_thread(tmp_path: Path) -> None:
    async def full(text: str) -> str:
        if "too much" in text and "again" not in text:
            raise LookupError(Fault.CONTEXT_FULL.value)
        return "well"

    stage = Stage(say=full)
    async with legion(tmp_path / "castra", stage) as camp:
        await camp.say("too much")
        await camp.settled(1)
        await camp.say("again")
        await camp.settled(2)
    assert not stage.briefs[1].resume
    assert CONTEXT_FULL in stage.texts("legatus")[1]


@scene
async def test_stop_ends_the_running_turn_and_those_that_wait(tmp_path: Path) -> None:
    async def never(_: str) -> str:
        await asyncio.Event().wait()
        return ""

    stage = Stage(say=never)
    async with legion(tmp_path / "castra", stage) as camp:
        await camp.say("one")
        await camp.say("two")
        await until(lambda: stage.asked)
        stopped = camp.legatus.stop()
        await camp.settled(2)
        tally = await camp.praetorium.turns.tally()
    assert len(stopped) == 2
    assert (tally.stopped, tally.pending) == (2, 0)
    assert len(stage.asked) == 1, "a turn that waited is not asked any more"


# --- after a failure or a crash -----------------------------------------------------------------------


@scene
async def test_a_question_that_failed_is_taken_out_of_the_thread_and_told_once_as_record(
    tmp_path: Path,
) -> None:
    async def overloaded(text: str) -> str:
        if "the bad one</message>" in text:
            raise LookupError(Fault.OVERLOADED.value)
        return "well"

    stage = Stage(say=overloaded)
    async with legion(tmp_path / "castra", stage) as camp:
        for number, text in enumerate(("the good one", "the bad one", "the next one", "the last one"), 1):
            await camp.say(text)
            await camp.settled(number)
        thread = await camp.praetorium.threads.load("legatus")
    first, rewound = stage.briefs
    assert (rewound.resume, rewound.resume_at) == (True, "mark 1")
    assert rewound.thread == first.thread
    _, _, following, last = stage.texts("legatus")
    assert following.count("the bad one") == 1
    assert "<praetorium" in following
    assert "the bad one" not in last
    assert thread is not None
    assert (thread.spoiled, thread.mark) == (False, "mark 4")


@scene
async def test_a_first_question_that_failed_leaves_nothing_to_resume(tmp_path: Path) -> None:
    async def overloaded(text: str) -> str:
        if "the bad one</message>" in text:
            raise LookupError(Fault.OVERLOADED.value)
        return "well"

    stage = Stage(say=overloaded)
    async with legion(tmp_path / "castra", stage) as camp:
        await camp.say("the bad one")
        await camp.settled(1)
        await camp.say("the next one")
        await camp.settled(2)
    assert not stage.briefs[1].resume
    assert stage.briefs[1].thread != stage.briefs[0].thread
    assert stage.texts("legatus")[1].count("the bad one") == 1


@scene
async def test_an_interrupted_turn_whose_thread_was_told_goes_on_and_is_told_nothing_twice(
    tmp_path: Path,
) -> None:
    async def never(text: str) -> str:
        if "run for ever" in text:
            await asyncio.Event().wait()
        return "well"

    stage = Stage(say=never)
    async with legion(tmp_path / "castra", stage) as camp:
        await camp.say("@vorenus @pullo ave")
        await camp.settled(2)
        await camp.say("@vorenus run for ever")
        await until(lambda: len(stage.asked) == 3)
    stage.say = None
    async with legion(tmp_path / "castra", stage) as camp:
        await camp.legatus.take_up()
        await camp.settled(1)
    before, after = stage.texts("vorenus")[1:]
    assert before.count("<nuntius ") == 1, "what pullo answered"
    assert "<nuntius " not in after
    assert "you were given before" in after
    assert "run for ever" in after


@scene
async def test_an_interrupted_turn_whose_thread_was_never_told_is_told_all_of_it(tmp_path: Path) -> None:
    async def never(text: str) -> str:
        if "run for ever" in text:
            await asyncio.Event().wait()
        return "well"

    stage = Stage(say=never)
    async with legion(tmp_path / "castra", stage) as camp:
        await camp.say("@vorenus @pullo ave")
        await camp.settled(2)
        await camp.say("@vorenus run for ever")
        await until(lambda: len(stage.asked) == 3)
    stage.say = None
    stage.told = [told for told in stage.told if "run for ever" not in told[1]]  # it died before it was sent
    async with legion(tmp_path / "castra", stage) as camp:
        await camp.legatus.take_up()
        await camp.settled(1)
    after = stage.texts("vorenus")[-1]
    assert after.count("<nuntius ") == 1
    assert "before you could answer this" in after


@scene
async def test_a_process_that_has_grown_too_large_sleeps_between_two_turns(tmp_path: Path) -> None:
    stage = Stage(megabytes=900.0)
    async with legion(tmp_path / "castra", stage, Setting(max_megabytes=800.0)) as camp:
        await camp.say("one")
        await camp.settled(1)
        assert stage.live == 0
        await camp.say("two")
        await camp.settled(2)
    assert stage.briefs[1].resume


@scene
async def test_what_came_with_a_nuntius_goes_to_its_agent_and_a_file_that_fails_fails_no_turn(
    tmp_path: Path,
) -> None:
    stage = Stage()
    async with legion(tmp_path / "castra", stage) as camp:
        depot = Depot(camp.castra)
        drawn = depot.keep(RECEIVED.date(), "1", "a.png", picture(40, 30))
        files = (
            Attachment(drawn, "a.png", "image/png", 1, "photo"),
            Attachment("attachments/gone.txt", "gone.txt", "text/plain", 1, "document"),
        )
        await camp.praetorium.inbox.put(Letter(900, "{}", RECEIVED))
        await camp.legatus.hear(Said("look", 900, attachments=files))
        await camp.settled(1)
        (told,) = stage.texts("legatus")
    ((shown,),) = stage.shown
    assert size_of(shown.data) == (40, 30)
    assert 'name="gone.txt"' in told
    assert "it cannot be shown" in told
