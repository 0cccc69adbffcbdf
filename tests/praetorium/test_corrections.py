from dataclasses import replace
from pathlib import Path

import pytest

from legio.errors import Outdated
from legio.events import Usage
from legio.nuntius import Nuntius, TurnState
from legio.ports import Cause, Change, Ending, Letter, Source, Thread
from legio.praetorium import Praetorium
from tests.praetorium.record import START, answered, identity, parcel, payloads, praetorium_in, said
from tests.scenes import scene

STOPPED = Ending(TurnState.STOPPED, None, (parcel("stopped"),), detail="edited")


async def put(praetorium: Praetorium, *updates: int) -> None:
    for update in updates:
        await praetorium.inbox.put(Letter(id=update, payload="{}", received=START))


async def ended(praetorium: Praetorium) -> bool:
    return await praetorium.inbox.unfinished() == ()


async def whole(praetorium: Praetorium, seq: int) -> Nuntius:
    found = await praetorium.nuntii.get(seq)
    assert found is not None
    return found


# --- source -------------------------------------------------------------------------------------------


@scene
async def test_a_message_of_caesars_leads_to_what_it_became(tmp_path: Path) -> None:
    async with praetorium_in(tmp_path) as praetorium:
        (turn,) = await praetorium.turns.admit(said("salve"), ["legatus"], message=41)
        await praetorium.turns.end(turn, answered("ave", "legatus", turn.nuntius, parcel("ave")))
        (dispatch,) = await praetorium.outbox.due()
        await praetorium.outbox.sent(dispatch, 42)

        assert await praetorium.corrections.source(41) == Source(turn.nuntius, {41: "salve"})
        assert await praetorium.corrections.source(42) is None, "that is an agent's"
        assert await praetorium.corrections.source(43) is None


# --- join ---------------------------------------------------------------------------------------------


@scene
async def test_joining_adds_a_line_and_the_message_leads_to_the_same_nuntius(tmp_path: Path) -> None:
    async with praetorium_in(tmp_path) as praetorium:
        await put(praetorium, 5)
        await praetorium.turns.admit(said("one"), ["legatus"], message=41)

        joined = await praetorium.corrections.join(1, "two \ud83d", update_id=5, message=42)

        assert joined is not None
        assert joined == await whole(praetorium, 1)
        assert joined.text == "one\ntwo \ufffd"
        assert await praetorium.corrections.source(42) == Source(joined, {41: "one", 42: "two \ufffd"})
        assert await ended(praetorium)
        assert [turn.nuntius for turn in await praetorium.turns.open()] == [joined]
        assert await praetorium.check() == ()


@scene
async def test_a_letter_that_had_ended_joins_nothing(tmp_path: Path) -> None:
    async with praetorium_in(tmp_path) as praetorium:
        await put(praetorium, 5)
        await praetorium.turns.admit(said("one"), ["legatus"])
        await praetorium.inbox.finish(5)

        assert await praetorium.corrections.join(1, "two", update_id=5, message=42) is None
        assert (await whole(praetorium, 1)).text == "one"


@pytest.mark.parametrize(
    ("reader", "audience", "cursor", "joined"),
    [
        ("legatus", ("vorenus",), 1, False),
        ("legatus", ("vorenus",), 0, True),
        ("vorenus", ("vorenus",), 1, False),
        ("pullo", ("vorenus",), 9, True),
        ("pullo", ("all",), 9, False),
    ],
)
@scene
async def test_what_a_thread_was_told_that_may_see_it_is_joined_by_nothing(
    tmp_path: Path, reader: str, audience: tuple[str, ...], cursor: int, joined: object
) -> None:
    async with praetorium_in(tmp_path) as praetorium:
        await put(praetorium, 5)
        await praetorium.turns.admit(said("one", audience=audience), ["vorenus"])
        await praetorium.threads.save(Thread(reader, cursor=cursor))

        found = await praetorium.corrections.join(1, "two", update_id=5, message=42)

        assert (found is not None) is joined
        assert await ended(praetorium) is joined


@scene
async def test_what_somebody_has_begun_with_is_joined_by_nothing(tmp_path: Path) -> None:
    async with praetorium_in(tmp_path) as praetorium:
        await put(praetorium, 5)
        question = said("one", audience=("vorenus", "pullo"))
        turn, _ = await praetorium.turns.admit(question, ["vorenus", "pullo"])
        await praetorium.turns.begin(turn, Thread("vorenus"))

        assert await praetorium.corrections.join(1, "two", update_id=5, message=42) is None


# --- begin --------------------------------------------------------------------------------------------


