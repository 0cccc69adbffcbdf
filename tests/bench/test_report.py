import pytest

from tests.bench.report import Figure, Sample, missed, spell, table


def test_the_median_is_the_middle_or_between_the_two_in_the_middle() -> None:
    assert Sample((3.0, 1.0, 2.0)).median == 2.0
    assert Sample((4.0, 1.0, 2.0, 3.0)).median == 2.5


@pytest.mark.parametrize(
    ("share", "expected"), [(0, 1.0), (1, 1.0), (50, 50.0), (98.5, 99.0), (99, 99.0), (100, 100.0)]
)
def test_a_percentile_is_the_nearest_rank(share: float, expected: float) -> None:
    hundred = Sample(tuple(float(number) for number in range(100, 0, -1)))

    assert hundred.percentile(share) == expected


def test_the_99th_percentile_of_few_is_the_most_of_them() -> None:
    assert Sample((1.0, 5.0, 2.0)).percentile(99) == 5.0
    assert Sample((7.0,)).percentile(99) == 7.0


def test_a_sample_says_its_median_its_spread_and_its_number() -> None:
    assert str(Sample((0.02, 0.01, 0.0305))) == "20.0 ms (10.0 ms to 30.5 ms, n=3)"


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [
        (1.4, "1.40 s"),
        (1.0, "1.00 s"),
        (0.9994, "999.4 ms"),
        (0.01, "10.0 ms"),
        (0.001, "1.000 ms"),
        (0.0, "0.000 ms"),
    ],
)
def test_a_duration_is_told_in_the_unit_that_suits_it(seconds: float, expected: str) -> None:
    assert spell(seconds) == expected


def test_figures_stand_in_columns_under_their_header() -> None:
    figures = [
        Figure("a turn", "1.5 times", "1.2 times", met=True),
        Figure("memory", "120 MB", "130.1 MB", met=False),
        Figure("start", "", "0.90 s"),
    ]

    assert table(figures) == (
        "figure | bound     | seen      | verdict\n"
        "-------|-----------|-----------|--------\n"
        "a turn | 1.5 times | 1.2 times | met\n"
        "memory | 120 MB    | 130.1 MB  | MISSED\n"
        "start  |           | 0.90 s    | -"
    )


def test_only_a_missed_bound_counts_as_missed() -> None:
    figures = [Figure("a", "1", "1", met=True), Figure("b", "1", "2", met=False), Figure("c", "", "3")]

    assert missed(figures) == ("b",)
    assert missed(figures[::2]) == ()
