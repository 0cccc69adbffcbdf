from datetime import datetime, timedelta

import pytest

from legio.standing.reader import NotUnderstood, Reader
from legio.standing.spans import Moment, span
from legio.zones import local
from tests.standing.clock import MOMENT, SATURDAY, ZURICH, wall


@pytest.mark.parametrize(
    ("text", "minutes"),
    [
        ("in 20 minutes", 20),
        ("in 20m", 20),
        ("in half an hour", 30),
        ("in an hour", 60),
        ("in one hour", 60),
        ("in an hour and a half", 90),
        ("in 1h30", 90),
        ("in 1h 30m", 90),
        ("in 1 hour, 30 minutes", 90),
        ("in 2 hours and 5 minutes", 125),
        ("in 1.5 hours", 90),
        ("in 90 seconds", 1.5),
    ],
)
def test_a_span_of_time_is_counted_from_now(text: str, minutes: float) -> None:
    reader = Reader(f"{text} tea")

    assert span(reader, MOMENT) == SATURDAY + timedelta(minutes=minutes)
    assert reader.rest == "tea"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("in 3 days", wall("2026-11-24 18:00:12")),
        ("in 3 days at nine", wall("2026-11-24 09:00")),
        ("in two weeks", wall("2026-12-05 18:00:12")),
        ("in a month", wall("2026-12-21 18:00:12")),
        ("in 2 years", wall("2028-11-21 18:00:12")),
        ("in 1 day and 2 hours", wall("2026-11-22 20:00:12")),
    ],
)
def test_days_are_counted_in_the_calendar(text: str, shown: datetime) -> None:
    found = span(Reader(text), MOMENT)

    assert found is not None
    assert local(found, ZURICH) == shown


def test_a_day_later_is_at_the_same_time_though_the_clocks_are_set_forward() -> None:
    before = datetime(2026, 3, 28, 12, 0, tzinfo=ZURICH)

    found = span(Reader("in a day"), Moment(before, ZURICH))

    assert found is not None
    assert found - before == timedelta(hours=23)
    assert local(found, ZURICH) == wall("2026-03-29 12:00")


@pytest.mark.parametrize("text", ["in 1.5 days", "in 9999 years", "in half a year"])
def test_a_span_that_cannot_be_counted_is_refused(text: str) -> None:
    with pytest.raises(NotUnderstood):
        span(Reader(text), MOMENT)


@pytest.mark.parametrize("text", ["in the evening", "in Rome", "20 minutes", "in 5 apples"])
def test_what_is_no_span_is_none(text: str) -> None:
    assert span(Reader(text), MOMENT) is None
