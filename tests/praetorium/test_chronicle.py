import asyncio
import sqlite3
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from legio.nuntius import Attachment, Nuntius
from legio.ports import Selection
from legio.praetorium import Praetorium
from legio.praetorium.chronicle import (
    _ABOVE,
    _AFTER,
    _ANSWERS,
    _EVERYBODY,
    _NAMES,
    _OF_ONE,
    _PICKED,
    _RUN,
    DISORDER,
    MOST_ABOVE,
    MOST_BELOW,
    REACH,
)
from tests.praetorium.record import START, answered, praetorium_in, said
from tests.scenes import scene

NAMES = ("caesar", "legatus", "vorenus", "vorenu", "v%")
AUDIENCES = st.one_of(
    st.just(("all",)), st.lists(st.sampled_from([*NAMES, "all"]), unique=True, max_size=3).map(tuple)
)
HOURS = st.integers(0, 8)
FIGURES = {
    "agent": "vorenus", "after": 0, "before": 99, "since": "", "until": "9999", "limit": 50, "seq": 1,
    "most": MOST_ABOVE, "reach": REACH, "disorder": DISORDER,
}  # fmt: skip


def at(hours: float) -> datetime:
    return START + timedelta(hours=hours)


async def posted(praetorium: Praetorium, *nuntii: Nuntius) -> list[Nuntius]:
    return [await praetorium.nuntii.post(nuntius) for nuntius in nuntii]


async def seqs(
    praetorium: Praetorium,
    selection: Selection,
    limit: int = 50,
    *,
    before: int | None = None,
    after: int | None = None,
) -> list[int]:
    found = await praetorium.chronicle.page(selection, limit, before=before, after=after)
    return [nuntius.seq for nuntius in found]


# --- pages ---------------------------------------------------------------------------------------------


@settings(max_examples=80, deadline=None)
@given(
    written=st.lists(st.tuples(st.sampled_from(NAMES), AUDIENCES, HOURS), max_size=25),
    agent=st.none() | st.sampled_from([*NAMES, "all", "stranger"]),
    since=st.none() | HOURS,
    until=st.none() | HOURS,
    limit=st.integers(-1, 6),
)
def test_the_pages_hold_each_nuntius_of_the_selection_once_from_both_ends(
    written: list[tuple[str, tuple[str, ...], int]],
    agent: str | None,
    since: int | None,
    until: int | None,
    limit: int,
) -> None:
    selection = Selection(agent, None if since is None else at(since), None if until is None else at(until))

    def meant(nuntius: Nuntius) -> bool:
        heard = {nuntius.sender, *nuntius.audience} - {"all"}
        heard |= {"all"} if nuntius.audience == ("all",) else set()
        in_time = (since is None or nuntius.timestamp >= at(since)) and (
            until is None or nuntius.timestamp < at(until)
        )
        return in_time and agent in (None, *heard)

    async def body() -> None:
        with TemporaryDirectory() as folder:
            async with praetorium_in(Path(folder)) as praetorium:
                record = await posted(
                    praetorium,
                    *(
                        replace(said(str(number), sender, audience), timestamp=at(hour))
                        for number, (sender, audience, hour) in enumerate(written)
                    ),
                )
                expected = [nuntius.seq for nuntius in reversed(record) if meant(nuntius)]
                assert await older(praetorium) == (expected if limit > 0 else [])
                assert await newer(praetorium) == (expected if limit > 0 else [])

    async def older(praetorium: Praetorium) -> list[int]:
        found: list[int] = []
        while page := await seqs(praetorium, selection, limit, before=found[-1] if found else None):
            found += page
        return found

    async def newer(praetorium: Praetorium) -> list[int]:
        found: list[int] = []
        while page := await seqs(praetorium, selection, limit, after=found[0] if found else 0):
            found = page + found
        return found

    asyncio.run(body())


