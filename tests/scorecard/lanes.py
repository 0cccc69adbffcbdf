"""Scenarios side by side, each in a folder and a process of its own."""

import asyncio
import logging
import tempfile
import traceback
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path

import pytest
import structlog

from tests.scorecard.scenario import Figures, Scenario

WORKERS = 2
"""Most scenarios wait for an outage to end or for a bound to pass; one at a time they took 43 minutes."""


def run(chosen: Sequence[Scenario]) -> dict[Scenario, Figures | str]:
    """What came of each; the longest are begun first, beside the many that mostly wait."""
    queue = sorted(chosen, key=lambda scenario: not scenario.long)
    results: dict[Scenario, Figures | str] = {}
    with ProcessPoolExecutor(WORKERS, mp_context=get_context("spawn"), max_tasks_per_child=1) as pool:
        running = {pool.submit(_seen, scenario.group, scenario.name): scenario for scenario in queue}
        for future in as_completed(running):
            scenario = running[future]
            results[scenario] = future.result()
            print(f"{scenario.group} / {scenario.name}: {results[scenario]}", flush=True)
    return {scenario: results[scenario] for scenario in chosen}


def _seen(group: str, name: str) -> Figures | str:
    """What came of the scenario of that group and name, run in this process."""
    # What runs here is to be silent: its log would bury the figures.
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
    from tests.scorecard.scenarios import SCENARIOS

    (scenario,) = (one for one in SCENARIOS if (one.group, one.name) == (group, name))
    return asyncio.run(_run(scenario))


async def _run(scenario: Scenario) -> Figures | str:
    with tempfile.TemporaryDirectory(prefix="legio-") as folder:
        try:
            return await scenario.run(Path(folder))
        except (Exception, BaseExceptionGroup, pytest.fail.Exception) as error:
            # one scenario that breaks does not hide the others; what pytest raises is no Exception
            traceback.print_exception(error)  # with the steps that led to it
            return f"{type(error).__name__}: {error}"
