"""The whole pipeline in random interleavings, as many as the scorecard has time for."""

import asyncio
from dataclasses import dataclass
from pathlib import Path

from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from tests.pipeline.machine import Campaign
from tests.scorecard.scenario import Figures, Scenario

GROUP = "The pipeline, with a fake clock"
EXAMPLES = 1200
STEPS = 50

PROFILE = settings(
    max_examples=EXAMPLES,
    stateful_step_count=STEPS,
    deadline=None,
    database=None,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.generate],
    report_multiple_bugs=False,
)
"""What breaks a law is said as it was found: to make it smaller takes longer than to look for it."""


async def interleaved(_: Path) -> Figures:
    """What breaks a law raises; the figures are what the interleavings that kept them all came to."""
    toll = Toll()
    await asyncio.to_thread(run_state_machine_as_test, counted(toll), settings=PROFILE)
    return Figures(
        tries=toll.ends,
        received=toll.received,
        answered=toll.received,
        lost=0,
        doubled=0,
        recovery=0.0,
        note=f"{toll.examples:,} interleavings of up to {STEPS} steps; tries are ends of Legio",
    )


@dataclass
class Toll:
    """What the interleavings came to."""

    examples: int = 0
    received: int = 0
    ends: int = 0


def counted(toll: Toll) -> type[Campaign]:
    """The machine, that reports to `toll` when one interleaving is over."""

    class Counted(Campaign):
        def teardown(self) -> None:
            super().teardown()
            toll.examples += 1
            toll.received += self.received
            toll.ends += self.ends

    return Counted


SCENARIOS = (Scenario(GROUP, "the laws, in random interleavings of everything", interleaved, bound=0.0),)
