import pytest

from legio.standing.reader import (
    MONTH,
    MONTHS,
    NUMBERS,
    WEEKDAY,
    WEEKDAYS,
    NotUnderstood,
    Reader,
    month,
    number,
    weekday,
)


def test_what_is_read_is_behind_and_the_rest_before() -> None:
    reader = Reader("  One   two THREE")

    assert reader.take(r"one\b")
    assert reader.take(r"three\b") is None
    assert reader.rest == "two THREE"
    assert reader.take(r"two\s+three\b")
    assert reader.rest == ""


def test_an_attempt_that_finds_nothing_has_read_nothing() -> None:
    reader = Reader("one two")

    def both(reader: Reader, last: str) -> str | None:
        reader.take("one")
        return last if reader.take(last) else None

    assert reader.attempt(both, "three") is None
    assert reader.rest == "one two"
    assert reader.attempt(both, "two") == "two"
    assert reader.rest == ""


@pytest.mark.parametrize(("day", "name"), list(enumerate(WEEKDAYS)))
def test_weekdays_are_read_whole_and_short(day: int, name: str) -> None:
    for written in (name, name.upper(), name[:3], f"{name[:3]}.", f"{name}s"):
        found = Reader(written).take(WEEKDAY)
        assert found is not None, written
        assert weekday(found["weekday"]) == day


@pytest.mark.parametrize(("index", "name"), list(enumerate(MONTHS, 1)))
def test_months_are_read_whole_and_short(index: int, name: str) -> None:
    for written in (name, name.lower(), name[:3]):
        found = Reader(written).take(MONTH)
        assert found is not None, written
        assert month(found["month"]) == index


@pytest.mark.parametrize("word", ["month", "sunny", "friend", "wedding", "mondayish"])
def test_a_word_that_begins_like_a_weekday_is_none(word: str) -> None:
    assert Reader(word).take(WEEKDAY) is None


def test_numbers_are_read_in_words_and_digits() -> None:
    assert [number(word.upper()) for word in NUMBERS] == list(range(13))
    assert number("120") == 120


def test_what_is_not_understood_comes_with_examples() -> None:
    assert "every Monday 8:00" in str(NotUnderstood("that is nothing."))
