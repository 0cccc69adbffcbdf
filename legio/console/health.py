"""What is a good sign and what is a bad one. Each bad one is a sentence for whoever has to act."""

from dataclasses import dataclass

from legio.ports import Pulse

INBOX_SECONDS = 60.0
"""An update waits for a row and a queue, never for a model: milliseconds, unless something is broken."""
ENDING_SECONDS = 60.0
"""What a turn may take beside its own bound: to be told what was said, to be interrupted, to be written."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """How long a turn and a letter may take, in seconds, before it is a bad sign."""

    turn_seconds: float
    inbox_seconds: float = INBOX_SECONDS


def complaints(pulse: Pulse, bounds: Bounds) -> tuple[str, ...]:
    """Why Legio is not ready, in sentences; none when it is.

    What waited while Legio was down is not held against it: no age counts for more than its own.
    """
    backlog = pulse.backlog
    inbox, slowest = (
        min(seconds, pulse.uptime_seconds) for seconds in (backlog.inbox_seconds, backlog.slowest_seconds)
    )
    found = [pulse.reception.deaf] if pulse.reception.deaf else []
    if inbox > bounds.inbox_seconds:
        found.append(f"An update has waited in the inbox for {backlog.inbox_seconds:.0f} s.")
    if slowest > bounds.turn_seconds + ENDING_SECONDS:
        found.append(f"{backlog.slowest} has owed an answer for {backlog.slowest_seconds:.0f} s.")
    return tuple(found)
