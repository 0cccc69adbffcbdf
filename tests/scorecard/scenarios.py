"""All scenarios, in the order of the page."""

from tests.scorecard import castra, crashes, model, pipeline, processes, soak, telegram, tools
from tests.scorecard.scenario import Scenario

SCENARIOS: tuple[Scenario, ...] = (
    *crashes.SCENARIOS,
    *telegram.SCENARIOS,
    *model.SCENARIOS,
    *tools.SCENARIOS,
    *processes.SCENARIOS,
    *castra.SCENARIOS,
    *pipeline.SCENARIOS,
    *soak.SCENARIOS,
)
