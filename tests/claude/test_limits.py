"""When a rate limit ends: as the provider or the server said, and not as the CLI guessed."""

from datetime import UTC, datetime, timedelta

import pytest
from claude_agent_sdk import RateLimitInfo

from legio.claude.limits import RateLimit
from legio.events import Retrying
from tests.clocks import DAWN, FakeClock

AN_HOUR_LATER = DAWN + timedelta(hours=1)


def rejected(resets_at: int | None = int(AN_HOUR_LATER.timestamp())) -> RateLimitInfo:
    return RateLimitInfo("rejected", resets_at=resets_at)


def retrying(seconds: float, *, attempt: int = 1, status: int | None = 429) -> Retrying:
    return Retrying(attempt, 3, seconds, status)


def hit_after(*heard: RateLimitInfo | Retrying) -> datetime | None:
    limit = RateLimit(FakeClock().now)
    for one in heard:
        if isinstance(one, Retrying):
            limit.retried(one)
        else:
            limit.announced(one)
    return limit.hit()


def test_the_provider_says_when() -> None:
    assert hit_after(rejected()) == AN_HOUR_LATER
    assert hit_after(retrying(30), rejected()) == AN_HOUR_LATER


@pytest.mark.parametrize(
    "info", [RateLimitInfo("allowed_warning", resets_at=1), rejected(None), rejected(10**20), rejected(0)]
)
def test_what_is_no_end_is_not_taken_for_one(info: RateLimitInfo) -> None:
    assert hit_after(rejected(), info) is None


def test_a_wait_that_the_server_asked_for_is_asked_for_again() -> None:
    assert hit_after(retrying(3.48)) == DAWN + timedelta(seconds=3.48)
    assert hit_after(retrying(3.48), retrying(3.655, attempt=2)) == DAWN + timedelta(seconds=3.655)


@pytest.mark.parametrize(
    "last",
    [retrying(0.551), retrying(1.155, attempt=2), retrying(2.4, attempt=3), retrying(60, status=529)],
)
def test_the_clis_own_patience_is_no_word_of_the_servers(last: Retrying) -> None:
    assert hit_after(retrying(30), last) is None


def test_a_date_is_kept_for_the_next_turn_until_it_is_over_and_a_wait_is_not() -> None:
    clock = FakeClock()
    limit = RateLimit(clock.now)
    limit.announced(rejected())
    limit.retried(retrying(30))
    assert [limit.hit(), limit.hit()] == [AN_HOUR_LATER, AN_HOUR_LATER]
    clock.advance(3601)
    assert limit.hit() is None
    assert AN_HOUR_LATER.tzinfo is UTC
