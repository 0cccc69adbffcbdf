"""The figures as Prometheus reads them: what was counted since the start, and how all is at this moment.

Nothing is global: each `Metrics` has a registry of its own. Names and units follow Prometheus' conventions.
"""

from collections.abc import Iterator

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.metrics_core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from legio.events import Answered, End, Failed, Retrying, Stopped, Usage
from legio.ports import Pulse

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
"""The text format of https://prometheus.io/docs/instrumenting/exposition_formats/."""
TURN_SECONDS = (0.25, 0.5, 1, 2.5, 5, 10, 20, 40, 80, 160, 320, 640, 1280, 2560)
"""From an instant model to an hour of tools."""


class Metrics:
    """What is counted. Belongs to one event loop."""

    def __init__(self) -> None:
        self._registry = registry = CollectorRegistry()
        self._snapshot = _Snapshot()
        registry.register(self._snapshot)
        self._seconds = Histogram(
            "legio_turn_seconds",
            "How long turns took, by how they ended.",
            ["outcome"],
            buckets=TURN_SECONDS,
            registry=registry,
        )
        self._faults = Counter("legio_faults", "Turns that failed, by why.", ["fault"], registry=registry)
        self._tokens = Counter(
            "legio_tokens", "Tokens of the model, by agent and kind.", ["agent", "kind"], registry=registry
        )
        self._cost = Counter("legio_cost_usd", "US dollars spent, by agent.", ["agent"], registry=registry)
        self._retries = Counter(
            "legio_model_retries",
            "Model calls that failed and were tried again, by HTTP status; 0 where there was none.",
            ["status"],
            registry=registry,
        )

    def ended(self, agent: str, end: End, seconds: float) -> None:
        """A turn of `agent` ended."""
        match end:
            case Answered():
                outcome = "answered"
            case Stopped():
                outcome = "stopped"
            case Failed(fault=fault):
                outcome = "failed"
                self._faults.labels(fault).inc()
        self._seconds.labels(outcome).observe(seconds)
        self._spent(agent, end.usage)

    def retried(self, retrying: Retrying) -> None:
        """A model call failed and is tried again."""
        self._retries.labels(str(retrying.status or 0)).inc()

    def exposition(self, pulse: Pulse, *, ready: bool) -> bytes:
        """All of it as text, with `pulse` for what is so at this moment."""
        self._snapshot.families = tuple(_now(pulse, ready=ready))
        return generate_latest(self._registry)

    def _spent(self, agent: str, usage: Usage) -> None:
        for kind, count in (
            ("input", usage.input_tokens),
            ("output", usage.output_tokens),
            ("cache_read", usage.cache_read_tokens),
            ("cache_write", usage.cache_write_tokens),
        ):
            self._tokens.labels(agent, kind).inc(count)
        self._cost.labels(agent).inc(usage.cost_usd)


class _Snapshot(Collector):
    """Hands the registry what was last looked at."""

    def __init__(self) -> None:
        self.families: tuple[Metric, ...] = ()

    def collect(self) -> Iterator[Metric]:
        """The families, as the registry asks for them."""
        return iter(self.families)


def _now(pulse: Pulse, *, ready: bool) -> Iterator[Metric]:
    backlog, reception, tally = pulse.backlog, pulse.reception, pulse.backlog.tally
    turns = GaugeMetricFamily("legio_turns", "Turns in the record, by state.", labels=["state"])
    for state in ("answered", "failed", "stopped", "expired", "pending"):
        turns.add_metric([state], getattr(tally, state))
    yield turns
    memory = GaugeMetricFamily(
        "legio_resident_memory_bytes",
        "Resident memory of Legio and of all it has started; the CLIs share some of theirs.",
        labels=["of"],
    )
    memory.add_metric(["legio"], pulse.own_bytes)
    memory.add_metric(["started"], pulse.started_bytes)
    yield memory
    yield CounterMetricFamily(
        "legio_telegram_troubles", "Calls for updates that failed.", value=reception.troubles
    )
    yield CounterMetricFamily(
        "legio_polling_restarts", "How often a stalled polling was begun anew.", value=reception.restarts
    )
    for name, meaning, value in (
        ("ready", "Whether /readyz says so.", ready),
        ("uptime_seconds", "Since Legio started.", pulse.uptime_seconds),
        ("turns_received", "Turns in the record, all states together.", tally.received),
        ("inbox_letters", "Updates received and not finished.", backlog.inbox),
        ("inbox_lag_seconds", "Age of the oldest of them.", backlog.inbox_seconds),
        ("oldest_pending_turn_seconds", "Age of the oldest turn not ended.", backlog.turn_seconds),
        ("outbox_depth", "Messages that have to go out.", backlog.outbox),
        ("undeliverable", "Messages given up.", backlog.undeliverable),
        ("live_sessions", "Agents with a process.", pulse.live_sessions),
        ("telegram_silent_seconds", "Since Telegram last answered well.", reception.silent_seconds),
        ("last_error_timestamp_seconds", "When an error was last logged; 0 for never.", _stamp(pulse)),
    ):
        yield GaugeMetricFamily(f"legio_{name}", meaning, value=float(value))


def _stamp(pulse: Pulse) -> float:
    return 0.0 if pulse.last_error is None else pulse.last_error.timestamp()