@scene
async def test_what_was_read_before_it_was_amended_is_not_told(tmp_path: Path) -> None:
    async with praetorium_in(tmp_path) as praetorium:
        await put(praetorium, 5)
        (turn,) = await praetorium.turns.admit(said("one"), ["legatus"])
        joined = await praetorium.corrections.join(1, "two", update_id=5, message=42)
        assert joined is not None

        with pytest.raises(Outdated, match="amended"):
            await praetorium.turns.begin(turn, Thread("legatus", cursor=1), [turn.nuntius])

        assert await praetorium.threads.load("legatus") is None
        assert [each.state for each in await praetorium.turns.open()] == [TurnState.PENDING]
        assert await praetorium.turns.begin(turn, Thread("legatus", cursor=1), [joined])


# --- amend --------------------------------------------------------------------------------------------


@scene
async def test_amending_rewrites_the_text_the_audience_and_who_is_asked(tmp_path: Path) -> None:
    async with praetorium_in(tmp_path) as praetorium:
        await put(praetorium, 5)
        question = said("compare", audience=("vorenus", "pullo"))
        left, kept = await praetorium.turns.admit(question, ["vorenus", "pullo"], message=41)
        amended = replace(kept.nuntius, text="look", audience=("pullo", "brutus"))

        change = await praetorium.corrections.amend(
            amended, ["pullo", "brutus"], Cause((5,), {41: "look"}, (parcel("taken"),)), STOPPED
        )

        assert change is not None
        assert [turn.agent for turn in change.admitted] == ["brutus"]
        assert [turn.id for turn in change.stopped] == [left.id]
        assert [(turn.agent, turn.nuntius, turn.message) for turn in await praetorium.turns.open()] == [
            ("pullo", amended, 41),
            ("brutus", amended, 41),
        ]
        assert await praetorium.nuntii.latest("vorenus", 9) == ()
        assert await praetorium.nuntii.latest("brutus", 9) == (amended,)
        assert payloads(await praetorium.outbox.due()) == ["taken", "stopped"]
        assert await ended(praetorium)
        assert await praetorium.check() == ()


@scene
async def test_what_was_told_is_not_amended(tmp_path: Path) -> None:
    async with praetorium_in(tmp_path) as praetorium:
        await put(praetorium, 5)
        (turn,) = await praetorium.turns.admit(said("compare"), ["legatus"], message=41)
        await praetorium.turns.begin(turn, Thread("legatus", cursor=1))

        cause = Cause((5,), {41: "look"}, (parcel("taken"),))
        amended = replace(turn.nuntius, text="look")
        assert await praetorium.corrections.amend(amended, ["legatus"], cause, STOPPED) is None

        assert (await whole(praetorium, 1)).text == "compare"
        assert (await ended(praetorium), await praetorium.outbox.due()) == (False, ())


@scene
async def test_what_a_thread_has_gone_past_unseen_is_not_amended_to_be_seen_by_it(tmp_path: Path) -> None:
    async with praetorium_in(tmp_path) as praetorium:
        await put(praetorium, 5)
        (turn,) = await praetorium.turns.admit(said("vale", audience=("pullo",)), ["pullo"], message=41)
        await praetorium.threads.save(Thread("vorenus", id="t", cursor=2))

        for audience in (("vorenus", "pullo"), ("all",)):
            widened = replace(turn.nuntius, audience=audience)
            cause = Cause((5,), {41: "vale"})
            assert await praetorium.corrections.amend(widened, ["pullo"], cause, STOPPED) is None

        assert await whole(praetorium, 1) == turn.nuntius
        assert not await ended(praetorium)


@scene
async def test_who_has_something_later_before_him_is_not_asked_the_earlier_behind_it(tmp_path: Path) -> None:
    async with praetorium_in(tmp_path) as praetorium:
        await put(praetorium, 5)
        (turn,) = await praetorium.turns.admit(said("vale", audience=("pullo",)), ["pullo"], message=41)
        (later,) = await praetorium.turns.admit(said("salve", audience=("vorenus",)), ["vorenus"])
        widened = replace(turn.nuntius, audience=("vorenus", "pullo"))

        async def amend() -> Change | None:
            cause = Cause((5,), {41: "vale"})
            return await praetorium.corrections.amend(widened, ["vorenus", "pullo"], cause, STOPPED)

        assert await amend() is None
        assert await whole(praetorium, 1) == turn.nuntius
        assert not await ended(praetorium)

        await praetorium.turns.end(later, STOPPED)
        assert await amend() is not None


# --- replace ------------------------------------------------------------------------------------------


