import asyncio
import contextlib
import tempfile
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from legio.errors import Refused
from legio.nuntius import ALL, CAESAR, LEGATUS, Nuntius, visible
from legio.ports import Found, Selection
from legio.praetorium import Praetorium
from legio.praetorium.search import MOST_KEPT, MOST_RANKED, MOST_TOKENS, understood
from tests.praetorium.record import START, answered, parcel, praetorium_in, said
from tests.scenes import scene

EVERYTHING = 100
AWKWARD = [
    '"', "'", '"tents', "tents AND", "NOT tents", "NEAR(tents river, 2)", "text:tents", "tents*", "^tents",
    "tents)", "(tents", "{tents}", "tents -river", "tents + river", "a\0b", "; DROP TABLE nuntii; --", "%",
    "_", "👀", "@", "@@", "@nobody tents", "…", "\\", "tents\n\nriver", "\ud800tents", "e\u0301t\u00e9", "ﬁ",
    "x" * 5000, " ".join(f"word{number}" for number in range(500)),
]  # fmt: skip


async def written(praetorium: Praetorium, *nuntii: Nuntius) -> list[Nuntius]:
    return [await praetorium.nuntii.post(nuntius) for nuntius in nuntii]


def texts(found: tuple[Found, ...]) -> list[str]:
    return [each.nuntius.text for each in found]


async def found(praetorium: Praetorium, words: str, viewer: str = CAESAR) -> list[str]:
    return texts((await praetorium.search.find(viewer, words, limit=EVERYTHING)).found)


@scene
async def test_a_nuntius_is_found_by_any_of_its_words_however_they_are_bent(tmp_path: Path) -> None:
    async with praetorium_in(tmp_path) as praetorium:
        await written(praetorium, said("He counted the tents at the café."), said("It rains."))

        for words in (
            "tent",
            "TENTS counting",
            "cafe",
            "cafe\u0301",
            "where is the nonsense tent",
            "he's counted",
        ):
            assert await found(praetorium, words) == ["He counted the tents at the café."], words
        assert await found(praetorium, "bridge") == []


@scene
async def test_the_best_comes_first_and_of_equals_the_newest(tmp_path: Path) -> None:
    async with praetorium_in(tmp_path) as praetorium:
        both, old, new = "the ford and the tents", "the ford is deep 1", "the ford is deep 2"
        await written(praetorium, said(both), said(old), said(new), *(said(f"noise {n}") for n in range(9)))

        assert await found(praetorium, "ford tents") == [both, new, old]


@scene
async def test_the_words_that_fit_are_marked_in_a_part_of_the_text(tmp_path: Path) -> None:
    async with praetorium_in(tmp_path) as praetorium:
        long = "x " * 400 + "many tents and a \x02river\x03" + " y" * 400
        await written(praetorium, said(long))
        (hit,) = (await praetorium.search.find(CAESAR, "tent rivers", limit=1)).found

    assert [hit.snippet[start:end] for start, end in hit.marks] == ["tents", "river"]
    assert len(hit.snippet) < 200
    assert hit.nuntius.text == long
    assert "\x02" not in hit.snippet


@scene
async def test_a_sender_and_a_first_day_narrow_it_down(tmp_path: Path) -> None:
    async with praetorium_in(tmp_path) as praetorium:
        later = Nuntius("later", "pullo", "tents, later", ("caesar",), START + timedelta(days=9))
        await written(praetorium, said("tents"), said("tents of his", "vorenus", ("caesar",)), later)

        assert await found(praetorium, "@Vorenus, tents") == ["tents of his"]
        assert await found(praetorium, "tents since:2026-11-25") == ["tents, later"]
        assert await found(praetorium, "since:2026-11-25 @vorenus tents") == []
        for wrong in ("yesterday", "2026-13-01", ""):
            with pytest.raises(Refused, match=r"is no day\..*since:2026-11-01"):
                await found(praetorium, f"tents since:{wrong}")


