"""When a rate limit ends, as far as anybody said so: the provider by a date, or the server by a wait.

A wait that the CLI takes by itself is no such word: only one that is longer than its own patience is.
"""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from claude_agent_sdk import RateLimitInfo

from legio.events import Retrying

LIMITED = 429
FIRST_PATIENCE_SECONDS = 0.625
"""The CLI's own first wait at most (0.5 s and a quarter), doubled each time; as CLI 2.1.329 does it."""


class RateLimit:
    """What was heard of it. The provider says a thing once, so whoever asks again keeps what he was told."""

    def __init__(self, now: Callable[[], datetime]) -> None:
        self._now = now
        self._ends: datetime | None = None
        self._wait: timedelta | None = None

    def announced(self, info: RateLimitInfo) -> None:
        """The provider says how the account stands."""
        self._ends = _ends(info)

    def retried(self, retrying: Retrying) -> None:
        """A call failed and is tried again after a while."""
        own = FIRST_PATIENCE_SECONDS * 2 ** max(0, retrying.attempt - 1)
        asked = retrying.status == LIMITED and retrying.seconds > own
        self._wait = timedelta(seconds=retrying.seconds) if asked else None

    def hit(self) -> datetime | None:
        """A turn failed because of it: when it ends, in UTC, or None where nobody said."""
        now, wait, self._wait = self._now(), self._wait, None
        if self._ends is not None and self._ends > now:
            return self._ends
        # It was waited for in vain, so the server asks for the same wait once more.
        return None if wait is None else now + wait


def _ends(info: RateLimitInfo) -> datetime | None:
    if info.status != "rejected" or info.resets_at is None:
        return None
    try:
        return datetime.fromtimestamp(info.resets_at, UTC)
    except (OverflowError, OSError, ValueError):
        return None  # no calendar has that day: the unit is not what it was
