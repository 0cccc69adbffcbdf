"""How all of a running Legio is put together, and when an error was last logged."""

import logging
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from legio.console import Bounds, Metrics
from legio.console.health import complaints
from legio.nuntius import Tally
from legio.ports import Backlog, Reception
from legio.watch import LiveVitals, Signs, last_error, watched
from tests.clocks import FakeClock
from tests.scenes import scene

# --- errors ---------------------------------------------------------------------------------------------


def test_the_last_error_is_dated_while_inside_and_warnings_are_none() -> None:
    log = logging.getLogger("somebody")
    with last_error() as at:
        log.warning("not yet")
        before = at()
        log.error("now")
        after = at()
    log.error("not heard any more")
    assert before is None
    assert after is not None
    assert at() == after
    assert abs((datetime.now(UTC) - after).total_seconds()) < 60


# --- all of it ------------------------------------------------------------------------------------------


@dataclass
class Parts:
    """The parts of a Legio, as they say they are."""

    clock: FakeClock = field(default_factory=FakeClock)
    reception: Reception = field(default_factory=Reception)

    async def backlog(self) -> Backlog:
        return Backlog(Tally(1, 1, 0, 0, 0, 0), outbox=3)

    @property
    def signs(self) -> Signs:
        return Signs(self.backlog, lambda: self.reception, lambda: 2, memory=lambda: (50, 600))


@scene
async def test_the_pulse_is_what_each_part_says() -> None:
    parts = Parts(reception=Reception(troubles=4))
    vitals = LiveVitals(parts.signs, parts.clock, parts.clock.monotonic(), lambda: None)
    parts.clock.advance(90)
    pulse = await vitals.pulse()
    assert (pulse.backlog.outbox, pulse.reception.troubles, pulse.uptime_seconds) == (3, 4, 90)
    assert (pulse.live_sessions, pulse.own_bytes, pulse.started_bytes) == (2, 50, 600)


@scene
async def test_while_inside_it_is_known_how_all_is() -> None:
    parts, metrics = Parts(), Metrics()
    with watched(parts.signs, metrics, Bounds(5), parts.clock) as shown:
        parts.clock.advance(30)
        well = await shown.pulse()
        parts.reception = replace(parts.reception, deaf="Nothing was heard.")
        deaf = await shown.pulse()
    assert shown.metrics is metrics
    assert (well.uptime_seconds, well.last_error) == (30, None)
    assert complaints(well, shown.bounds) == ()
    assert complaints(deaf, shown.bounds) == ("Nothing was heard.",)


@scene
async def test_an_error_that_is_logged_while_inside_is_in_the_pulse() -> None:
    parts = Parts()
    with watched(parts.signs, Metrics(), Bounds(5), parts.clock) as shown:
        logging.getLogger("somebody").error("now")
        told = (await shown.pulse()).last_error
    logging.getLogger("somebody").error("not heard any more")
    assert told is not None
    assert (await shown.pulse()).last_error == told
