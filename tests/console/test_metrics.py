"""The figures as Prometheus reads them, read back by Prometheus' own parser."""

from collections.abc import Mapping

from prometheus_client import REGISTRY
from prometheus_client.parser import text_string_to_metric_families

from legio.console.metrics import Metrics
from legio.events import Answered, Failed, Fault, Retrying, Stopped, Usage
from legio.ports import Pulse
from tests.console.signs import FULL, WELL

USAGE = Usage(input_tokens=10, output_tokens=5, cache_read_tokens=3, cache_write_tokens=2, cost_usd=0.5)


def read(metrics: Metrics, pulse: Pulse = WELL, *, ready: bool = True) -> Mapping[str, float]:
    """Every sample by its name and labels, as the text has it."""
    text = metrics.exposition(pulse, ready=ready).decode()
    samples: dict[str, float] = {}
    for family in text_string_to_metric_families(text):
        assert family.documentation
        for sample in family.samples:
            labels = ",".join(f'{name}="{value}"' for name, value in sorted(sample.labels.items()))
            samples[f"{sample.name}{{{labels}}}" if labels else sample.name] = sample.value
    return samples


def test_how_all_is_at_this_moment() -> None:
    found = read(Metrics(), FULL)
    assert {name: value for name, value in found.items() if not name.endswith("_created")} == {
        'legio_turns{state="answered"}': 4,
        'legio_turns{state="failed"}': 2,
        'legio_turns{state="stopped"}': 1,
        'legio_turns{state="expired"}': 0,
        'legio_turns{state="pending"}': 2,
        "legio_turns_received": 9,
        'legio_resident_memory_bytes{of="legio"}': 50_000_000,
        'legio_resident_memory_bytes{of="started"}': 600_000_000,
        "legio_telegram_troubles_total": 4,
        "legio_polling_restarts_total": 1,
        "legio_ready": 1,
        "legio_uptime_seconds": 3600,
        "legio_inbox_letters": 2,
        "legio_inbox_lag_seconds": 1.5,
        "legio_oldest_pending_turn_seconds": 7.5,
        "legio_outbox_depth": 5,
        "legio_undeliverable": 1,
        "legio_live_sessions": 3,
        "legio_telegram_silent_seconds": 2.5,
        "legio_last_error_timestamp_seconds": 1795219200,
    }


def test_the_moment_is_that_of_each_look() -> None:
    metrics = Metrics()
    first, second = read(metrics, FULL), read(metrics, WELL, ready=False)
    assert (first["legio_outbox_depth"], second["legio_outbox_depth"]) == (5, 0)
    assert (first["legio_ready"], second["legio_ready"]) == (1, 0)
    assert second["legio_last_error_timestamp_seconds"] == 0


def test_turns_are_counted_by_their_end_and_their_seconds_fall_into_buckets() -> None:
    metrics = Metrics()
    metrics.ended("pullo", Answered("blue", USAGE), 0.4)
    metrics.ended("pullo", Answered("blue", USAGE), 30)
    metrics.ended("legatus", Failed(Fault.OVERLOADED, "529"), 3)
    metrics.ended("legatus", Stopped(), 1)
    found = read(metrics)
    assert found['legio_turn_seconds_count{outcome="answered"}'] == 2
    assert found['legio_turn_seconds_sum{outcome="answered"}'] == 30.4
    assert found['legio_turn_seconds_bucket{le="0.5",outcome="answered"}'] == 1
    assert found['legio_turn_seconds_count{outcome="failed"}'] == 1
    assert found['legio_turn_seconds_count{outcome="stopped"}'] == 1
    assert found['legio_faults_total{fault="overloaded"}'] == 1


def test_tokens_and_cost_add_up_by_agent_whatever_the_end() -> None:
    metrics = Metrics()
    metrics.ended("pullo", Answered("blue", USAGE), 1)
    metrics.ended("pullo", Failed(Fault.STALLED, "x", USAGE), 1)
    metrics.ended("legatus", Stopped(USAGE), 1)
    found = read(metrics)
    assert found['legio_cost_usd_total{agent="pullo"}'] == 1.0
    assert found['legio_cost_usd_total{agent="legatus"}'] == 0.5
    tokens = {kind: found[f'legio_tokens_total{{agent="pullo",kind="{kind}"}}'] for kind in KINDS}
    assert tokens == {"input": 20, "output": 10, "cache_read": 6, "cache_write": 4}


KINDS = ("input", "output", "cache_read", "cache_write")


def test_retries_are_counted_by_status() -> None:
    metrics = Metrics()
    for status in (529, 529, None):
        metrics.retried(Retrying(1, 3, 0.5, status))
    found = read(metrics)
    assert found['legio_model_retries_total{status="529"}'] == 2
    assert found['legio_model_retries_total{status="0"}'] == 1


def test_nothing_is_global() -> None:
    one, other = Metrics(), Metrics()
    one.ended("pullo", Answered("blue", USAGE), 1)
    assert 'legio_cost_usd_total{agent="pullo"}' not in read(other)
    assert not any(family.name.startswith("legio") for family in REGISTRY.collect())
