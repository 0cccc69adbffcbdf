from dataclasses import replace
from pathlib import Path

import pytest

from legio.events import Usage
from legio.nuntius import TurnState
from legio.ports import Dispatch, Ending, Letter, Thread, Unsent
from legio.praetorium import Praetorium
from legio.praetorium.ledger import _OF_NUNTIUS
from tests.praetorium.record import START, answered, parcel, payloads, praetorium_in, said
from tests.scenes import scene

USAGE = Usage(
    input_tokens=1,
    output_tokens=2,
    cache_read_tokens=3,
    cache_write_tokens=4,
    cost_usd=0.5,
    context_tokens=6,
    model="claude-sonnet-4-5",
)


async def sent(praetorium: Praetorium, *messages: int) -> None:
    """Send what is due, as those messages of Telegram's."""
    for dispatch, message in zip(await praetorium.outbox.due(), messages, strict=True):
        await praetorium.outbox.start(dispatch)
        await praetorium.outbox.sent(dispatch, message)


async def given_up(praetorium: Praetorium, *, doubtful: bool = False) -> Dispatch:
    """The first parcel that is due, found undeliverable."""
    dispatch = (await praetorium.outbox.due())[0]
    await praetorium.outbox.start(dispatch)
    await praetorium.outbox.failed(dispatch, "Forbidden: blocked", final=True, doubtful=doubtful)
    return dispatch


@scene
async def test_an_answers_whole_way_is_known(tmp_path: Path) -> None:
    async with praetorium_in(tmp_path) as praetorium:
        await praetorium.inbox.put(Letter(id=501, payload="{}", received=START))
        (turn,) = await praetorium.turns.admit(said("how deep"), ["legatus"], update_id=501, message=41)
        await praetorium.turns.begin(turn, Thread("legatus", cursor=1))
        ending = answered("so deep", "legatus", turn.nuntius, parcel("first"), parcel("second"))
        reply = await praetorium.turns.end(turn, replace(ending, usage=USAGE, seconds=1.5))
        (first, _) = await praetorium.outbox.due()
        await praetorium.outbox.start(first)
        await sent(praetorium, 42, 43)

        passage = await praetorium.ledger.passage(43)

        assert passage is not None
        assert passage == await praetorium.ledger.passage(42)
        assert passage.update_id == 501
        assert passage.turn == replace(turn, state=TurnState.ANSWERED)
        assert passage.reply == reply
        assert (passage.usage, passage.seconds) == (USAGE, 1.5)
        assert (passage.tries, passage.parcels) == (2, 2)


@scene
async def test_an_answer_to_a_dispatch_leads_back_to_caesars_update(tmp_path: Path) -> None:
    async with praetorium_in(tmp_path) as praetorium:
        await praetorium.inbox.put(Letter(id=501, payload="{}", received=START))
        (asked,) = await praetorium.turns.admit(said("ask him"), ["legatus"], update_id=501, message=41)
        order = said("how deep", "legatus", ("vorenus",), reply_to=asked.nuntius)
        (turn,) = await praetorium.turns.admit(order, ["vorenus"], root=asked.root)
        await praetorium.turns.end(turn, answered("so deep", "vorenus", turn.nuntius, parcel("so deep")))
        await sent(praetorium, 42)

        passage = await praetorium.ledger.passage(42)

        assert passage is not None
        assert (passage.update_id, passage.turn.agent, passage.turn.root) == (501, "vorenus", 1)


@scene
async def test_what_carried_no_answer_has_no_passage(tmp_path: Path) -> None:
    async with praetorium_in(tmp_path) as praetorium:
        await praetorium.inbox.put(Letter(id=501, payload="{}", received=START))
        await praetorium.turns.admit(said("how deep"), ["legatus"], update_id=501, message=41)
        await praetorium.outbox.add([parcel("a notice")])
        await praetorium.nuntii.post(said("word", "legatus", ("caesar",)), [parcel("word")])
        await sent(praetorium, 42, 43)

        assert [await praetorium.ledger.passage(message) for message in (41, 42, 43, 99)] == [None] * 4


@scene
async def test_an_answer_given_before_updates_were_recorded_has_a_passage_without_one(tmp_path: Path) -> None:
    async with praetorium_in(tmp_path) as praetorium:
        (turn,) = await praetorium.turns.admit(said("how deep"), ["legatus"])
        await praetorium.turns.end(turn, answered("so deep", "legatus", turn.nuntius, parcel("so deep")))
        await sent(praetorium, 42)

        passage = await praetorium.ledger.passage(42)

        assert passage is not None
        assert passage.update_id is None