@scene
async def test_a_page_holds_nuntii_whole(tmp_path: Path) -> None:
    plan = Attachment("attachments/a/plan.pdf", "plan.pdf", "application/pdf", 3, "document")
    async with praetorium_in(tmp_path) as praetorium:
        written = await posted(praetorium, replace(said("with a file"), attachments=(plan,)), said("without"))

        assert await praetorium.chronicle.page(Selection(), 9) == (written[1], written[0])
        assert await praetorium.chronicle.picked([2, 1, 99, 2**70]) == (written[0], written[1])
        assert await praetorium.chronicle.picked([]) == ()


@scene
async def test_a_seq_far_beyond_what_there_is_is_no_matter(tmp_path: Path) -> None:
    async with praetorium_in(tmp_path) as praetorium:
        await posted(praetorium, said("one"), said("two"))

        assert await seqs(praetorium, Selection(), before=2**70) == [2, 1]
        assert await seqs(praetorium, Selection(), after=2**70) == []
        assert await seqs(praetorium, Selection(), before=0) == []
        assert await praetorium.chronicle.conversation(2**70) is None


@scene
async def test_a_day_loses_nothing_where_times_stand_out_of_order(tmp_path: Path) -> None:
    hours = (1, 25, 3, 2, 26, 4, 50, 5)  # the clock was set twice
    async with praetorium_in(tmp_path) as praetorium:
        await posted(
            praetorium,
            *(replace(said(str(number)), timestamp=at(hour)) for number, hour in enumerate(hours, start=1)),
        )

        assert await seqs(praetorium, Selection(since=at(0), until=at(24))) == [8, 6, 4, 3, 1]
        assert await seqs(praetorium, Selection("caesar", since=at(24), until=at(48)), 1) == [5]
        assert await seqs(praetorium, Selection("caesar", since=at(24), until=at(48)), before=5) == [2]
        assert await seqs(praetorium, Selection(since=at(60))) == []


@pytest.mark.parametrize("order", ["ASC", "DESC"])
@pytest.mark.parametrize(
    ("query", "index"),
    [
        (_EVERYBODY, "INTEGER PRIMARY KEY (rowid>? AND rowid<?)"),
        (_OF_ONE, "PRIMARY KEY (name=? AND seq>? AND seq<?)"),
        (_RUN, "COVERING INDEX nuntii_by_timestamp (timestamp>? AND timestamp<?)"),
        (_PICKED, "INTEGER PRIMARY KEY (rowid=?)"),
        (_ABOVE, "(id=?)"),
        (_AFTER, "INTEGER PRIMARY KEY (rowid>? AND rowid<?)"),
        (_ANSWERS, "(nuntius=?)"),
        (_NAMES, "PRIMARY KEY (name>?)"),
    ],
)
def test_nothing_is_asked_without_its_index(tmp_path: Path, query: str, index: str, order: str) -> None:
    given = ("[1]",) if query is _PICKED else (1,) if query is _ANSWERS else FIGURES

    @scene
    async def ask() -> None:
        async with praetorium_in(tmp_path) as praetorium:
            rows = await praetorium.database.rows(f"EXPLAIN QUERY PLAN {query.format(order=order)}", given)
        plan = [str(row["detail"]) for row in rows]

        assert any(step.startswith("SEARCH") and step.endswith(index) for step in plan), plan
        # What is scanned is what such a search has found before.
        assert not [step for step in plan if step.startswith("SCAN nuntii")], plan
        assert not [step for step in plan if step.startswith(("SCAN nuntius_audience", "SCAN heard"))], plan
        if query in (_EVERYBODY, _OF_ONE):
            assert not [step for step in plan if "TEMP B-TREE" in step], plan

    ask()


# --- conversations -------------------------------------------------------------------------------------


