from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from legio.praetorium import columns


def test_a_time_is_written_in_utc_with_microseconds() -> None:
    noon_in_rome = datetime(2026, 11, 21, 4, 4, 5, tzinfo=timezone(timedelta(hours=1)))

    assert columns.stamp(noon_in_rome) == "2026-11-21T03:04:05.000000+00:00"


def test_a_time_without_a_zone_is_refused() -> None:
    naive = datetime(2026, 11, 21, 4, 4, 5)  # noqa: DTZ001 - this is what is refused

    with pytest.raises(ValueError, match="without a zone"):
        columns.stamp(naive)


@given(st.datetimes(timezones=st.just(UTC)), st.datetimes(timezones=st.just(UTC)))
def test_text_order_is_time_order_and_nothing_is_lost(one: datetime, other: datetime) -> None:
    assert (columns.stamp(one) < columns.stamp(other)) == (one < other)
    assert columns.moment(columns.stamp(one)) == one


@given(st.lists(st.text()))
def test_an_audience_comes_back_as_it_was(names: list[str]) -> None:
    assert columns.audience(columns.audience_column(names)) == tuple(names)


def test_everyone_is_written_in_one_way_only() -> None:
    assert columns.audience_column(("all",)) == '["all"]'


@given(st.text(st.characters(exclude_categories=())))
def test_a_sound_text_can_always_be_encoded(text: str) -> None:
    columns.sound(text).encode("utf-8")


@given(st.text())
def test_a_text_that_is_sound_stays_as_it_is(text: str) -> None:
    assert columns.sound(text) == text


def test_a_lone_surrogate_is_replaced_and_a_pair_is_joined() -> None:
    assert columns.sound("é \ud83d \ud83d\ude00") == "é \ufffd 😀"
