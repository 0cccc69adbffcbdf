from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from hypothesis import given
from hypothesis import strategies as st

from legio.bot.piece import TEXT_UNITS, utf16_length
from legio.bot.results import PER_PAGE, pages, quotation, results
from legio.nuntius import Nuntius
from legio.ports import Found, Hits, Sought

NOON = datetime(2026, 11, 21, 12, 30, tzinfo=UTC)
ZURICH = ZoneInfo("Europe/Zurich")
SOUGHT = Sought(7, "tents", 40)


def found(seq: int, snippet: str = "tents", marks: tuple[tuple[int, int], ...] = ((0, 5),)) -> Found:
    return Found(Nuntius(str(seq), "vorenus", snippet, ("caesar",), NOON, seq=seq), snippet, marks, 900 + seq)


def test_a_page_names_who_said_it_when_and_shows_the_words_in_bold() -> None:
    page = results(SOUGHT, Hits((found(3, "🦅 many\ntents", ((7, 12),)), found(4)), 2), 1, ZURICH)
    assert page.text == (
        "🔎 tents · 2 found\n\n1 · vorenus → caesar · 2026-11-21\n🦅 many tents"
        "\n\n2 · vorenus → caesar · 2026-11-21\ntents"
    )
    units = page.text.encode("utf-16-le")
    bold = [units[2 * it.offset : 2 * it.end].decode("utf-16-le") for it in page.entities]
    assert bold == ["tents", "tents"]
    assert [[(it.label, it.data) for it in row] for row in page.buttons] == [
        [("1", "found:3"), ("2", "found:4")]
    ]


def test_several_pages_can_be_turned_both_ways() -> None:
    def paging(number: int) -> list[tuple[str, str]]:
        hits = Hits(tuple(found(seq) for seq in range(PER_PAGE)), 3 * PER_PAGE)
        return [(it.label, it.data) for it in results(SOUGHT, hits, number, UTC).buttons[1]]

    assert paging(1) == [("1/3", "search:7:1"), ("›", "search:7:2")]
    assert paging(2) == [("‹", "search:7:1"), ("2/3", "search:7:2"), ("›", "search:7:3")]
    assert paging(3) == [("‹", "search:7:2"), ("3/3", "search:7:3")]
    assert [pages(total) for total in (0, 1, 5, 6)] == [1, 1, 1, 2]


def test_nothing_found_is_said() -> None:
    page = results(Sought(0, "tents\nand more", 0), Hits((), 0), 1, UTC)
    assert page.text == "🔎 tents and more\n\nNothing was found."
    assert page.buttons == ()


def test_a_quotation_replies_to_the_message_and_is_cut_where_it_is_too_long() -> None:
    short = quotation(found(3), UTC)
    assert (short.text, short.reply_to) == ("vorenus → caesar · 2026-11-21 12:30\n\ntents", 903)
    assert quotation(found(3, "🦅 " * 4000, ()), UTC).text.endswith(" …")


@given(
    st.lists(
        st.tuples(st.text(max_size=600), st.integers(0, 600), st.integers(1, 50)), min_size=1, max_size=5
    )
)
def test_whatever_was_said_a_page_is_one_message_and_every_mark_lies_in_it(
    said: list[tuple[str, int, int]],
) -> None:
    hits = tuple(
        found(2**62 + number, snippet, ((start, start + length),))
        for number, (snippet, start, length) in enumerate(said)
    )
    page = results(Sought(2**62, "x" * 4000, 0), Hits(hits, 2**31), 2**31 // PER_PAGE, UTC)
    assert 0 < utf16_length(page.text) <= TEXT_UNITS
    assert all(it.length > 0 and it.end <= utf16_length(page.text) for it in page.entities)
    assert all(len(button.data.encode()) <= 64 for row in page.buttons for button in row)
    assert utf16_length(quotation(hits[0], UTC).text) <= TEXT_UNITS
