"""The pipeline as a whole, in random interleavings of everything that can happen to it."""

from hypothesis import HealthCheck, settings

from tests.pipeline.machine import Campaign

TestCampaign = Campaign.TestCase
TestCampaign.settings = settings(
    max_examples=50,
    stateful_step_count=40,
    deadline=None,
    derandomize=True,  # the scorecard goes new ways each time
    suppress_health_check=list(HealthCheck),
)
