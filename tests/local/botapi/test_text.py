from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from legio.local.botapi.text import TEXT_LIMIT, Entity, Text, formatted, pieces, utf16_length
from legio.local.botapi.wire import Refusal


def text(plain: str, *entities: Any, limit: int = TEXT_LIMIT) -> Text:
    return formatted(plain, entities, limit=limit, too_long="message is too long")


def entity(kind: str, offset: int, length: int, **detail: Any) -> dict[str, Any]:
    return {"type": kind, "offset": offset, "length": length, **detail}


def spans(content: Text) -> list[tuple[str, str]]:
    units = content.plain.encode("utf-16-le")
    return [(e.type, units[2 * e.offset : 2 * e.end].decode("utf-16-le")) for e in content.entities]


def test_lengths_count_utf16_units() -> None:
    assert [utf16_length(sample) for sample in ("", "a", "é", "⚔️", "🦅", "👨‍💻")] == [0, 1, 1, 2, 2, 5]


def test_half_a_surrogate_pair_is_refused() -> None:
    with pytest.raises(Refusal, match="must be encoded in UTF-8"):
        text("\ud83e")


def test_4096_units_pass_and_one_more_does_not() -> None:
    assert utf16_length(text("🦅" * 2048).plain) == TEXT_LIMIT
    with pytest.raises(Refusal, match="message is too long"):
        text("🦅" * 2048 + "a")


@pytest.mark.parametrize(
    ("given_entity", "words"),
    [
        (entity("bold", 0, 0), "wrong offset or length"),
        (entity("bold", 0, -1), "wrong offset or length"),
        (entity("bold", -1, 2), "wrong offset or length"),
        (entity("bold", 0, 7), "ends after the end of the text at UTF-16 offset 7"),
        (entity("bold", 6, 1), "ends after the end of the text"),
        (entity("bold", 3, 1), "begins in a middle of a UTF-16 symbol"),
        (entity("bold", 0, 3), "ends in a middle of a UTF-16 symbol"),
        (entity("sparkle", 0, 2), "Unsupported type specified"),
        (entity("bold", 0, 2) | {"offset": "0"}, "must be of type Number"),
        (entity("bold", 0, 2) | {"length": None}, "must be of type Number"),
        (entity("text_link", 0, 2, url="localhost"), "entity URL 'localhost' is invalid: Wrong HTTP URL"),
        (entity("text_link", 0, 2, url="javascript:alert(1)"), "is invalid"),
        (entity("text_link", 0, 2), "entity URL '' is invalid"),
        ("bold", "expected an Object"),
    ],
)
def test_an_entity_that_does_not_fit_is_refused(given_entity: Any, words: str) -> None:
    with pytest.raises(Refusal, match=words):
        text("ab🦅cd", given_entity)


def test_entities_may_nest_and_may_not_cross() -> None:
    nested = text("abcdefghijkl", entity("bold", 0, 8), entity("italic", 2, 3), entity("code", 9, 2))
    assert spans(nested) == [("bold", "abcdefgh"), ("italic", "cde"), ("code", "jk")]
    with pytest.raises(Refusal, match="beginning at UTF-16 offset 3 ends after the end"):
        text("abcdefghijkl", entity("bold", 0, 6), entity("italic", 3, 9))


def test_a_hundred_entities_pass_and_one_more_does_not() -> None:
    plain = "ab" * 101
    entities = [entity("bold", 2 * index, 1) for index in range(101)]
    assert len(text(plain, *entities[:100]).entities) == 100
    with pytest.raises(Refusal, match="ENTITIES_TOO_LONG"):
        text(plain, *entities)


def test_all_details_of_an_entity_come_back() -> None:
    content = text(
        "a b c d",
        entity("pre", 0, 1, language="python"),
        entity("text_link", 2, 1, url="https://example.org"),
        entity("custom_emoji", 4, 1, custom_emoji_id="5"),
        entity("text_mention", 6, 1, user={"id": 9}),
    )
    assert [e.wire() for e in content.entities] == [
        {"type": "pre", "offset": 0, "length": 1, "language": "python"},
        {"type": "text_link", "offset": 2, "length": 1, "url": "https://example.org"},
        {"type": "custom_emoji", "offset": 4, "length": 1, "custom_emoji_id": "5"},
        {
            "type": "text_mention",
            "offset": 6,
            "length": 1,
            "user": {"id": 9, "is_bot": False, "first_name": ""},
        },
    ]


def test_white_space_at_both_ends_goes_and_entities_stay_on_their_words() -> None:
    assert spans(text("\n  one two \n", entity("bold", 3, 3), entity("italic", 7, 5))) == [
        ("bold", "one"),
        ("italic", "two"),
    ]


def test_trimming_does_not_cut_into_an_entity_at_the_beginning() -> None:
    assert text("   x", entity("code", 1, 3)).plain == "  x"


def test_an_entity_of_white_space_at_the_end_goes_with_it() -> None:
    assert text("x  ", entity("bold", 1, 2)) == Text("x")


def test_white_space_alone_is_nothing() -> None:
    assert text(" \n ", entity("bold", 1, 1)) == Text("")


def test_telegram_marks_what_it_finds_by_itself() -> None:
    found = text(
        "/start@legio_bot @vorenus see https://example.org/a?b=1, mail me@example.org #rome no/t a@b"
    )
    assert spans(found) == [
        ("bot_command", "/start@legio_bot"),
        ("mention", "@vorenus"),
        ("url", "https://example.org/a?b=1"),
        ("email", "me@example.org"),
        ("hashtag", "#rome"),
    ]


def test_nothing_is_found_in_code_and_offsets_behind_emoji_are_right() -> None:
    content = text("🦅 @vorenus @pullo", entity("code", 3, 8))
    assert spans(content) == [("code", "@vorenus"), ("mention", "@pullo")]
    assert content.entities[1].offset == 12


def test_a_found_word_inside_bold_is_marked_and_one_across_its_edge_is_not() -> None:
    assert spans(text("@vorenus", entity("bold", 0, 8))) == [("bold", "@vorenus"), ("mention", "@vorenus")]
    assert spans(text("@vorenus", entity("bold", 0, 4))) == [("bold", "@vor")]


def test_entities_that_telegram_finds_itself_are_ignored_when_given() -> None:
    assert text("plain", entity("mention", 0, 5)).entities == ()


@settings(deadline=None)  # a busy machine is no failure
@given(st.text(max_size=60), st.integers(min_value=2, max_value=9))
def test_pieces_lose_nothing_and_fit(plain: str, limit: int) -> None:
    cut = pieces(plain, limit)
    assert "".join(cut) == plain
    assert all(len(piece.encode("utf-16-le", "surrogatepass")) // 2 <= limit for piece in cut)


@settings(deadline=None)  # a busy machine is no failure
@given(st.text(st.characters(codec="utf-8"), max_size=80))
def test_what_is_found_always_fits_the_text(plain: str) -> None:
    content = text(plain)
    formats = [e.wire() | {"type": "bold"} for e in content.entities]
    assert text(content.plain, *formats).plain == content.plain


def test_an_entity_knows_its_end() -> None:
    assert Entity("bold", 3, 4).end == 7
