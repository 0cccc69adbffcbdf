"""Turns measured on their way: what is passed on, what is counted, and what a refused credential is told."""

from dataclasses import dataclass, field
from datetime import UTC, datetime

import pytest

from legio.console import Metrics
from legio.events import ADVICE, Answered, Event, Failed, Fault, Retrying, Thinking, ToolStarted, Usage
from legio.nuntius import CAESAR, Nuntius, Turn
from legio.sessions import Outcome
from legio.watch import Measured, Steps
from tests.clocks import FakeClock
from tests.console.signs import WELL
from tests.fakes import MemoryFeed
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


@scene
async def test_what_an_agent_did_is_in_the_feed_before_his_turn_ends() -> None:
    legatus, feed = Reported(), MemoryFeed()
    written: list[int] = []
    steps = Steps(feed, FakeClock())
    measure = Measured(legatus, Metrics(), lambda _: written.append(len(feed.entries)), steps)
    measure.watch(TURN, ToolStarted("Bash"))
    before = list(feed.entries)
    await measure.settle(TURN, Outcome(Answered("blue", Usage()), None, 2.0))
    assert legatus.events == [ToolStarted("Bash")]
    assert (before, written) == ([], [0])
    assert [entry.text for entry in feed.entries] == ["Bash"]


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
