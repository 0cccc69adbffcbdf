"""How figures are written, and what their axes count in."""

import pytest

from legio.console.quantities import (
    CHARTED,
    COLUMNS,
    TOKENS,
    count_tick,
    counted,
    dollar_tick,
    dollars,
    lasting,
    time_step,
    time_tick,
)
from legio.stacks import LINES
from tests.console.figures import figure


@pytest.mark.parametrize(
    ("usd", "written"),
    [
        (0, "$0.00"), (0.00004, "<$0.0001"), (0.0001, "$0.0001"), (0.0512, "$0.0512"), (0.1, "$0.10"),
        (1.255, "$1.25"), (300, "$300.00"), (12345.6, "$12,345.60"),
    ],
)  # fmt: skip
def test_an_amount_is_never_less_than_it_is(usd: float, written: str) -> None:
    assert dollars(usd) == written


@pytest.mark.parametrize(
    ("usd", "written"),
    [
        (0, "$0"),
        (0.0001, "$0.0001"),
        (0.0005, "$0.0005"),
        (0.5, "$0.50"),
        (1, "$1"),
        (100, "$100"),
        (2500, "$2,500"),
    ],
)
def test_beside_a_line_stands_no_digit_too_many(usd: float, written: str) -> None:
    assert dollar_tick(usd) == written


@pytest.mark.parametrize(
    ("count", "written"), [(0, "0"), (500, "500"), (2500, "2.5k"), (1e6, "1M"), (7.5e6, "7.5M"), (2e9, "2G")]
)
def test_noughts_are_a_letter(count: float, written: str) -> None:
    assert count_tick(count) == written
    assert counted(1234567) == "1,234,567"


@pytest.mark.parametrize(
    ("seconds", "written"),
    [
        (0, "0 s"), (0.44, "0.4 s"), (9.96, "10.0 s"), (59.4, "59 s"), (60, "1 min 0 s"),
        (3599, "59 min 59 s"), (3600, "1 h 0 min"), (7384, "2 h 3 min"), (3_600_000, "1,000 h 0 min"),
    ],
)  # fmt: skip
def test_a_span_has_two_units(seconds: float, written: str) -> None:
    assert lasting(seconds) == written


@pytest.mark.parametrize(
    ("most", "step", "tick"),
    [
        (0, 0.25, "0.25 s"), (3, 1, "1 s"), (100, 30, "30 s"), (239, 60, "1 min"), (3000, 900, "15 min"),
        (7200, 1800, "30 min"), (7201, 3600, "1 h"), (30_000, 18_000, "5 h"), (100_000, 36_000, "10 h"),
    ],
)  # fmt: skip
def test_time_is_divided_as_clocks_are(most: float, step: float, tick: str) -> None:
    assert time_step(most) * LINES >= most
    assert (time_step(most), time_tick(time_step(most))) == (step, tick)


def test_the_lines_of_time_keep_to_one_unit_each() -> None:
    assert [time_tick(1800.0 * number) for number in range(5)] == ["0 s", "30 min", "1 h", "1.5 h", "2 h"]


def test_all_kinds_of_tokens_are_tokens() -> None:
    assert TOKENS.of(figure("vorenus")) == 1 + 20 + 300 + 4000


def test_each_quantity_writes_what_it_counts() -> None:
    one = figure("vorenus", usd=0.25, failed=1)
    assert {each.name: each.written(each.of(one)) for each in (*CHARTED, *COLUMNS)} == {
        "usd": "$0.25",
        "tokens": "4,321",
        "turns": "1",
        "seconds": "1.5 s",
        "failed": "1",
        "input": "1",
        "output": "20",
        "cache_read": "300",
        "cache_write": "4,000",
    }
    assert all(each.axis.tick(each.axis.step(each.of(one))) for each in CHARTED)
