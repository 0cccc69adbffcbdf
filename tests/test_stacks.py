"""Bars that are stacked: whose pieces there are, and the lines behind them."""

from datetime import date, timedelta

import pytest

from legio.stacks import LINES, OTHERS, Day, Shown, pieces, ranked, scale, shown

FIRST = date(2026, 11, 8)


def days(*shares: dict[str, float]) -> list[Day]:
    return [Day(FIRST + timedelta(days=number), each) for number, each in enumerate(shares)]


@pytest.mark.parametrize(
    ("most", "step"),
    [(0.0, 0.0001), (0.0003, 0.0001), (0.0009, 0.0005), (3.9, 1.0), (4.0, 1.0), (4.1, 2.0), (950.0, 250.0)],
)
def test_the_lines_count_as_people_do_and_hold_the_highest_day(most: float, step: float) -> None:
    assert scale(most) == pytest.approx(step)
    assert scale(most) * LINES >= most


@pytest.mark.parametrize(("most", "step"), [(0, 1), (4, 1), (5, 2), (9, 5), (90, 25), (10_000, 2_500)])
def test_what_comes_whole_is_counted_whole(most: float, step: float) -> None:
    assert scale(most, least=1.0) == step


def test_who_has_most_comes_first_and_who_has_nothing_nowhere() -> None:
    found = ranked(days({"pullo": 1.0, "titus": 0.0}, {"brutus": 2.0, "pullo": 1.0}, {"vorenus": 9.0}))
    assert found == ("vorenus", "brutus", "pullo")


def test_who_comes_after_the_most_is_one_of_the_others() -> None:
    assert shown(("a", "b", "c"), 3) == Shown(("a", "b", "c"))
    assert shown(("a", "b", "c"), 2) == Shown(("a", "b"), others=True)


def test_a_bar_has_a_piece_a_name_and_one_for_the_others() -> None:
    (day,) = days({"b": 0.5, "c": 0.25, "d": 0.125})
    assert pieces(day, Shown(("a", "b"))) == (0.0, 0.5)
    assert pieces(day, Shown(("a", "b"), others=True)) == (0.0, 0.5, 0.375)
    assert day.total == 0.875


def test_rounding_is_nobodys_piece() -> None:
    (day,) = days({"c": 0.1, "b": 0.2, "a": 0.3})
    assert pieces(day, Shown(("a", "b", "c"), others=True))[-1] == 0


def test_one_who_is_called_like_the_others_is_himself() -> None:
    (day,) = days({OTHERS: 9.0, **{f"agent{number}": 1.0 for number in range(3)}})
    assert pieces(day, shown(ranked([day]), 2)) == (9.0, 1.0, 2.0)
