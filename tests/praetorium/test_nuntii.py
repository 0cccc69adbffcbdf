import asyncio
import sqlite3
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from legio.nuntius import Nuntius, visible
from legio.praetorium import Praetorium
from legio.praetorium.nuntii import _EVERYTHING, _EVERYTHING_OF_ONE, _VISIBLE, _VISIBLE_OF_ONE
from tests.praetorium.record import START, answered, parcel, praetorium_in, said
from tests.scenes import scene

NAMES = ("caesar", "legatus", "vorenus", "vorenu", "voren_s", "v%", "pullo", "brutus")
AUDIENCES = st.one_of(
    st.just(("all",)),
    st.just(()),
    st.lists(st.sampled_from([*NAMES, "all"]), unique=True, max_size=4).map(tuple),
)


async def texts(
    praetorium: Praetorium, viewer: str, limit: int = 50, *, after: int = 0, before: int | None = None
) -> list[str]:
    found = await praetorium.nuntii.latest(viewer, limit, after=after, before=before)
    return [nuntius.text for nuntius in found]


@scene
async def test_a_nuntius_comes_back_as_it_was_posted_with_its_seq(tmp_path: Path) -> None:
    question = said("Quid novi? 🏛", audience=("vorenus", "pullo"))
    async with praetorium_in(tmp_path) as praetorium:
        first = await praetorium.nuntii.post(question)
        second = await praetorium.nuntii.post(said("nihil", "vorenus", ("all",), reply_to=first))

        assert first == replace(question, seq=1)
        assert second.seq == 2
        assert await praetorium.nuntii.get(1) == first
        assert await praetorium.nuntii.get(2) == second
        assert await praetorium.nuntii.get(3) is None


@scene
async def test_a_seq_is_never_used_again(tmp_path: Path) -> None:
    async with praetorium_in(tmp_path) as praetorium:
        await praetorium.nuntii.post(said("one"))
        await praetorium.database.run(_delete_everything)

        assert (await praetorium.nuntii.post(said("two"))).seq == 2


def _delete_everything(connection: sqlite3.Connection) -> None:
    connection.execute("DELETE FROM nuntius_audience")
    connection.execute("DELETE FROM nuntii")


@scene
async def test_the_columns_are_what_an_owner_can_read(tmp_path: Path) -> None:
    async with praetorium_in(tmp_path) as praetorium:
        await praetorium.nuntii.post(said("salve", audience=("vorenus", "legatus")))
        rows = await praetorium.database.rows("SELECT * FROM nuntii")
        heard = await praetorium.database.rows("SELECT name, seq FROM nuntius_audience ORDER BY name")

    assert rows[0]["audience"] == '["vorenus","legatus"]'
    assert rows[0]["timestamp"] == "2026-11-21T03:04:05.123456+00:00"
    assert [tuple(row) for row in heard] == [("caesar", 1), ("legatus", 1), ("vorenus", 1)]


@scene
async def test_the_same_nuntius_cannot_be_written_twice(tmp_path: Path) -> None:
    async with praetorium_in(tmp_path) as praetorium:
        await praetorium.nuntii.post(said("once"))

        with pytest.raises(sqlite3.IntegrityError):
            await praetorium.nuntii.post(said("once"), [parcel("half")])

        assert await praetorium.outbox.due() == ()


@scene
async def test_a_reply_to_nothing_is_refused(tmp_path: Path) -> None:
    async with praetorium_in(tmp_path) as praetorium:
        with pytest.raises(sqlite3.IntegrityError):
            await praetorium.nuntii.post(said("answer", reply_to=said("never written")))

        assert await texts(praetorium, "caesar") == []


@scene
async def test_parcels_carry_the_nuntius_they_were_posted_with(tmp_path: Path) -> None:
    async with praetorium_in(tmp_path) as praetorium:
        first = await praetorium.nuntii.post(said("one"))
        await praetorium.nuntii.post(said("two"), [parcel("a"), parcel("b", seq=first.seq)])

        assert [dispatch.parcel for dispatch in await praetorium.outbox.due()] == [
            parcel("a", seq=2),
            parcel("b", seq=1),
        ]


