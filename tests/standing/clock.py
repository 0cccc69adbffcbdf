"""What the tests of standing work share: a Saturday evening in Zurich."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from legio.standing.spans import Moment

ZURICH = ZoneInfo("Europe/Zurich")
SATURDAY = datetime(2026, 11, 21, 17, 0, 12, tzinfo=UTC)
"""18:00:12 in Zurich."""
MOMENT = Moment(SATURDAY, ZURICH)


def wall(shown: str) -> datetime:
    """What a clock on the wall shows: a day and a time, without a zone."""
    return datetime.fromisoformat(shown)