@scene
async def test_no_input_is_more_than_words(tmp_path: Path) -> None:
    async with praetorium_in(tmp_path) as praetorium:
        await written(praetorium, said("tents"))
        for words in AWKWARD:
            with contextlib.suppress(Refused):
                await praetorium.search.find("vorenus", words, limit=5)
        assert len(await praetorium.nuntii.latest(CAESAR, 5)) == 1


def test_stop_words_count_only_where_there_is_no_other_and_what_is_asked_is_bounded() -> None:
    assert understood("the The tents").tokens == ("tents",)
    assert understood("to be or not").tokens == ("to", "be", "or", "not")
    assert len(understood(" ".join(f"word{number}" for number in range(500))).tokens) == MOST_TOKENS
    assert understood("a since:2026-11-01 @Titus").since == datetime(2026, 11, 1, tzinfo=UTC)
    with pytest.raises(Refused, match="no word to look for"):
        understood("@vorenus since:2026-11-01")


WORDS = st.lists(st.sampled_from(["ford", "tents", "rain", "the"]), min_size=1, max_size=4).map(" ".join)
NAMES = ("vorenus", "pullo", "brutus")
AUDIENCES = st.one_of(
    st.just((ALL,)),
    st.lists(st.sampled_from([CAESAR, LEGATUS, ALL, *NAMES]), min_size=1, max_size=3, unique=True).map(tuple),
)
SAYINGS = st.lists(st.tuples(st.sampled_from([CAESAR, LEGATUS, *NAMES]), AUDIENCES, WORDS), max_size=25)


@settings(max_examples=25, deadline=None)
@given(SAYINGS, st.sampled_from(["ford", "tents rain"]), st.integers(1, 4))
def test_nobody_ever_finds_what_he_may_not_see_and_each_finds_all_that_he_may(
    sayings: list[tuple[str, tuple[str, ...], str]], words: str, page: int
) -> None:
    nuntii = [
        Nuntius(str(number), sender, text, audience, START)
        for number, (sender, audience, text) in enumerate(sayings)
    ]

    async def body() -> None:
        with tempfile.TemporaryDirectory() as folder:
            async with praetorium_in(Path(folder)) as praetorium:
                await written(praetorium, *nuntii)
                for viewer in (CAESAR, LEGATUS, *NAMES, "titus"):
                    may = {
                        it.id
                        for it in nuntii
                        if visible(viewer, it) and set(words.split()) & set(it.text.split())
                    }
                    ids: list[str] = []
                    while True:
                        hits = await praetorium.search.find(viewer, words, limit=page, offset=len(ids))
                        assert hits.total == len(may) or not hits.found
                        if not hits.found:
                            break
                        ids += [each.nuntius.id for each in hits.found]
                    assert len(ids) == len(may)
                    assert set(ids) == may

    asyncio.run(body())


@scene
async def test_of_words_that_stand_nearly_everywhere_the_newest_are_compared_and_a_rare_one_decides(
    tmp_path: Path,
) -> None:
    grow = """
        WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?)
        INSERT INTO nuntii (id, sender, text, audience, timestamp)
        SELECT n, 'caesar', CASE n WHEN 1 THEN 'tents at the ford' ELSE 'tents' END, '["all"]', ? FROM numbers
    """
    async with praetorium_in(tmp_path) as praetorium:
        await praetorium.database.change(grow, (MOST_RANKED + 5, START.isoformat()))

        rare = await praetorium.search.find(CAESAR, "tents ford", limit=2)
        frequent = await praetorium.search.find(CAESAR, "tents", limit=2)

    assert (texts(rare.found), rare.total) == (["tents at the ford"], 1)
    assert [each.nuntius.seq for each in frequent.found] == [MOST_RANKED + 5, MOST_RANKED + 4]
    assert frequent.total == MOST_RANKED