@scene
async def test_replacing_stops_the_old_and_admits_the_new_at_once(tmp_path: Path) -> None:
    async with praetorium_in(tmp_path) as praetorium:
        await put(praetorium, 5, 6)
        (done,) = await praetorium.turns.admit(said("done"), ["legatus"], message=40)
        await praetorium.turns.end(done, answered("so", "legatus", done.nuntius))
        (old,) = await praetorium.turns.admit(said("old"), ["legatus"], message=41)
        new = said("new", audience=("legatus", "pullo"))
        cause = Cause((5, 6), {41: "a part"}, (parcel("taken"),))

        change = await praetorium.corrections.replace(
            new, ["legatus", "pullo"], cause, [(done, STOPPED), (old, STOPPED)]
        )

        assert change.stopped == (old,)
        assert [(turn.agent, turn.message) for turn in change.admitted] == [("legatus", 41), ("pullo", 41)]
        (source,) = {turn.nuntius for turn in change.admitted}
        assert await praetorium.corrections.source(41) == Source(source, {41: "a part"})
        assert payloads(await praetorium.outbox.due()) == ["stopped", "taken"]
        assert await ended(praetorium)
        tally = await praetorium.turns.tally()
        assert (tally.answered, tally.stopped, tally.pending, tally.holds) == (1, 1, 2, True)

        again = await praetorium.corrections.replace(replace(new, id="other"), ["legatus"], cause, [])
        assert again == Change()
        assert (await praetorium.turns.tally()).received == 4


@scene
async def test_a_turn_stopped_in_the_record_is_told_what_it_took_and_nothing_else(tmp_path: Path) -> None:
    usage = Usage(cost_usd=0.5, output_tokens=3)
    thread = Thread("legatus", id="5f0c", cursor=1)
    async with praetorium_in(tmp_path) as praetorium:
        await put(praetorium, 5)
        (turn,) = await praetorium.turns.admit(said("old"), ["legatus"])
        await praetorium.turns.begin(turn, replace(thread, asked=turn.nuntius.id))
        await praetorium.corrections.replace(said("new"), ["legatus"], Cause((5,), {}), [(turn, STOPPED)])
        late = replace(answered("late", "legatus", turn.nuntius, parcel("late")), usage=usage, seconds=2.0)

        assert await praetorium.turns.end(turn, late, thread) is None
        assert await praetorium.turns.end(turn, replace(late, seconds=9.0), Thread("legatus")) is None

        row = (await praetorium.database.rows("SELECT * FROM turns WHERE id = 1"))[0]
        assert (row["state"], row["reply"], row["seconds"], row["cost_usd"]) == ("stopped", None, 2.0, 0.5)
        assert await praetorium.threads.load("legatus") == thread
        assert payloads(await praetorium.outbox.due()) == ["stopped"]


# --- again --------------------------------------------------------------------------------------------


@scene
async def test_what_failed_is_asked_again_in_reply_to_the_same_message(tmp_path: Path) -> None:
    async with praetorium_in(tmp_path) as praetorium:
        await put(praetorium, 5, 6)
        question = said("compare", audience=("vorenus", "pullo"))
        failed, _ = await praetorium.turns.admit(question, ["vorenus", "pullo"], message=41)
        await praetorium.turns.end(failed, Ending(TurnState.FAILED, None, ()))

        again = await praetorium.corrections.again(failed.id, identity("again"), update_id=5)
        twice = await praetorium.corrections.again(failed.id, identity("again"), update_id=6)

        assert again is not None
        assert (again.agent, again.message, again.root) == ("vorenus", 41, 2)
        assert (again.nuntius.text, again.nuntius.audience) == ("compare", ("vorenus",))
        assert twice is None
        assert await ended(praetorium)
        assert await praetorium.corrections.again(failed.id, identity("more"), update_id=6) is None


@pytest.mark.parametrize("sender", ["legatus", "caesar"])
@scene
async def test_a_dispatch_and_an_answered_turn_are_not_asked_again(tmp_path: Path, sender: str) -> None:
    async with praetorium_in(tmp_path) as praetorium:
        await put(praetorium, 5)
        (turn,) = await praetorium.turns.admit(said("look", sender, ("pullo",)), ["pullo"])
        ending = Ending(TurnState.FAILED, None, ())
        if sender == "caesar":
            ending = answered("seen", "pullo", turn.nuntius)
        await praetorium.turns.end(turn, ending)

        assert await praetorium.corrections.again(turn.id, identity("again"), update_id=5) is None
        assert (await praetorium.turns.tally()).received == 1
