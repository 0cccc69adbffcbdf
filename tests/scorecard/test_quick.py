from pathlib import Path

import pytest

from tests.scenes import scene
from tests.scorecard.scenario import Scenario, good
from tests.scorecard.scenarios import SCENARIOS

QUICK = [one for one in SCENARIOS if one.quick]


@pytest.mark.cli
@pytest.mark.parametrize("scenario", QUICK, ids=[f"{one.group}: {one.name}" for one in QUICK])
@scene(deadline=120)
async def test_a_quick_scenario_loses_and_doubles_nothing(tmp_path: Path, scenario: Scenario) -> None:
    figures = await scenario.run(tmp_path)
    assert good(scenario, figures), figures


def test_every_scenario_has_its_own_name() -> None:
    names = [(one.group, one.name) for one in SCENARIOS]
    assert len(set(names)) == len(names)