@scene
async def test_what_was_given_up_is_listed_with_its_reason(tmp_path: Path) -> None:
    async with praetorium_in(tmp_path) as praetorium:
        await praetorium.outbox.add([parcel("one"), parcel("two"), parcel("three")])
        await given_up(praetorium)
        await given_up(praetorium)

        listed = await praetorium.ledger.undelivered()

        assert [(it.id, it.parcel.payload, it.error, it.created) for it in listed] == [
            (1, "one", "Forbidden: blocked", START),
            (2, "two", "Forbidden: blocked", START),
        ]


@scene
async def test_at_most_a_hundred_are_listed_and_all_are_sent_again(tmp_path: Path) -> None:
    async with praetorium_in(tmp_path) as praetorium:
        await praetorium.outbox.add([parcel(str(number)) for number in range(103)])
        await praetorium.database.change("UPDATE outbox SET state = 'undeliverable'")

        assert len(await praetorium.ledger.undelivered()) == 100
        assert await praetorium.ledger.retry() == 103
        assert await praetorium.ledger.undelivered() == ()
        assert len(await praetorium.outbox.due()) == 103


@pytest.mark.parametrize("doubtful", [False, True])
@scene
async def test_what_may_have_arrived_before_it_was_given_up_is_still_in_doubt(
    tmp_path: Path, *, doubtful: bool
) -> None:
    async with praetorium_in(tmp_path) as praetorium:
        await praetorium.outbox.add([parcel("one"), parcel("two")])
        await given_up(praetorium, doubtful=doubtful)

        assert await praetorium.ledger.retry() == 1
        again, other = await praetorium.outbox.due()

        assert payloads((again, other)) == ["one", "two"]
        assert (again.doubtful, again.tries, other.doubtful) == (doubtful, 1, False)


@scene
async def test_with_nothing_given_up_nothing_is_sent_again(tmp_path: Path) -> None:
    async with praetorium_in(tmp_path) as praetorium:
        await praetorium.outbox.add([parcel("one")])

        assert await praetorium.ledger.retry() == 0


@scene
async def test_a_nuntius_has_the_ways_of_all_whom_it_was_asked_of_and_an_answer_has_its_own(
    tmp_path: Path,
) -> None:
    question = said("how deep?", audience=("vorenus", "pullo", "brutus"))
    async with praetorium_in(tmp_path) as praetorium:
        turns = await praetorium.turns.admit(question, ["vorenus", "pullo", "brutus"])
        reply = await praetorium.turns.end(turns[0], answered("so deep", "vorenus", turns[0].nuntius))
        await praetorium.turns.end(turns[1], Ending(TurnState.FAILED, None, (), detail="no model", seconds=2))

        asked = await praetorium.ledger.passages(1)
        answer = await praetorium.ledger.passages(2)
        nothing = await praetorium.ledger.passages(2**70)

    assert reply is not None
    assert [(it.turn.agent, it.turn.state, it.reply and it.reply.seq) for it in asked] == [
        ("vorenus", TurnState.ANSWERED, reply.seq),
        ("pullo", TurnState.FAILED, None),
        ("brutus", TurnState.PENDING, None),
    ]
    assert (asked[1].detail, asked[1].seconds, asked[1].tries) == ("no model", 2, 0)
    assert answer == asked[:1]
    assert nothing == ()


@scene
async def test_what_has_to_go_out_is_listed_with_its_tries_and_troubles(tmp_path: Path) -> None:
    async with praetorium_in(tmp_path) as praetorium:
        await praetorium.outbox.add([parcel(text) for text in ("sent", "given up", "tried", "waits")])
        first, _, tried, _ = await praetorium.outbox.due()
        await praetorium.outbox.start(first)
        await praetorium.outbox.sent(first, 41)
        await given_up(praetorium)
        await praetorium.outbox.start(tried)
        await praetorium.outbox.failed(tried, "Bad Gateway", final=False, doubtful=True)

        listed = await praetorium.ledger.unsent()

        assert listed == (
            Unsent(3, parcel("tried"), START, 1, "Bad Gateway", doubtful=True),
            Unsent(4, parcel("waits"), START, 0, "", doubtful=False),
        )


@scene
async def test_at_most_a_hundred_that_wait_are_listed(tmp_path: Path) -> None:
    async with praetorium_in(tmp_path) as praetorium:
        await praetorium.outbox.add([parcel(str(number)) for number in range(103)])

        assert len(await praetorium.ledger.unsent()) == 100


@scene
async def test_the_ways_of_a_nuntius_are_found_without_reading_the_other_turns(tmp_path: Path) -> None:
    async with praetorium_in(tmp_path) as praetorium:
        rows = await praetorium.database.rows(f"EXPLAIN QUERY PLAN {_OF_NUNTIUS}", {"seq": 1})
    plan = [str(row["detail"]) for row in rows]

    assert [step for step in plan if "(nuntius=?)" in step], plan
    assert [step for step in plan if "(reply=?)" in step], plan
    assert not [step for step in plan if step.startswith("SCAN")], plan
