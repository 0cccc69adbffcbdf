"""What the tests of the console look at: a Legio that is well, and one thing after the other that is not."""

from dataclasses import replace
from datetime import UTC, datetime

from legio.nuntius import Tally
from legio.ports import Backlog, Pulse, Reception

TALLY = Tally(received=9, answered=4, failed=2, stopped=1, expired=0, pending=2)
WELL = Pulse(
    backlog=Backlog(TALLY),
    reception=Reception(silent_seconds=2.5),
    uptime_seconds=3600.0,
    live_sessions=3,
    own_bytes=50_000_000,
    started_bytes=600_000_000,
)
FULL = replace(
    WELL,
    backlog=Backlog(
        TALLY,
        inbox=2,
        inbox_seconds=1.5,
        turn_seconds=7.5,
        slowest="pullo",
        slowest_seconds=7.0,
        outbox=5,
        undeliverable=1,
    ),
    reception=Reception(silent_seconds=2.5, troubles=4, restarts=1),
    last_error=datetime(2026, 11, 21, tzinfo=UTC),
)


class StillVitals:
    """The port `Vitals` that always says the same, or raises it."""

    def __init__(self, pulse: Pulse | Exception = WELL) -> None:
        self.said = pulse

    async def pulse(self) -> Pulse:
        if isinstance(self.said, Exception):
            raise self.said
        return self.said
