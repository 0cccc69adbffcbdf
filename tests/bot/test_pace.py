"""A burst, and then a steady pace."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from legio.bot.pace import Pace
from tests.clocks import FakeClock


def test_a_burst_is_free_and_then_each_takes_its_time() -> None:
    clock = FakeClock()
    pace = Pace(clock, per_second=0.5, burst=2)
    assert [pace.take(), pace.take(), pace.take()] == [True, True, False]
    assert pace.delay() == pytest.approx(2.0)
    clock.advance(2.0)
    assert (pace.delay(), pace.take(), pace.take()) == (0.0, True, False)


def test_rest_saves_up_a_burst_and_no_more() -> None:
    clock = FakeClock()
    pace = Pace(clock, per_second=1.0, burst=2)
    clock.advance(3600)
    assert [pace.take(), pace.take(), pace.take()] == [True, True, False]


@given(st.lists(st.floats(0, 10, allow_nan=False), max_size=50))
def test_whoever_waits_as_long_as_he_is_told_may_go(rests: list[float]) -> None:
    clock = FakeClock()
    pace = Pace(clock, per_second=0.3, burst=3)
    for rest in rests:
        clock.advance(rest)
        if not pace.take():
            clock.advance(pace.delay())
            assert pace.take()
