"""What sessions need of the world, and what they say of a turn: values and nothing else."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

from legio import context
from legio.events import End, Event
from legio.nuntius import Nuntius, Turn
from legio.ports import (
    Brief,
    Clock,
    Enclose,
    Enclosed,
    Enlist,
    Nuntii,
    Processes,
    Purse,
    Thread,
    Threads,
    Turns,
)
from legio.sessions.hearing import Bounds


@dataclass(frozen=True, slots=True)
class Limits:
    """What sessions are held to: seconds, tokens, and processes."""

    bounds: Bounds
    idle_seconds: float
    max_context_tokens: int
    max_live: int
    max_megabytes: float


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a turn ended: its end, the thread as it is now (None where it was not touched), and seconds."""

    end: End
    thread: Thread | None
    seconds: float


async def _nothing(_: Nuntius, __: Path | None) -> Enclosed:
    """A legion without files encloses nothing."""
    return Enclosed()


@dataclass(frozen=True, slots=True)
class Camp:
    """What sessions need of the world.

    `muster` makes an agent's brief as the castra has it now. `tell` gives what else an agent has to know
    with a turn. `watch` sees every event; `settle` writes what became of a turn; `enclose` opens what came
    with a nuntius. Without a `purse` a turn may cost what it will.
    """

    muster: Callable[[str], Brief]
    enlist: Enlist
    turns: Turns
    nuntii: Nuntii
    threads: Threads
    processes: Processes
    clock: Clock
    limits: Limits
    tell: Callable[[Turn], context.Told]
    watch: Callable[[Turn, Event], None]
    settle: Callable[[Turn, Outcome], Awaitable[None]]
    enclose: Enclose = _nothing
    purse: Purse | None = None
