"""A burst, and then a steady pace; and of what a chat bears, what is left for what is passing."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from legio.bot.pace import (
    BURST,
    KEPT_FOR_AN_ANSWER,
    PER_SECOND,
    TYPING_BURST,
    Budget,
    Budgets,
    Pace,
    kept,
)
from legio.local.botapi.faults import FloodLimit
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


@given(st.lists(st.floats(0, 3, allow_nan=False), max_size=50), st.integers(0, 4))
def test_what_is_kept_is_there_for_others_whenever_somebody_else_has_taken(
    rests: list[float], keep: int
) -> None:
    clock = FakeClock()
    pace = Pace(clock, per_second=1.0, burst=5)
    for rest in rests:
        clock.advance(rest)
        if not pace.take(keep=keep):
            clock.advance(pace.delay(keep=keep))
            assert pace.take(keep=keep)
        assert all(pace.take() for _ in range(keep))
        clock.advance(keep)


def test_what_was_drained_has_to_be_saved_up_again() -> None:
    clock = FakeClock()
    pace = Pace(clock, per_second=1.0, burst=5)
    pace.drain()
    assert pace.delay() == pytest.approx(1.0)
    clock.advance(2.0)
    assert [pace.take(), pace.take(), pace.take()] == [True, True, False]


def test_the_courier_and_the_strict_server_mean_the_same_by_a_burst() -> None:
    limit = FloodLimit(FakeClock())
    for allowance in (limit.messages, limit.edits):
        assert allowance.burst == BURST + 1, "what is sent a second apart may arrive closer together"
        assert allowance.per_second == PER_SECOND


def test_what_is_passing_leaves_room_for_answers() -> None:
    budget = Budget(FakeClock())
    assert [budget.spare(kept(8)), budget.spare(kept(8))] == [True, False]
    while budget.spare(KEPT_FOR_AN_ANSWER):
        pass
    assert [budget.messages.take() for _ in range(5)] == [True] * 4 + [False]


def test_after_a_flood_nothing_passing_is_sent_for_as_long_as_telegram_asks() -> None:
    clock = FakeClock()
    budget = Budget(clock)
    budget.flooded(30)
    assert budget.spare_delay(0) == pytest.approx(30)
    clock.advance(29)
    assert (budget.quiet, budget.spare(0), budget.typing()) == (True, False, False)
    clock.advance(2)
    assert (budget.quiet, budget.spare(0), budget.typing()) == (False, True, True)


def test_a_shorter_silence_does_not_end_a_longer_one() -> None:
    clock = FakeClock()
    budget = Budget(clock)
    budget.hush(10)
    budget.hush(1)
    clock.advance(5)
    assert budget.quiet


def test_typing_costs_no_message_and_is_no_flood() -> None:
    budget = Budget(FakeClock())
    assert [budget.typing() for _ in range(TYPING_BURST + 1)] == [True] * TYPING_BURST + [False]
    assert budget.messages.delay(keep=BURST - 1) == 0


def test_each_chat_has_its_own_budget() -> None:
    budgets = Budgets(FakeClock())
    assert budgets.of(1) is budgets.of(1)
    assert budgets.of(1) is not budgets.of(2)


@pytest.mark.parametrize(("at_work", "room"), [(0, 0), (1, 4), (5, 5), (8, 8), (50, BURST - 1)])
def test_the_more_are_at_work_the_more_is_left_for_their_answers(at_work: int, room: int) -> None:
    assert kept(at_work) == room


def test_what_is_owed_goes_first() -> None:
    clock = FakeClock()
    budget = Budget(clock)
    budget.owed = BURST
    assert not budget.spare(0)
    assert budget.spare_delay(0) == pytest.approx(1.0)
    budget.owed = 0
    assert budget.spare(0)