@scene
async def test_a_conversation_goes_up_to_its_beginning_and_down_to_every_answer(tmp_path: Path) -> None:
    async with praetorium_in(tmp_path) as praetorium:
        (first,) = await praetorium.turns.admit(said("how deep?"), ["vorenus"])
        reply = await praetorium.turns.end(first, answered("so deep", "vorenus", first.nuntius))
        assert reply is not None
        follow = said("how wide?", audience=("vorenus", "pullo"), reply_to=reply)
        asked = await praetorium.turns.admit(follow, ["vorenus", "pullo"])
        aside = await praetorium.nuntii.post(said("something else"))
        second = await praetorium.turns.end(asked[1], answered("so wide", "pullo", asked[1].nuntius))
        assert second is not None
        thanks = await praetorium.nuntii.post(said("thanks", reply_to=second))

        whole = await praetorium.chronicle.conversation(asked[0].nuntius.seq)
        top = await praetorium.chronicle.conversation(first.nuntius.seq)
        alone = await praetorium.chronicle.conversation(aside.seq)

    assert whole is not None
    assert whole.nuntius == asked[0].nuntius
    assert whole.above == (first.nuntius, reply)
    assert whole.below == (second, thanks)
    assert top is not None
    assert (top.above, [each.seq for each in top.below]) == ((), [2, 3, 5, 6])
    assert alone is not None
    assert (alone.above, alone.below, alone.more) == ((), (), False)


@scene
async def test_a_long_conversation_is_shown_in_part_and_says_so(tmp_path: Path) -> None:
    async with praetorium_in(tmp_path) as praetorium:
        last: Nuntius | None = None
        for number in range(MOST_ABOVE + MOST_BELOW + 10):
            last = await praetorium.nuntii.post(said(str(number), reply_to=last))

        bottom = await praetorium.chronicle.conversation(MOST_ABOVE + MOST_BELOW + 10)
        top = await praetorium.chronicle.conversation(1)

    assert bottom is not None
    assert [each.seq for each in bottom.above] == list(range(MOST_BELOW + 10, MOST_ABOVE + MOST_BELOW + 10))
    assert top is not None
    assert [each.seq for each in top.below] == list(range(2, MOST_BELOW + 2))
    assert (top.more, bottom.more) == (True, False)


@scene
async def test_an_agents_answer_is_found_however_late_it_came(tmp_path: Path) -> None:
    grow = """
        WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?)
        INSERT INTO nuntii (id, sender, text, audience, timestamp)
        SELECT n, 'caesar', 'meanwhile', '["legatus"]', ? FROM numbers
    """
    async with praetorium_in(tmp_path) as praetorium:
        (turn,) = await praetorium.turns.admit(said("how deep?"), ["vorenus"])
        await praetorium.database.change(grow, (REACH + 5, START.isoformat()))
        reply = await praetorium.turns.end(turn, answered("so deep", "vorenus", turn.nuntius))
        await praetorium.nuntii.post(said("too late to be looked for", reply_to=turn.nuntius))

        found = await praetorium.chronicle.conversation(1)

    assert found is not None
    assert found.below == (reply,)


# --- names ---------------------------------------------------------------------------------------------


@scene
async def test_everybody_who_ever_spoke_or_was_named_is_known(tmp_path: Path) -> None:
    async with praetorium_in(tmp_path) as praetorium:
        assert await praetorium.chronicle.names() == ()
        await posted(praetorium, said("a", audience=("pullo", "brutus")), said("b", "vorenus", ("caesar",)))
        assert await praetorium.chronicle.names() == ("brutus", "caesar", "pullo", "vorenus")
        await posted(praetorium, said("c", audience=("all",)))
        assert "all" in await praetorium.chronicle.names()


@scene
async def test_the_record_is_only_read(tmp_path: Path) -> None:
    async with praetorium_in(tmp_path) as praetorium:
        await posted(praetorium, said("one"))
        before = await praetorium.database.run(_changes)
        await praetorium.chronicle.page(Selection("caesar", since=START), 5)
        await praetorium.chronicle.conversation(1)
        await praetorium.chronicle.names()
        await praetorium.ledger.passages(1)

        assert await praetorium.database.run(_changes) == before


def _changes(connection: sqlite3.Connection) -> int:
    return connection.total_changes