@scene
async def test_the_newest_come_and_the_oldest_of_them_first(tmp_path: Path) -> None:
    async with praetorium_in(tmp_path) as praetorium:
        for number in range(1, 7):
            audience = ("all",) if number % 2 else ("vorenus",)
            await praetorium.nuntii.post(said(str(number), audience=audience))
        await praetorium.nuntii.post(said("for pullo", audience=("pullo",)))

        assert await texts(praetorium, "vorenus", 3) == ["4", "5", "6"]
        assert await texts(praetorium, "vorenus", 3, before=5) == ["2", "3", "4"]
        assert await texts(praetorium, "vorenus", 50, after=4) == ["5", "6"]
        assert await texts(praetorium, "vorenus", 50, after=2, before=4) == ["3"]
        assert await texts(praetorium, "legatus", 2) == ["6", "for pullo"]


@pytest.mark.parametrize("viewer", ["caesar", "vorenus"])
@pytest.mark.parametrize("limit", [0, -1])
def test_no_limit_means_nothing_rather_than_everything(tmp_path: Path, viewer: str, limit: int) -> None:
    @scene
    async def ask() -> None:
        async with praetorium_in(tmp_path) as praetorium:
            await praetorium.nuntii.post(said("one", audience=("all",)))
            assert await texts(praetorium, viewer, limit) == []

    ask()


@pytest.mark.parametrize("viewer", ["legatus", "vorenus"])
def test_those_left_out_do_not_use_up_the_limit(tmp_path: Path, viewer: str) -> None:
    @scene
    async def ask() -> None:
        async with praetorium_in(tmp_path) as praetorium:
            await praetorium.nuntii.post(said("heard", audience=("all",)))
            for number in range(10):
                await praetorium.nuntii.post(said(str(number), viewer, ("all",)))

            found = await praetorium.nuntii.latest(viewer, 5, without=viewer)

        assert [nuntius.text for nuntius in found] == ["heard"]

    ask()


@scene
async def test_a_name_is_matched_whole_and_exactly(tmp_path: Path) -> None:
    async with praetorium_in(tmp_path) as praetorium:
        await praetorium.nuntii.post(said("secret", audience=("vorenus",)))

        for viewer in ("vorenu", "vorenuss", "VORENUS", "v%", "voren_s", "*", "", '"vorenus"'):
            assert await texts(praetorium, viewer) == []


@scene
async def test_all_among_other_names_is_not_everyone(tmp_path: Path) -> None:
    nuntius = said("for two", audience=("all", "pullo"))
    async with praetorium_in(tmp_path) as praetorium:
        await praetorium.nuntii.post(nuntius)

        assert not visible("vorenus", nuntius)
        assert await texts(praetorium, "vorenus") == []
        assert await texts(praetorium, "pullo") == ["for two"]


@settings(max_examples=60, deadline=None)
@given(
    written=st.lists(st.tuples(st.sampled_from([*NAMES, "all"]), AUDIENCES), max_size=25),
    limit=st.integers(0, 12),
    after=st.integers(0, 12),
    before=st.none() | st.integers(0, 30),
    without=st.none() | st.sampled_from(NAMES),
    sender=st.none() | st.sampled_from(NAMES),
)
def test_what_sql_shows_is_what_the_rule_allows(
    written: list[tuple[str, tuple[str, ...]]],
    limit: int,
    after: int,
    before: int | None,
    without: str | None,
    sender: str | None,
) -> None:
    async def ask() -> None:
        with TemporaryDirectory() as folder:
            async with praetorium_in(Path(folder)) as praetorium:
                record = [
                    await praetorium.nuntii.post(said(str(number), sender, audience))
                    for number, (sender, audience) in enumerate(written)
                ]
                for viewer in (*NAMES, "stranger"):
                    shown = await praetorium.nuntii.latest(
                        viewer, limit, after=after, before=before, without=without, sender=sender
                    )
                    assert shown == expected(record, viewer)
                assert await praetorium.check() == ()

    def expected(record: list[Nuntius], viewer: str) -> tuple[Nuntius, ...]:
        allowed = [
            nuntius
            for nuntius in record
            if visible(viewer, nuntius)
            and after < nuntius.seq < (before if before is not None else len(record) + 1)
            and nuntius.sender != without
            and sender in (None, nuntius.sender)
        ]
        return tuple(allowed[-limit:] if limit else [])

    asyncio.run(ask())


