"""What is noticed of the running Legio: turns on their way, errors, and how all of it is put together."""

import logging
import socket
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

import httpx
import pytest

from legio.config import ClaudeConfig, Config, ConsoleConfig
from legio.console import Metrics
from legio.events import ADVICE, Answered, Event, Failed, Fault, Retrying, Thinking, Usage
from legio.nuntius import CAESAR, Nuntius, Tally, Turn
from legio.ports import Backlog, Reception
from legio.sessions import Outcome
from legio.watch import LiveVitals, Measured, Signs, last_error, watched
from tests.clocks import FakeClock
from tests.console.signs import WELL
from tests.scenes import scene

TURN = Turn(1, "pullo", Nuntius("q", CAESAR, "ave", ("pullo",), datetime(2026, 1, 1, tzinfo=UTC)), root=1)
RETRYING = Retrying(1, 3, 0.5, 529)


@dataclass
class Reported:
    """The Legatus, as far as sessions report to him."""

    events: list[Event] = field(default_factory=list)
    outcomes: list[Outcome] = field(default_factory=list)
    told: list[str] = field(default_factory=list)

    def watch(self, _: Turn, event: Event) -> None:
        self.events.append(event)

    async def settle(self, _: Turn, outcome: Outcome) -> None:
        self.outcomes.append(outcome)

    async def tell(self, text: str) -> None:
        self.told.append(text)


def measured() -> tuple[Reported, Measured]:
    legatus = Reported()
    return legatus, Measured(legatus, Metrics())


def text(metrics: Metrics) -> str:
    return metrics.exposition(WELL, ready=True).decode()


# --- turns on their way ---------------------------------------------------------------------------------


def test_every_step_is_passed_on_and_a_retry_is_counted() -> None:
    legatus, measure = measured()
    for event in (Thinking(), RETRYING):
        measure.watch(TURN, event)
    assert legatus.events == [Thinking(), RETRYING]
    assert 'legio_model_retries_total{status="529"} 1.0' in text(measure.metrics)


@scene
async def test_whoever_asked_in_a_turns_name_is_told_that_it_is_over_before_that_is_written() -> None:
    legatus = Reported()
    over: list[tuple[str, int]] = []
    measure = Measured(legatus, Metrics(), lambda agent: over.append((agent, len(legatus.outcomes))))
    await measure.settle(TURN, Outcome(Answered("blue", Usage()), None, 2.0))
    assert over == [("pullo", 0)]


@scene
async def test_every_end_is_passed_on_and_measured() -> None:
    legatus, measure = measured()
    outcome = Outcome(Answered("blue", Usage(cost_usd=0.5)), None, 2.0)
    await measure.settle(TURN, outcome)
    assert legatus.outcomes == [outcome]
    assert 'legio_cost_usd_total{agent="pullo"} 0.5' in text(measure.metrics)


# --- the credential -------------------------------------------------------------------------------------


async def tried(fault: Fault | None, *before: Fault) -> list[str]:
    """What Caesar is told of a credential after turns of his have failed."""
    legatus, measure = measured()
    for earlier in before:
        await measure.settle(TURN, Outcome(Failed(earlier, "x"), None, 1.0))

    async def probe() -> Fault | None:
        return fault

    await measure.try_credential(probe)
    return legatus.told


@pytest.mark.parametrize("fault", [Fault.CREDENTIAL, Fault.FORBIDDEN])
@scene
async def test_a_credential_that_is_refused_is_told_with_what_to_do(fault: Fault) -> None:
    assert await tried(fault, Fault.OVERLOADED) == [f"⛔ Legio: {ADVICE[fault]}"]


@scene
async def test_it_is_told_once_though_a_turn_was_faster() -> None:
    assert await tried(Fault.CREDENTIAL, Fault.CREDENTIAL) == []


@scene
async def test_one_that_is_accepted_needs_no_word() -> None:
    assert await tried(None) == []


# --- errors ---------------------------------------------------------------------------------------------


def test_the_last_error_is_dated_while_inside_and_warnings_are_none() -> None:
    log = logging.getLogger("somebody")
    with last_error() as at:
        log.warning("not yet")
        before = at()
        log.error("now")
        after = at()
    log.error("not heard any more")
    assert before is None
    assert after is not None
    assert at() == after
    assert abs((datetime.now(UTC) - after).total_seconds()) < 60


# --- all of it ------------------------------------------------------------------------------------------


@dataclass
class Parts:
    """The parts of a Legio, as they say they are."""

    clock: FakeClock = field(default_factory=FakeClock)
    reception: Reception = field(default_factory=Reception)

    async def backlog(self) -> Backlog:
        return Backlog(Tally(1, 1, 0, 0, 0, 0), outbox=3)

    @property
    def signs(self) -> Signs:
        return Signs(self.backlog, lambda: self.reception, lambda: 2, memory=lambda: (50, 600))


@scene
async def test_the_pulse_is_what_each_part_says() -> None:
    parts = Parts(reception=Reception(troubles=4))
    vitals = LiveVitals(parts.signs, parts.clock, parts.clock.monotonic(), lambda: None)
    parts.clock.advance(90)
    pulse = await vitals.pulse()
    assert (pulse.backlog.outbox, pulse.reception.troubles, pulse.uptime_seconds) == (3, 4, 90)
    assert (pulse.live_sessions, pulse.own_bytes, pulse.started_bytes) == (2, 50, 600)


@scene
async def test_while_inside_it_can_be_looked_at(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    parts = Parts()
    config = Config(castra=tmp_path, console=ConsoleConfig(port), claude=ClaudeConfig(turn_seconds=5))
    url = f"http://127.0.0.1:{port}"
    async with (
        watched(parts.signs, Metrics(), config, parts.clock),
        httpx.AsyncClient(trust_env=False, verify=False) as client,
    ):
        ready = await client.get(f"{url}/readyz")
        parts.reception = replace(parts.reception, deaf="Nothing was heard.")
        deaf = await client.get(f"{url}/readyz")
    assert (ready.status_code, deaf.status_code) == (200, 503)
    assert deaf.json()["reasons"] == ["Nothing was heard."]
