"""What Caesar says next, as far as it changes what he said: each scene has an agent who may be busy."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from legio.changes import GATHERED_CHARACTERS, urgent
from legio.events import Waiting
from legio.legatus import Said
from legio.nuntius import Tally
from tests.busy import busy
from tests.camp import Setting
from tests.clocks import FakeClock
from tests.scenes import scene, until

SENT = datetime(2026, 11, 21, 8, tzinfo=UTC)


# --- gathered -----------------------------------------------------------------------------------------


@scene
async def test_two_quick_messages_to_a_busy_agent_are_one_nuntius_and_one_turn(tmp_path: Path) -> None:
    async with busy(tmp_path) as made:
        await made.hold()
        (first,) = await made.camp.say("@vorenus count the tents")
        assert await made.camp.say("@vorenus and the mules") == ()
        assert await made.tally(2) == Tally(2, 2, 0, 0, 0, 0)
        joined = await made.camp.praetorium.nuntii.by_message(3)
        assert joined == await made.camp.praetorium.nuntii.by_message(2)
        assert await made.camp.praetorium.inbox.unfinished() == ()
        seen = [event for _, event in made.camp.messenger.events if isinstance(event, Waiting)]
    assert joined is not None
    assert joined.seq == first.nuntius.seq
    assert joined.text == "@vorenus count the tents\n@vorenus and the mules"
    assert len(made.stage.texts("vorenus")) == 2
    assert joined.text in made.stage.texts("vorenus")[1]
    assert len(seen) == 3, "the second message waits, too"


@scene
async def test_an_idle_agent_is_asked_at_once_and_the_next_message_is_another_turn(tmp_path: Path) -> None:
    async with busy(tmp_path) as made:
        await made.hold()
        assert len(await made.camp.say("@vorenus count")) == 1
        assert await made.tally(2) == Tally(2, 2, 0, 0, 0, 0)
        assert len(await made.camp.say("@vorenus count again")) == 1, "the one before has been answered"


@scene
async def test_a_third_quick_message_is_gathered_as_well(tmp_path: Path) -> None:
    async with busy(tmp_path) as made:
        await made.hold()
        await made.camp.say("@vorenus one")
        await made.camp.say("@vorenus two")
        await made.camp.say("@vorenus three")
        assert (await made.tally(2)).received == 2
    assert "@vorenus one\n@vorenus two\n@vorenus three" in made.stage.texts("vorenus")[1]


@pytest.mark.parametrize("seconds", [0.0, 1.0])
@scene
async def test_what_comes_later_or_with_gathering_off_is_a_turn_of_its_own(
    tmp_path: Path, seconds: float
) -> None:
    clock = FakeClock()
    async with busy(tmp_path, Setting(clock=clock, gather_seconds=seconds)) as made:
        await made.hold()
        await made.camp.say("@vorenus one")
        clock.advance(1.1 if seconds else 0.0)
        assert len(await made.camp.say("@vorenus two")) == 1
        assert (await made.tally(3)).answered == 3


@scene
async def test_what_was_sent_hours_apart_is_not_gathered_because_it_arrives_together(tmp_path: Path) -> None:
    async with busy(tmp_path) as made:
        await made.hold()
        for hours in (0, 2):
            update = await made.camp.letter()
            sent = SENT + timedelta(hours=hours)
            assert len(await made.camp.legatus.hear(Said("@vorenus go", update, update, sent=sent))) == 1
        assert (await made.tally(3)).answered == 3


@scene
async def test_a_message_to_others_is_not_gathered(tmp_path: Path) -> None:
    async with busy(tmp_path) as made:
        await made.hold()
        await made.camp.say("@vorenus one")
        assert [turn.agent for turn in await made.camp.say("@vorenus @pullo two")] == ["vorenus", "pullo"]
        assert (await made.tally(4)).answered == 4


@scene
async def test_what_another_thread_was_told_is_not_changed_any_more(tmp_path: Path) -> None:
    async with busy(tmp_path) as made:
        await made.hold()
        await made.camp.say("@vorenus one")
        await made.camp.say("what is going on?")
        await made.camp.settled(1)
        # The Legatus has seen it; Caesar's last words were to him, so this stands for a race that was lost.
        nuntius = await made.camp.praetorium.nuntii.by_message(2)
        assert nuntius is not None
        letter = await made.camp.letter()
        corrections = made.camp.praetorium.corrections
        joined = await corrections.join(nuntius.seq, "two", update_id=letter, message=letter)
        assert joined is None
        assert len(await made.camp.praetorium.inbox.unfinished()) == 1, "its letter waits to be admitted"
        assert (await made.tally(3)).answered == 3


@scene
async def test_the_same_update_twice_is_gathered_once(tmp_path: Path) -> None:
    async with busy(tmp_path) as made:
        await made.hold()
        await made.camp.say("@vorenus one")
        letter = await made.camp.letter()
        for _ in range(2):
            assert await made.camp.legatus.hear(Said("@vorenus two", letter, letter)) == ()
        await made.tally(2)
    assert made.stage.texts("vorenus")[1].count("two") == 1


@scene
async def test_what_was_edited_to_others_is_joined_by_nothing_that_was_meant_for_the_first(
    tmp_path: Path,
) -> None:
    async with busy(tmp_path) as made:
        await made.hold("@vorenus @pullo")
        await until(lambda: len(made.stage.asked) == 2)
        await made.camp.say("@vorenus one")
        await made.camp.edit(2, "@pullo one")
        assert [turn.agent for turn in await made.camp.say("@vorenus two")] == ["vorenus"]
        assert await made.tally(5) == Tally(5, 4, 0, 1, 0, 0)


@scene
async def test_what_is_gathered_has_a_bound(tmp_path: Path) -> None:
    async with busy(tmp_path) as made:
        await made.hold()
        await made.camp.say("@vorenus " + "x" * (GATHERED_CHARACTERS // 2))
        assert len(await made.camp.say("@vorenus " + "y" * (GATHERED_CHARACTERS // 2))) == 1
        assert (await made.tally(3)).answered == 3


@scene
async def test_what_came_without_a_message_of_telegrams_is_a_turn_of_its_own(tmp_path: Path) -> None:
    async with busy(tmp_path) as made:
        await made.hold()
        await made.camp.say("@vorenus one")
        assert len(await made.camp.legatus.hear(Said("@vorenus two", await made.camp.letter()))) == 1
        assert (await made.tally(3)).answered == 3


# --- interrupted --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("!go", (True, "go")),
        ("! go", (True, "go")),
        ("!!", (True, "!")),
        ("go!", (False, "go!")),
        ("!", (False, "!")),
        ("! ", (False, "! ")),
    ],
)
def test_the_sign_for_urgent_stands_in_front_of_something(text: str, found: tuple[bool, str]) -> None:
    assert urgent(text) == found


@scene
async def test_an_urgent_message_takes_the_place_of_what_runs_and_what_waits(tmp_path: Path) -> None:
    async with busy(tmp_path) as made:
        await made.hold()
        await made.camp.say("@vorenus later")
        (turn,) = await made.camp.say("!@vorenus now")
        await made.camp.settled(3)
        assert await made.tally(3) == Tally(3, 1, 0, 2, 0, 0)
        words = await made.words()
        details = await made.camp.praetorium.database.rows("SELECT detail FROM turns ORDER BY id")
    assert turn.nuntius.text == "@vorenus now"
    assert words == ["⏹ vorenus: stopped for your new message."] * 2 + ["heard: @vorenus now"]
    assert [row["detail"] for row in details] == ["Caesar said something else instead"] * 2 + [""]
    assert "later" in made.stage.texts("vorenus")[1], "it stays in the record, and the thread is told so"


@scene
async def test_an_urgent_message_leaves_the_others_at_their_work(tmp_path: Path) -> None:
    async with busy(tmp_path) as made:
        await made.hold("@vorenus @pullo")
        await until(lambda: len(made.stage.asked) == 2)
        await made.camp.say("!@vorenus now")
        await made.camp.settled(2)
        assert [turn.agent for turn in made.camp.ended] == ["vorenus", "vorenus"]
        assert await made.tally(3) == Tally(3, 2, 0, 1, 0, 0)


@scene
async def test_an_urgent_message_to_an_idle_agent_is_just_asked(tmp_path: Path) -> None:
    async with busy(tmp_path) as made:
        await made.camp.say("!now")
        assert await made.tally(1) == Tally(1, 1, 0, 0, 0, 0)
        assert await made.words() == ["heard: now"]


@scene
async def test_the_same_urgent_update_twice_stops_nothing_more(tmp_path: Path) -> None:
    async with busy(tmp_path) as made:
        await made.hold()
        letter = await made.camp.letter()
        await made.camp.legatus.hear(Said("!@vorenus hold on", letter, letter))
        assert await made.camp.legatus.hear(Said("!@vorenus hold on", letter, letter)) == ()
        assert await made.tally(2) == Tally(2, 1, 0, 1, 0, 0)


@scene
async def test_a_dispatch_that_an_urgent_message_stops_is_told_to_the_legatus_alone(tmp_path: Path) -> None:
    async with busy(tmp_path) as made:
        told: list[str] = []

        async def say(text: str) -> str:
            question = text[text.rindex("<message") :]
            if "ask him" in question:
                try:
                    await made.camp.legatus.dispatches.ask("vorenus", "hold")
                except Exception as error:  # noqa: BLE001  (whatever it is, the model reads it)
                    told.append(str(error))
            if "hold" in question:
                await made.done.wait()
            return "done"

        made.stage.say = say
        await made.camp.say("ask him")
        await until(lambda: len(made.stage.asked) == 2)
        await made.camp.say("!@vorenus now")
        assert await made.tally(3) == Tally(3, 2, 0, 1, 0, 0)
        assert await made.words() == ["done", "done"]
    assert told == ["⏹ vorenus: stopped."]


@scene
async def test_an_answer_that_comes_too_late_is_not_told_and_what_it_took_is_counted(tmp_path: Path) -> None:
    async with busy(tmp_path) as made:
        turn = await made.hold()
        made.stage.deaf.add("vorenus")
        await made.camp.say("!@vorenus now")
        assert await made.tally(2) == Tally(2, 1, 0, 1, 0, 0)
        words = await made.words()
        query = "SELECT seconds, cost_usd FROM turns WHERE id = :id"
        ((seconds, usd),) = await made.camp.praetorium.database.rows(query, {"id": turn.id})
        thread = await made.camp.praetorium.threads.load("vorenus")
    assert not any("hold" in word for word in words)
    assert (seconds > 0, usd > 0) == (True, True)
    assert thread is not None
    assert thread.asked == ""
