"""Offsets in UTF-16 units, and entities that Telegram takes as they are."""

import pytest

from legio.bot.piece import Entity, Piece, sendable, tidy, utf16_length, utf16_positions


@pytest.mark.parametrize(("text", "units"), [("", 0), ("ab", 2), ("é漢", 2), ("😀", 2), ("a😀b", 4)])
def test_length_is_counted_in_utf16_units(text: str, units: int) -> None:
    assert utf16_length(text) == units == utf16_positions(text)[-1]


def test_positions_say_where_each_character_begins() -> None:
    assert utf16_positions("a😀b") == [0, 1, 3, 4]


def test_a_prefix_moves_the_entities() -> None:
    piece = Piece("b", (Entity("bold", 0, 1),)).after(Piece("😀", (Entity("italic", 0, 2),)))
    assert piece == Piece("😀b", (Entity("italic", 0, 2), Entity("bold", 2, 1)))


def test_a_part_clips_what_reaches_beyond_it() -> None:
    piece = Piece("😀abcd", (Entity("bold", 0, 4), Entity("code", 5, 1)))
    assert piece.part(1, 4) == Piece("abc", (Entity("bold", 0, 2),))


def test_what_telegram_refuses_is_taken_out_of_a_text() -> None:
    assert sendable("a\r\nb\rc\0d\ud83d\ude00e\ud800") == "a\nb\ncd😀e\ufffd"


def kinds(text: str, *entities: Entity) -> list[tuple[str, int, int]]:
    return [(it.type, it.offset, it.length) for it in tidy(text, entities)]


def test_entities_are_clipped_to_the_text_and_empty_ones_dropped() -> None:
    assert kinds("abc", Entity("bold", 1, 9), Entity("italic", 3, 2)) == [("bold", 1, 2)]


def test_a_link_that_cannot_be_followed_is_dropped() -> None:
    assert (
        kinds(
            "a",
            Entity("text_link", 0, 1, "a@b.c"),
            Entity("text_link", 0, 1, "http://"),
            Entity("text_link", 0, 1),
        )
        == []
    )


def test_a_link_wins_over_code_of_the_same_extent() -> None:
    link = Entity("text_link", 0, 1, "https://e.org")
    assert tidy("a", [Entity("code", 0, 1), link]) == (link,)


def test_a_style_goes_around_code_and_not_through_it() -> None:
    entities = (Entity("bold", 0, 5), Entity("code", 0, 1), Entity("code", 2, 1), Entity("code", 6, 1))
    assert kinds("abcdefg", *entities) == [
        ("code", 0, 1), ("bold", 1, 1), ("code", 2, 1), ("bold", 3, 2), ("code", 6, 1),
    ]  # fmt: skip


def test_a_style_wholly_in_code_disappears() -> None:
    assert kinds("abc", Entity("pre", 0, 3), Entity("bold", 1, 2)) == [("pre", 0, 3)]


def test_the_same_style_twice_is_one() -> None:
    assert kinds("abcd", Entity("bold", 0, 3), Entity("bold", 1, 3), Entity("bold", 2, 1)) == [("bold", 0, 4)]


def test_of_nested_quotes_the_outer_stays() -> None:
    assert kinds("abc", Entity("blockquote", 0, 3), Entity("blockquote", 1, 1)) == [("blockquote", 0, 3)]
