from datetime import date, time

import pytest

from legio.standing.dates import months_later, named_day
from legio.standing.reader import NotUnderstood, Reader

SATURDAY = date(2026, 11, 21)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("today", date(2026, 11, 21)),
        ("tomorrow", date(2026, 11, 22)),
        ("the day after tomorrow", date(2026, 11, 23)),
        ("next week", date(2026, 11, 28)),
        ("next month", date(2026, 12, 21)),
        ("next year", date(2027, 11, 21)),
        ("Monday", date(2026, 11, 23)),
        ("on Mon", date(2026, 11, 23)),
        ("Saturday", date(2026, 11, 21)),
        ("next Saturday", date(2026, 11, 28)),
        ("this Sunday", date(2026, 11, 22)),
        ("2026-12-24", date(2026, 12, 24)),
        ("24 December", date(2026, 12, 24)),
        ("the 24th of December 2027", date(2027, 12, 24)),
        ("December 24th, 2027", date(2027, 12, 24)),
        ("Dec 24", date(2026, 12, 24)),
        ("1 March", date(2027, 3, 1)),
        ("29 February", date(2028, 2, 29)),
        ("24.12.", date(2026, 12, 24)),
        ("24.12.2027", date(2027, 12, 24)),
        ("24/12", date(2026, 12, 24)),
        ("12/24/2027", date(2027, 12, 24)),
        ("5/5", date(2027, 5, 5)),
        ("on the 1st", date(2026, 12, 1)),
        ("the 31st", date(2026, 12, 31)),
        ("Thursday, 24 December 2026", date(2026, 12, 24)),
    ],
)
def test_a_day_is_read_as_people_write_it(text: str, expected: date) -> None:
    reader = Reader(text)
    found = named_day(reader, SATURDAY)

    assert found is not None
    assert (found.day, reader.rest) == (expected, "")


@pytest.mark.parametrize(
    ("text", "part", "usual"),
    [
        ("tonight", "night", time(20)),
        ("this evening", "evening", time(19)),
        ("tomorrow morning", "morning", time(9)),
        ("tomorrow in the afternoon", "afternoon", time(15)),
        ("Monday evening", "evening", time(19)),
        ("24 December evening", "evening", time(19)),
        ("tomorrow", "", None),
    ],
)
def test_a_part_of_the_day_stands_for_a_time(text: str, part: str, usual: time | None) -> None:
    found = named_day(Reader(text), SATURDAY)

    assert found is not None
    assert (found.part, found.usual) == (part, usual)


def test_a_weekday_and_a_day_without_its_year_have_another_if_their_time_has_passed() -> None:
    weekday, yearly = named_day(Reader("Saturday"), SATURDAY), named_day(Reader("21 November"), SATURDAY)
    dated = named_day(Reader("2026-11-21"), SATURDAY)

    assert weekday is not None
    assert yearly is not None
    assert dated is not None
    assert (weekday.later, yearly.later, dated.later) == (date(2026, 11, 28), date(2027, 11, 21), None)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("2026-02-30", "there is no day 2026-02-30"),
        ("30 February", "there is no day"),
        ("3/4", "may be two days"),
        ("the 32nd", "no month has a day 32"),
        ("Tuesday 24 December 2026", "24 December 2026 is a Thursday"),
        ("9999-12-31", "too far away"),
        ("0000-01-01", "too far away"),
    ],
)
def test_a_day_that_cannot_be_is_refused(text: str, said: str) -> None:
    with pytest.raises(NotUnderstood, match=said):
        named_day(Reader(text), SATURDAY)


@pytest.mark.parametrize("text", ["may the force be with you", "5 apples", "market", "x", "next time"])
def test_what_is_no_day_is_left_unread(text: str) -> None:
    reader = Reader(text)

    assert named_day(reader, SATURDAY) is None
    assert reader.rest == text


def test_a_month_later_is_the_last_day_where_the_month_is_shorter() -> None:
    assert months_later(date(2027, 1, 31), 1) == date(2027, 2, 28)
    assert months_later(date(2026, 12, 15), 1) == date(2027, 1, 15)
