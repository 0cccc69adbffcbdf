import pytest

from tests.bench.painting import paint_figure
from tests.bench.parallel import parallel_figure
from tests.bench.record import Reading, Written, record_figures
from tests.bench.report import Sample
from tests.bench.scrolling import scroll_figure
from tests.bench.turns import Turns, turn_figures


@pytest.mark.parametrize(
    ("legio", "sdk", "verdict"),
    [
        (0.150, 0.100, "met"),
        (0.151, 0.100, "MISSED"),
        (0.035, 0.020, "met"),
        (0.036, 0.020, "MISSED"),
        (0.014, 0.010, "met"),
    ],
)
def test_a_turn_is_judged_by_its_ratio_or_by_what_it_takes_more(
    legio: float, sdk: float, verdict: str
) -> None:
    figures = turn_figures(Turns(Sample((legio,)), Sample((sdk,)), Sample((sdk,))))

    assert [figure.verdict for figure in figures] == ["-", "-", verdict]


def test_a_turn_tells_its_ratio_and_what_it_takes_more() -> None:
    figures = turn_figures(Turns(Sample((0.06, 0.03)), Sample((0.03, 0.02)), Sample((0.04,))))

    assert figures[-1].seen == "45.0 ms (30.0 ms to 60.0 ms, n=2) = 1.80 times, 20.0 ms more"
    assert figures[-1].verdict == "MISSED"


def test_centuriones_at_once_are_judged_by_the_median_and_the_worst_is_told() -> None:
    figure = parallel_figure(Sample((1.3, 1.4, 9.0)), ("brutus", "pullo"))

    assert figure.met
    assert figure.name == "2 centuriones at once, model of 1.00 s"
    assert figure.seen == "1.40 s (1.30 s to 9.00 s, n=3)"


def test_the_first_paint_is_judged_by_its_median_and_not_at_all_without_a_browser() -> None:
    assert paint_figure(Sample((0.1, 0.3, 9.0))).met
    assert paint_figure(Sample((0.1, 0.301, 0.4))).met is False
    assert (paint_figure(None).met, paint_figure(None).seen) == (None, "there is no chromium")


def test_scrolling_is_judged_by_the_frame_that_99_of_100_do_not_exceed() -> None:
    assert scroll_figure(Sample((0.016,) * 98 + (0.2, 0.9)), 10_000).met
    assert scroll_figure(Sample((0.016,) * 98 + (0.201, 0.201)), 10_000).met is False
    assert (scroll_figure(None, 10_000).met, scroll_figure(None, 10_000).seen) == (
        None,
        "there is no chromium",
    )


def test_reading_is_judged_by_its_99th_percentile_alone() -> None:
    written = Written(Sample((0.0005,)), Sample((0.002, 0.002)))
    pages = Sample((0.05,) * 99 + (0.5,))
    calm = Reading(1_000_000, 404.2, Sample((0.0003,) * 99 + (0.5,)), pages)
    slow = Reading(1_000_000, 404.2, Sample((0.0003,) * 98 + (0.5, 0.5)), Sample((0.051,)))

    assert [figure.met for figure in record_figures(calm, written)] == [True, True, None, None]
    assert [figure.met for figure in record_figures(slow, written)] == [False, False, None, None]
    assert record_figures(calm, written)[1].name == "first page of 1,000,000 nuntii"
    assert [figure.seen for figure in record_figures(calm, written)] == [
        "p99 0.300 ms; median 0.300 ms (0.300 ms to 500.0 ms, n=100)",
        "p99 50.0 ms; median 50.0 ms (50.0 ms to 500.0 ms, n=100)",
        "2,000/s; each 0.500 ms (0.500 ms to 0.500 ms, n=1)",
        "500/s; each 2.000 ms (2.000 ms to 2.000 ms, n=2)",
    ]
