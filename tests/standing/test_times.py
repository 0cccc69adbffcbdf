from datetime import time

import pytest

from legio.standing.reader import NotUnderstood, Reader
from legio.standing.times import clock_time, time_of_day


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("8:00", time(8)),
        ("at 8", time(8)),
        ("at 8 call", time(8)),
        ("at 9.30", time(9, 30)),
        ("08:00:00", time(8)),
        ("18h30", time(18, 30)),
        ("18h", time(18)),
        ("9am", time(9)),
        ("9 a.m.", time(9)),
        ("12am", time(0)),
        ("12pm", time(12)),
        ("9:30 PM", time(21, 30)),
        ("noon", time(12)),
        ("midday", time(12)),
        ("midnight", time(0)),
        ("at nine", time(9)),
        ("at nine thirty", time(9, 30)),
        ("at nine forty-five", time(9, 45)),
        ("nine o'clock", time(9)),
        ("half past nine", time(9, 30)),
        ("quarter past 9", time(9, 15)),
        ("a quarter to ten", time(9, 45)),
        ("ten minutes past nine", time(9, 10)),
        ("twenty to one", time(0, 40)),
        ("10 to 1 pm", time(12, 50)),
        ("at 9 in the evening", time(21)),
        ("at 9 in the morning", time(9)),
        ("at 3 in the afternoon", time(15)),
        ("at 11 at night", time(23)),
        ("at 2 at night", time(2)),
        ("9", time(9)),
    ],
)
def test_a_time_is_read_as_people_write_it(text: str, expected: time) -> None:
    assert time_of_day(Reader(text)) == expected


@pytest.mark.parametrize(
    "text", ["5 apples", "nine lives", "at home", "24.12.", "2026-12-24", "half full", "8:0", "9:300"]
)
def test_what_is_no_time_is_left_unread(text: str) -> None:
    reader = Reader(text)

    assert time_of_day(reader) is None
    assert reader.rest == text


@pytest.mark.parametrize("text", ["25:00", "8:60", "13pm", "0am", "at 24"])
def test_a_time_that_cannot_be_is_refused(text: str) -> None:
    with pytest.raises(NotUnderstood, match="is no time"):
        time_of_day(Reader(text))


def test_an_hour_is_meant_in_the_part_of_the_day_named_before() -> None:
    assert time_of_day(Reader("at 8"), part="evening") == time(20)
    assert time_of_day(Reader("at 8"), part="morning") == time(8)
    assert time_of_day(Reader("20:30"), part="evening") == time(20, 30)


def test_a_clock_time_is_the_whole_text() -> None:
    assert clock_time(" 22:00 ") == time(22)
    assert clock_time("7") == time(7)
    assert clock_time("22:00 or so") is None
    assert clock_time("") is None