@scene
async def test_a_message_in_finds_the_nuntius_of_caesar(tmp_path: Path) -> None:
    async with praetorium_in(tmp_path) as praetorium:
        turns = await praetorium.turns.admit(said("salve"), ["legatus"], message=41)

        assert await praetorium.nuntii.by_message(41) == turns[0].nuntius
        assert await praetorium.nuntii.by_message(42) is None


@scene
async def test_dispatches_are_counted_by_their_root(tmp_path: Path) -> None:
    async with praetorium_in(tmp_path) as praetorium:
        asked = await praetorium.turns.admit(said("both of you"), ["legatus", "pullo"])
        root = asked[0].root
        await praetorium.turns.admit(said("survey", "legatus", ("vorenus",)), ["vorenus"], root=root)
        await praetorium.turns.admit(said("go on", "vorenus", ("pullo",)), ["pullo"], root=root)
        await praetorium.turns.admit(said("something else"), ["legatus"])

        assert await praetorium.nuntii.dispatched(root) == 2
        assert await praetorium.nuntii.dispatched(99) == 0


@scene
async def test_a_text_that_utf8_cannot_hold_is_kept_as_far_as_it_can_be(tmp_path: Path) -> None:
    async with praetorium_in(tmp_path) as praetorium:
        posted = await praetorium.nuntii.post(replace(said("cut"), text="cut \udc00 here \x00 and on"))

        assert posted.text == "cut \ufffd here \x00 and on"
        assert await praetorium.nuntii.get(posted.seq) == posted


@scene
async def test_times_are_compared_in_utc_wherever_they_were_taken(tmp_path: Path) -> None:
    late = replace(said("late"), timestamp=START + timedelta(microseconds=1))
    async with praetorium_in(tmp_path) as praetorium:
        await praetorium.nuntii.post(late)
        await praetorium.nuntii.post(said("early"))
        rows = await praetorium.database.rows("SELECT text FROM nuntii ORDER BY timestamp")

    assert [row["text"] for row in rows] == ["early", "late"]


@pytest.mark.parametrize("query", [_VISIBLE, _VISIBLE_OF_ONE, _EVERYTHING, _EVERYTHING_OF_ONE])
def test_what_a_viewer_may_see_is_found_without_scanning_the_record(tmp_path: Path, query: str) -> None:
    @scene
    async def ask() -> None:
        values = {
            "viewer": "vorenus",
            "limit": 50,
            "after": 0,
            "before": 9,
            "without": None,
            "sender": "pullo",
        }
        async with praetorium_in(tmp_path) as praetorium:
            plan = [
                str(row["detail"])
                for row in await praetorium.database.rows(f"EXPLAIN QUERY PLAN {query}", values)
            ]

        assert not [step for step in plan if step.startswith("SCAN") and step != "SCAN newest"]
        assert [step for step in plan if step.startswith("SEARCH")]
        assert any("nuntii_by_sender" in step for step in plan) == (":sender" in query)

    ask()


@scene
async def test_a_reply_to_an_answer_finds_it(tmp_path: Path) -> None:
    async with praetorium_in(tmp_path) as praetorium:
        (turn,) = await praetorium.turns.admit(said("salve"), ["vorenus"])
        reply = await praetorium.turns.end(
            turn, answered("ave", "vorenus", turn.nuntius, parcel("1/2"), parcel("2/2"))
        )
        for number, dispatch in enumerate(await praetorium.outbox.due(), start=100):
            await praetorium.outbox.sent(dispatch, number)

        assert await praetorium.nuntii.by_message(100) == reply
        assert await praetorium.nuntii.by_message(101) == reply
