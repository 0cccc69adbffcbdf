"""How often one may try, and how fast one may write."""

import pytest

from legio.console.access.pauses import (
    FIRST_SECONDS,
    FORGOTTEN_SECONDS,
    FREE_TRIES,
    FREE_TRIES_OF_ALL,
    LONGEST_SECONDS,
    MOST_KEPT,
    Pauses,
    Quota,
    Tries,
)
from tests.clocks import FakeClock


def fail(pauses: Pauses, times: int, name: str = "a") -> None:
    for _ in range(times):
        pauses.failed(name)


def test_after_five_failures_each_pause_is_twice_as_long_up_to_an_hour() -> None:
    clock = FakeClock()
    pauses = Pauses(clock)
    fail(pauses, FREE_TRIES - 1)
    assert pauses.left("a") == 0
    waits = []
    for _ in range(10):
        pauses.failed("a")
        waits.append(pauses.left("a"))
        clock.advance(waits[-1])
        assert pauses.left("a") == 0
    assert waits == [30, 60, 120, 240, 480, 960, 1920, 3600, 3600, 3600]
    assert (FIRST_SECONDS, LONGEST_SECONDS) == (30, 3600)


def test_each_name_has_its_own_and_one_that_went_well_is_forgiven() -> None:
    pauses = Pauses(FakeClock())
    fail(pauses, FREE_TRIES)
    assert (pauses.left("a"), pauses.left("b")) == (30, 0)
    pauses.forgive("a")
    assert pauses.left("a") == 0
    pauses.forgive("a")
    pauses.take_back("a")
    assert pauses.left("a") == 0


def test_after_a_day_failures_are_forgotten_and_a_patient_attacker_breaks_nothing() -> None:
    clock = FakeClock()
    pauses = Pauses(clock)
    fail(pauses, 5000)
    assert pauses.left("a") == LONGEST_SECONDS
    clock.advance(FORGOTTEN_SECONDS + 1)
    fail(pauses, FREE_TRIES - 1)
    assert pauses.left("a") == 0


def test_only_so_many_names_are_remembered_and_the_latest_are() -> None:
    pauses = Pauses(FakeClock())
    fail(pauses, FREE_TRIES, "first")
    for number in range(MOST_KEPT):
        pauses.failed(str(number))
    assert pauses.left("first") == 0
    fail(pauses, FREE_TRIES - 1, "0")
    assert pauses.left("0") == FIRST_SECONDS


def test_many_addresses_together_are_held_as_one() -> None:
    clock = FakeClock()
    tries = Tries(clock)
    for number in range(FREE_TRIES_OF_ALL - 1):
        tries.begun(f"10.0.0.{number}")
    assert tries.left("caesar's") == 0
    tries.begun("10.0.1.1")
    assert tries.left("caesar's") == FIRST_SECONDS


@pytest.mark.parametrize("failures", [0, 4, 19])
def test_who_succeeds_leaves_no_failure_behind(failures: int) -> None:
    tries = Tries(FakeClock())
    for number in range(failures):
        tries.begun(str(number))
    for _ in range(50):
        assert tries.left("caesar's") == 0
        tries.begun("caesar's")
        tries.went_well("caesar's")
    assert tries.left("caesar's") == 0


def test_a_thousand_tries_at_once_are_a_thousand() -> None:
    tries = Tries(FakeClock())
    granted = 0
    for _ in range(1000):
        if tries.left("a") == 0:
            tries.begun("a")
            granted += 1
    assert granted == FREE_TRIES


def test_so_many_writes_at_once_and_then_so_many_a_second() -> None:
    clock = FakeClock()
    quota = Quota(clock, most=3, a_second=2)
    assert [quota.take("a") for _ in range(4)] == [0, 0, 0, 0.5]
    assert quota.take("b") == 0
    clock.advance(0.5)
    assert [quota.take("a") for _ in range(2)] == [0, 0.5]
    clock.advance(100)
    assert [quota.take("a") for _ in range(4)] == [0, 0, 0, 0.5]


def test_only_so_many_names_have_a_quota() -> None:
    quota = Quota(FakeClock(), most=1)
    for number in range(MOST_KEPT + 1):
        assert quota.take(str(number)) == 0
    assert quota.take("0") == 0, "it was forgotten"
    assert quota.take(str(MOST_KEPT)) > 0