@scene
async def test_what_was_looked_for_is_remembered_with_its_last_nuntius(tmp_path: Path) -> None:
    async with praetorium_in(tmp_path) as praetorium:
        empty = await praetorium.search.keep("tents")
        await written(praetorium, said("tents"))
        kept = await praetorium.search.keep("tents \ud800")
        await written(praetorium, said("new tents"))
        hits = await praetorium.search.find(CAESAR, "tents", limit=5, last=kept.last)

        assert (empty.last, kept.last) == (0, 1)
        assert await praetorium.search.kept(kept.id) == kept
        assert texts(hits.found) == ["tents"]
        for _ in range(MOST_KEPT):
            await praetorium.search.keep("more")
        assert await praetorium.search.kept(kept.id) is None
        assert await praetorium.search.kept(2**70) is None


@scene
async def test_a_nuntius_is_shown_with_the_message_that_carried_it_first(tmp_path: Path) -> None:
    async with praetorium_in(tmp_path) as praetorium:
        (turn,) = await praetorium.turns.admit(said("how many tents?"), ["vorenus"], message=40)
        await praetorium.turns.end(turn, answered("Ten.", "vorenus", turn.nuntius, parcel("1"), parcel("2")))
        for number, dispatch in enumerate(await praetorium.outbox.due()):
            await praetorium.outbox.sent(dispatch, 50 - number)

        question, answer = await praetorium.search.shown(1), await praetorium.search.shown(2)
        assert await praetorium.search.shown(3) is None
        assert await praetorium.search.shown(2**70) is None

    assert question is not None
    assert answer is not None
    assert (question.snippet, question.message) == ("how many tents?", 40)
    assert (answer.snippet, answer.message) == ("Ten.", 49)


@scene
async def test_the_words_follow_a_nuntius_that_is_changed_or_taken_away(tmp_path: Path) -> None:
    async with praetorium_in(tmp_path) as praetorium:
        await written(praetorium, said("tents"), said("bridges"))
        await praetorium.database.change("UPDATE nuntii SET text = 'fords' WHERE seq = 1")
        await praetorium.database.change("DELETE FROM nuntius_audience WHERE seq = 2")
        await praetorium.database.change("DELETE FROM nuntii WHERE seq = 2")

        assert await found(praetorium, "tents bridges") == []
        assert await found(praetorium, "ford") == ["fords"]


@scene
async def test_a_selection_narrows_it_down_to_whom_it_names_and_to_a_span(tmp_path: Path) -> None:
    def tents(text: str, sender: str, audience: tuple[str, ...], hours: int) -> Nuntius:
        return replace(said(text, sender, audience), timestamp=START + timedelta(hours=hours))

    record = (
        tents("tents 1", CAESAR, ("vorenus",), 0),
        tents("tents 2", "vorenus", (CAESAR,), 1),
        tents("tents 3", CAESAR, (ALL,), 2),
        tents("tents 4", CAESAR, ("vorenus",), 48),
    )
    day = (START, START + timedelta(hours=24))

    async with praetorium_in(tmp_path) as praetorium:
        await written(praetorium, *record)

        async def seqs(within: Selection, words: str = "tents") -> list[int]:
            hits = await praetorium.search.find(CAESAR, words, limit=EVERYTHING, within=within)
            assert hits.total == len(hits.found)
            return sorted(each.nuntius.seq for each in hits.found)

        assert await seqs(Selection("vorenus")) == [1, 2, 4]
        assert await seqs(Selection("all")) == [3]
        assert await seqs(Selection(None, *day)) == [1, 2, 3]
        assert await seqs(Selection("vorenus", *day)) == [1, 2]
        assert await seqs(Selection("vorenus", *day), "tents @caesar") == [1]
        assert await seqs(Selection("vorenus", START), "tents since:2026-11-22") == [4]
        assert await seqs(Selection("vorenus", START + timedelta(days=1)), "tents since:2026-11-01") == [4]
        assert await seqs(Selection("pullo")) == []
        assert await seqs(Selection(since=START + timedelta(days=9))) == []
