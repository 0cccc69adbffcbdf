from contextlib import suppress
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from legio.standing.reader import NotUnderstood
from legio.standing.spans import Moment
from legio.standing.understanding import When, said, when, when_and_text, written
from legio.zones import local
from tests.standing.clock import MOMENT, SATURDAY, ZURICH, wall

VOCABULARY = (
    *(
        "every",
        "each",
        "day",
        "Monday",
        "mon",
        "8:00",
        "at",
        "nine",
        "half",
        "past",
        "in",
        "an",
        "hour",
        "20",
    ),
    *("minutes", "month", "on", "the", "1st", "last", "of", "tomorrow", "tonight", "next", "week", "24", ","),
    *("December", "2026-12-24", "T", "18:00", "pm", "and", "0", "99", "31st", "9999", "other", ":", "to"),
    "@vorenus",
)
WORDS = st.sampled_from(VOCABULARY)


@pytest.mark.parametrize(
    ("text", "due", "rest"),
    [
        ("tomorrow at nine call Livia", "11-22 09:00", "call Livia"),
        ("call Livia tomorrow at nine", "11-22 09:00", "call Livia"),
        ("tomorrow call Livia at nine", "11-22 09:00", "call Livia"),
        ("tomorrow 8:00 meet me at nine", "11-22 08:00", "meet me at nine"),
        ("in 20 minutes meet me at nine", "11-21 18:20", "meet me at nine"),
        ("at nine tomorrow: call Livia", "11-22 09:00", "call Livia"),
        ("tomorrow, 8pm, dine", "11-22 20:00", "dine"),
        ("at nine call", "11-22 09:00", "call"),
        ("at 21 call", "11-21 21:00", "call"),
        ("tonight\nread\nthe letters", "11-21 20:00", "read\nthe letters"),
        ("tomorrow evening at 8 dine", "11-22 20:00", "dine"),
        ("2026-12-24 18:00 gifts", "12-24 18:00", "gifts"),
        ("2026-12-24T18:00 gifts", "12-24 18:00", "gifts"),
        ("2026-12-24T18:00:00Z gifts", "12-24 19:00", "gifts"),
        ("2026-12-24T18:00+0100 gifts", "12-24 18:00", "gifts"),
        ("Saturday at 18:00 rest", "11-28 18:00", "rest"),
        ("Saturday at 19:00 rest", "11-21 19:00", "rest"),
        ("Monday 23 November 2026 08:00 Europe/Zurich march", "11-23 08:00", "march"),
        ("tomorrow", "11-22 09:00", ""),
    ],
)
def test_the_time_is_told_from_the_text(text: str, due: str, rest: str) -> None:
    found, left = when_and_text(text, MOMENT)

    assert f"{local(found.due, ZURICH):%m-%d %H:%M}" == due
    assert left == rest
    assert found.rule is None


@pytest.mark.parametrize(
    ("text", "full"),
    [
        ("every Monday 8:00", "Monday 23 November 2026 08:00 Europe/Zurich, then every Monday at 08:00"),
        ("at 8:00 every Monday", "Monday 23 November 2026 08:00 Europe/Zurich, then every Monday at 08:00"),
        ("every weekday 7:30", "Monday 23 November 2026 07:30 Europe/Zurich, then every weekday at 07:30"),
        ("every 2 hours", "Saturday 21 November 2026 20:00 Europe/Zurich, then every 2 hours"),
        ("every other day 8:00", "Sunday 22 November 2026 08:00 Europe/Zurich, then every 2 days at 08:00"),
        ("every evening", "Saturday 21 November 2026 19:00 Europe/Zurich, then every day at 19:00"),
        (
            "every month on the 1st 9:00",
            "Tuesday 1 December 2026 09:00 Europe/Zurich, then every month on the 1st at 09:00",
        ),
    ],
)
def test_what_recurs_is_said_in_full(text: str, full: str) -> None:
    assert said(when(text, MOMENT), ZURICH) == full


def test_what_is_said_in_full_is_understood_again() -> None:
    due = when("tomorrow at 9:15", MOMENT).due

    assert when(written(due, ZURICH), MOMENT) == When(due)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("today at 7", "has passed: it is Saturday 21 November 2026 18:00"),
        ("2020-01-01", "has passed"),
        ("2026-12-24T25:00Z", "there is no 2026-12-24T25:00Z"),
        ("in 15 years", "ten years"),
        ("2050-01-01", "ten years"),
        ("every 4 minutes", "every 5 minutes"),
        ("every minute", "every 5 minutes"),
        ("every day at 8 and at 20:00", "one time of the day"),
        ("tomorrow at nine call Livia", "is no time that is understood"),
        ("soon", "is no time that is understood"),
        ("", "is no time that is understood"),
    ],
)
def test_what_is_no_time_is_refused_with_examples(text: str, reason: str) -> None:
    with pytest.raises(NotUnderstood, match=reason) as caught:
        when(text, MOMENT)

    assert "every weekday 7:30" in str(caught.value)


@pytest.mark.parametrize("text", ["call Livia", "buy 3 eggs", "3 times", "x" * 4000, "at " * 1000])
def test_a_text_without_a_time_is_refused(text: str) -> None:
    with pytest.raises(NotUnderstood, match="the time is not understood"):
        when_and_text(text, MOMENT)


def test_a_time_behind_the_text_that_has_passed_is_said_to_have() -> None:
    with pytest.raises(NotUnderstood, match="has passed"):
        when_and_text("call Livia today at 7", MOMENT)


@settings(deadline=None)
@given(
    words=st.lists(WORDS, max_size=12).map(" ".join),
    now=st.datetimes(wall("2025-01-01 00:00"), wall("2035-01-01 00:00")).map(
        lambda it: it.replace(tzinfo=UTC)
    ),
)
def test_whatever_is_written_is_a_time_to_come_or_refused(words: str, now: datetime) -> None:
    try:
        found, rest = when_and_text(words, Moment(now, ZURICH))
    except NotUnderstood:
        return

    assert now < found.due <= now + timedelta(days=3653)
    assert set(rest.split()) <= set(words.split())
    assert said(found, ZURICH)


@settings(deadline=None)
@given(st.text(max_size=60))
def test_no_text_breaks_it(text: str) -> None:
    with suppress(NotUnderstood):
        when_and_text(text, MOMENT)


def test_an_interval_is_counted_in_whole_minutes() -> None:
    assert when("every 20 minutes", MOMENT).due == SATURDAY.replace(second=0) + timedelta(minutes=20)
