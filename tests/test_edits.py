"""What Caesar puts right afterwards: he edits a message, or has what came to nothing asked once more."""

from pathlib import Path

from legio.changes import CORRECTION
from legio.legatus import Edit, Said
from legio.nuntius import Tally, TurnState
from tests.busy import busy
from tests.scenes import scene, until

# --- edited -------------------------------------------------------------------------------------------


@scene
async def test_an_edit_of_what_waits_changes_it_before_anybody_reads_it(tmp_path: Path) -> None:
    async with busy(tmp_path) as made:
        await made.hold()
        (turn,) = await made.camp.say("@vorenus cuont")
        assert await made.camp.edit(2, "@vorenus count") is Edit.TAKEN
        assert await made.tally(2) == Tally(2, 2, 0, 0, 0, 0)
        words = await made.words()
        rows = made.camp.praetorium.database.rows
        _, asked = await rows("SELECT text FROM nuntii WHERE sender = 'caesar'")
        found = await rows("SELECT rowid FROM nuntii_search('cuont')")
    assert asked["text"] == "@vorenus count"
    assert "cuont" not in "".join(made.stage.texts("vorenus"))
    assert words == [
        "✏️ Taken: it waits for vorenus as it stands now.",
        "heard: @vorenus hold",
        "heard: @vorenus count",
    ]
    assert (turn.nuntius.seq, found) == (2, [])


@scene
async def test_an_edit_that_addresses_others_doubles_nothing(tmp_path: Path) -> None:
    async with busy(tmp_path) as made:
        await made.hold("@vorenus @pullo")
        await until(lambda: len(made.stage.asked) == 2)
        await made.camp.say("@vorenus @pullo count")
        await made.camp.edit(2, "@pullo @brutus count")
        assert await made.tally(5) == Tally(5, 4, 0, 1, 0, 0)
        words = await made.words()
        audiences = [nuntius.audience for nuntius in await made.camp.record() if nuntius.seq == 2]
    assert [len(made.stage.texts(name)) for name in ("vorenus", "pullo", "brutus")] == [1, 2, 1]
    assert audiences == [("pullo", "brutus")]
    said = "✏️ Taken: it waits for pullo and brutus as it stands now. vorenus: not asked any more."
    assert said in words


@scene
async def test_an_edit_for_one_for_whom_something_later_waits_tells_him_nothing_twice(tmp_path: Path) -> None:
    async with busy(tmp_path) as made:
        await made.hold("@vorenus @pullo")
        await until(lambda: len(made.stage.asked) == 2)
        await made.camp.say("@pullo count")
        await made.camp.say("@vorenus march")
        assert await made.camp.edit(2, "@vorenus @pullo count") is Edit.TAKEN
        assert await made.tally(6) == Tally(6, 5, 0, 1, 0, 0)
        words = await made.words()
        told = made.stage.texts("vorenus")
    assert ["march" in text for text in told] == [False, True, False]
    assert ["count" in text for text in told] == [False, False, True]
    assert "✏️ Taken: vorenus and pullo asked again, with your edit." in words


@scene
async def test_an_edit_of_one_of_two_gathered_messages_keeps_the_other(tmp_path: Path) -> None:
    async with busy(tmp_path) as made:
        await made.hold()
        await made.camp.say("@vorenus one")
        await made.camp.say("@vorenus tow")
        await made.camp.edit(3, "@vorenus two")
        await made.camp.edit(2, "@vorenus ONE")
        assert await made.camp.edit(3, "@vorenus two") is Edit.UNCHANGED
        assert (await made.tally(2)).received == 2
    assert "@vorenus ONE\n@vorenus two" in made.stage.texts("vorenus")[1]


@scene
async def test_an_edit_of_what_runs_stops_it_and_asks_again(tmp_path: Path) -> None:
    async with busy(tmp_path) as made:
        await made.hold()
        assert await made.camp.edit(1, "@vorenus count") is Edit.TAKEN
        await made.camp.settled(2)
        assert await made.tally(2) == Tally(2, 1, 0, 1, 0, 0)
        words = await made.words()
        before, correction, _ = await made.camp.record()
        assert await made.camp.praetorium.nuntii.by_message(1) == correction
    assert (correction.text, correction.reply_to) == (f"{CORRECTION}@vorenus count", before.id)
    assert words == [
        "✏️ Taken: vorenus asked again, with your edit.",
        f"heard: {CORRECTION}@vorenus count",
    ]


