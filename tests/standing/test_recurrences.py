from datetime import date, timedelta

import pytest

from legio.standing.reader import NotUnderstood, Reader
from legio.standing.recurrences import Recurrence, recurrence

SATURDAY = date(2026, 11, 21)


def read(text: str) -> tuple[Recurrence | None, str]:
    reader = Reader(text)
    return recurrence(reader, SATURDAY), reader.rest


@pytest.mark.parametrize(
    ("text", "frequency", "interval", "by", "words"),
    [
        ("every day", "DAILY", 1, "", "every day"),
        ("daily", "DAILY", 1, "", "every day"),
        ("every other day", "DAILY", 2, "", "every 2 days"),
        ("every 3 days", "DAILY", 3, "", "every 3 days"),
        ("every evening", "DAILY", 1, "", "every day"),
        ("every Monday", "WEEKLY", 1, "BYDAY=MO", "every Monday"),
        ("each Monday", "WEEKLY", 1, "BYDAY=MO", "every Monday"),
        ("every Sunday evening", "WEEKLY", 1, "BYDAY=SU", "every Sunday"),
        ("every fri, mon and wed", "WEEKLY", 1, "BYDAY=MO,WE,FR", "every Monday, Wednesday and Friday"),
        ("every sat-mon", "WEEKLY", 1, "BYDAY=MO,SA,SU", "every Monday, Saturday and Sunday"),
        ("every weekday", "WEEKLY", 1, "BYDAY=MO,TU,WE,TH,FR", "every weekday"),
        ("every working day", "WEEKLY", 1, "BYDAY=MO,TU,WE,TH,FR", "every weekday"),
        ("every weekend", "WEEKLY", 1, "BYDAY=SA,SU", "every Saturday and Sunday"),
        ("every other Monday", "WEEKLY", 2, "BYDAY=MO", "every other Monday"),
        ("weekly", "WEEKLY", 1, "BYDAY=SA", "every week on Saturday"),
        ("every 2 weeks on Monday", "WEEKLY", 2, "BYDAY=MO", "every 2 weeks on Monday"),
        ("every month", "MONTHLY", 1, "BYMONTHDAY=21", "every month on the 21st"),
        ("every month on the 1st", "MONTHLY", 1, "BYMONTHDAY=1", "every month on the 1st"),
        ("every month on the first", "MONTHLY", 1, "BYMONTHDAY=1", "every month on the 1st"),
        ("every month on day 3", "MONTHLY", 1, "BYMONTHDAY=3", "every month on the 3rd"),
        (
            "every 1st and the 15th of the month",
            "MONTHLY",
            1,
            "BYMONTHDAY=1,15",
            "every month on the 1st and 15th",
        ),
        ("every 2nd day of the month", "MONTHLY", 1, "BYMONTHDAY=2", "every month on the 2nd"),
        ("every 11th", "MONTHLY", 1, "BYMONTHDAY=11", "every month on the 11th"),
        ("every last day of the month", "MONTHLY", 1, "BYMONTHDAY=-1", "every month on the last day"),
        ("every last Friday of the month", "MONTHLY", 1, "BYDAY=-1FR", "every month on the last Friday"),
        ("every 2nd Tuesday of each month", "MONTHLY", 1, "BYDAY=+2TU", "every month on the second Tuesday"),
        ("every 3 months on the last day", "MONTHLY", 3, "BYMONTHDAY=-1", "every 3 months on the last day"),
        ("yearly", "YEARLY", 1, "BYMONTH=11;BYMONTHDAY=21", "every year on 21 November"),
        ("every 24 December", "YEARLY", 1, "BYMONTH=12;BYMONTHDAY=24", "every year on 24 December"),
        ("every 24th of December", "YEARLY", 1, "BYMONTH=12;BYMONTHDAY=24", "every year on 24 December"),
        ("every year on Dec 24", "YEARLY", 1, "BYMONTH=12;BYMONTHDAY=24", "every year on 24 December"),
    ],
)
def test_what_recurs_is_read_as_people_write_it(
    text: str, frequency: str, interval: int, by: str, words: str
) -> None:
    found, rest = read(f"{text} survey")

    assert found is not None
    assert (found.frequency, found.interval, found.by, found.words) == (frequency, interval, by, words)
    assert rest == "survey"


@pytest.mark.parametrize(
    ("text", "words", "elapsed"),
    [
        ("every 20 minutes", "every 20 minutes", timedelta(minutes=20)),
        ("every 5 min", "every 5 minutes", timedelta(minutes=5)),
        ("every two hours", "every 2 hours", timedelta(hours=2)),
        ("every 2h", "every 2 hours", timedelta(hours=2)),
        ("hourly", "every hour", timedelta(hours=1)),
    ],
)
def test_minutes_and_hours_are_spans_of_time(text: str, words: str, elapsed: timedelta) -> None:
    found, _ = read(text)

    assert found is not None
    assert (found.words, found.elapsed) == (words, elapsed)


@pytest.mark.parametrize(
    ("text", "by", "words"),
    [
        (
            "every month on the 31st",
            "BYMONTHDAY=28,29,30,31;BYSETPOS=-1",
            "the 31st, or the last day before it",
        ),
        ("every 29 February", "BYMONTH=2;BYMONTHDAY=28,29;BYSETPOS=-1", "every year on 29 February"),
    ],
)
def test_a_day_that_not_every_month_has_is_the_last_one_before_it(text: str, by: str, words: str) -> None:
    found, _ = read(text)

    assert found is not None
    assert found.by == by
    assert words in found.words


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("every blue moon", "how often"),
        ("every", "how often"),
        ("every 0 days", "cannot come that often"),
        ("every month on the 1st and 31st", "a schedule of its own"),
        ("every month on the 32nd", "no month has a day 32"),
        ("every 30 February", "February has no day 30"),
    ],
)
def test_what_cannot_recur_is_refused(text: str, said: str) -> None:
    with pytest.raises(NotUnderstood, match=said):
        read(text)


@pytest.mark.parametrize("text", ["everyone at nine", "Monday", "day after day"])
def test_what_does_not_recur_is_left_unread(text: str) -> None:
    assert read(text) == (None, text)


@pytest.mark.parametrize("text", ["every second December", "every 3rd March"])
def test_an_ordinal_before_a_month_is_a_day_of_the_year_or_nothing(text: str) -> None:
    if "second" in text:
        with pytest.raises(NotUnderstood):
            read(text)
    else:
        found, _ = read(text)
        assert found is not None
        assert found.by == "BYMONTH=3;BYMONTHDAY=3"