@scene
async def test_an_edit_after_the_answer_is_a_correction_that_is_answered_too(tmp_path: Path) -> None:
    async with busy(tmp_path) as made:
        await made.camp.say("@vorenus @pullo count")
        await made.camp.settled(2)
        assert await made.camp.edit(1, "@vorenus count all") is Edit.TAKEN
        await made.camp.settled(3)
        await made.camp.edit(1, "@vorenus count them all")
        assert await made.tally(4) == Tally(4, 4, 0, 0, 0, 0)
        last = (await made.camp.record())[-2]
    assert last.text == f"{CORRECTION}@vorenus count them all", "said once, however often it is edited"


@scene
async def test_an_edit_that_changes_nothing_does_nothing(tmp_path: Path) -> None:
    async with busy(tmp_path) as made:
        await made.camp.say("!count")
        assert await made.camp.edit(1, "!count") is Edit.UNCHANGED
        assert await made.tally(1) == Tally(1, 1, 0, 0, 0, 0)


@scene
async def test_an_edit_of_what_never_came_to_be_a_nuntius_is_for_the_intake_to_take(tmp_path: Path) -> None:
    async with busy(tmp_path) as made:
        assert await made.camp.edit(99, "what I meant") is Edit.UNKNOWN
        assert await made.tally(0) == Tally(0, 0, 0, 0, 0, 0)


@scene
async def test_the_same_edit_twice_asks_once(tmp_path: Path) -> None:
    async with busy(tmp_path) as made:
        await made.camp.say("@vorenus count")
        await made.camp.settled(1)
        letter = await made.camp.letter()
        edit = Said("@vorenus count all", letter, 1)
        assert [await made.camp.legatus.edit(edit) for _ in range(2)] == [Edit.TAKEN, Edit.UNCHANGED]
        assert (await made.tally(2)).received == 2


# --- asked again --------------------------------------------------------------------------------------


@scene
async def test_what_failed_is_asked_again_once_however_often_that_is_pressed(tmp_path: Path) -> None:
    async with busy(tmp_path) as made:
        failed, _ = await made.camp.say("@vorenus @pullo fail")
        await made.camp.settled(2)
        again = await made.camp.legatus.retry(failed.id, update_id=await made.camp.letter())
        twice = await made.camp.legatus.retry(failed.id, update_id=await made.camp.letter())
        assert again is not None
        await made.camp.settled(3)
        third = await made.camp.legatus.retry(again.id, update_id=await made.camp.letter())
        assert await made.tally(4) == Tally(4, 0, 4, 0, 0, 0)
        assert await made.camp.praetorium.inbox.unfinished() == ()
    assert twice is None
    assert (again.agent, again.message, again.nuntius.audience) == ("vorenus", 1, ("vorenus",))
    assert again.nuntius.text == failed.nuntius.text
    assert third is not None, "what failed once more may be asked once more"


@scene
async def test_what_was_answered_or_is_at_work_is_not_asked_again(tmp_path: Path) -> None:
    async with busy(tmp_path) as made:
        (answered,) = await made.camp.say("@pullo count")
        await made.camp.settled(1)
        running = await made.hold()
        for turn_id in (answered.id, running.id, 99):
            assert await made.camp.legatus.retry(turn_id, update_id=await made.camp.letter()) is None
        assert await made.tally(2) == Tally(2, 2, 0, 0, 0, 0)
        assert await made.camp.praetorium.inbox.unfinished() == ()


@scene
async def test_an_edit_stops_what_was_asked_again_too(tmp_path: Path) -> None:
    async with busy(tmp_path) as made:
        turn = await made.hold()
        made.camp.legatus.stop()
        await made.camp.settled(1)
        again = await made.camp.legatus.retry(turn.id, update_id=await made.camp.letter())
        assert again is not None
        assert again.state is TurnState.PENDING
        await until(lambda: len(made.stage.asked) == 2)
        await made.camp.edit(1, "@vorenus count")
        await made.camp.settled(3)
        assert await made.tally(3) == Tally(3, 1, 0, 2, 0, 0)
