"""One ask heard to its end, within bounds: silence, length and Caesar's stop all end it in order.

An answer that is left half heard is taken for the answer to the next question, so an ask is never
abandoned: it is interrupted, heard to its end, and only if that does not come is the agent closed.
"""

import asyncio
import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import structlog

from legio.events import (
    Answered,
    End,
    Event,
    Failed,
    Fault,
    Retrying,
    Stopped,
    ToolEnded,
    ToolStarted,
    Writing,
)
from legio.ports import Agent, Clock, Picture

log = structlog.get_logger()

GRACE_SECONDS = 5.0
"""How long an interrupted agent may take to end its turn."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """How long a turn may take and how long it may be silent, in seconds.

    While a tool runs silence is no sign of a fault: a dispatch waits for another agent's whole turn. Nor is
    the silence of which the agent said before that it will last so long.
    """

    turn_seconds: float
    stall_seconds: float


@dataclass(frozen=True, slots=True)
class Use:
    """A tool at work: its plain name, and since when by the clock that never goes back."""

    name: str
    since: float


@dataclass(frozen=True, slots=True)
class _Cut:
    """The ask has to end now: because of a fault, or at Caesar's word."""

    fault: Fault | None


class Hearing:
    """One ask of one agent. `stop` may be called from anywhere, also before `end`."""

    def __init__(self, bounds: Bounds, clock: Clock, watch: Callable[[Event], None]) -> None:
        self._bounds = bounds
        self._clock = clock
        self._watch = watch
        self._heard: asyncio.Queue[Event | _Cut] = asyncio.Queue()
        self._last_heard = clock.monotonic()
        self._tools: list[Use] = []
        self._retrying: Retrying | None = None
        self._barren = True
        self.stopped = False
        self.gave_up = False
        """Whether the agent would not end and was closed."""

    @property
    def tool(self) -> Use | None:
        """The tool that has been at work for longest, or None."""
        return self._tools[0] if self._tools else None

    def stop(self) -> None:
        """End the ask with `Stopped` as soon as the agent can."""
        self.stopped = True
        self._heard.put_nowait(_Cut(None))

    async def end(self, agent: Agent, text: str, pictures: Sequence[Picture] = ()) -> End:
        """Ask, watch every step, and return the end. Closes the agent if it would not end by itself."""
        self._last_heard = self._clock.monotonic()
        tasks = [
            asyncio.create_task(self._pump(agent, text, pictures), name="hearing:pump"),
            asyncio.create_task(self._guard(), name="hearing:guard"),
        ]
        try:
            return await self._until_end(agent)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _until_end(self, agent: Agent) -> End:
        while True:
            match await self._heard.get():
                case _Cut(fault=fault):
                    return await self._cut(agent, fault)
                case Answered() | Failed() | Stopped() as end:
                    return end
                case step:
                    self._notice(step)

    def _notice(self, step: Event) -> None:
        self._last_heard = self._clock.monotonic()
        self._retrying = step if isinstance(step, Retrying) else None
        match step:
            case Retrying(seconds=seconds):
                self._last_heard += seconds
            case Writing():
                self._barren = False
            case ToolStarted(name=name):
                self._barren = False
                self._tools.append(Use(name, self._last_heard))
            case ToolEnded(name=name):
                self._put_down(name)
            case _:
                pass
        self._watch(step)

    def _put_down(self, name: str) -> None:
        """One tool fewer at work: the one of that name, or any, as an end may come without a name."""
        ended = next((use for use in self._tools if use.name == name), self.tool)
        if ended is not None:
            self._tools.remove(ended)

    async def _cut(self, agent: Agent, fault: Fault | None) -> End:
        """Interrupt and hear the end; what the agent says of it gives way to why it was cut."""
        await agent.interrupt()
        end = await self._drained()
        if end is None:
            log.warning("turn.would_not_end", fault=fault)
            self.gave_up = True
            await agent.close()
            end = Stopped()
        if fault is None:
            return end
        if self._retrying is None:
            return Failed(fault, f"cut off: {fault}", end.usage)
        # It waited for another try, so what is wrong is known, and is no fault of the process.
        reason = _reason(self._retrying)
        return Failed(reason, f"cut off while it waited: {fault}", end.usage, barren=self._barren)

    async def _drained(self) -> End | None:
        timer = asyncio.create_task(self._clock.sleep(GRACE_SECONDS), name="hearing:grace")
        try:
            while True:
                getter = asyncio.ensure_future(self._heard.get())
                await asyncio.wait({timer, getter}, return_when=asyncio.FIRST_COMPLETED)
                if not getter.done():
                    getter.cancel()
                    return None
                match getter.result():
                    case Answered() | Failed() | Stopped() as end:
                        return end
                    case _:
                        continue
        finally:
            timer.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await timer

    async def _pump(self, agent: Agent, text: str, pictures: Sequence[Picture]) -> None:
        try:
            async for event in agent.ask(text, pictures):
                self._heard.put_nowait(event)
        except Exception as error:  # the border of one turn: a bug in a gate must not leave it unanswered
            log.exception("turn.broke")
            self._heard.put_nowait(Failed(Fault.INTERNAL, repr(error)))

    async def _guard(self) -> None:
        """Cut the ask when it has been silent, or has lasted, for too long."""
        deadline = self._clock.monotonic() + self._bounds.turn_seconds
        while True:
            now = self._clock.monotonic()
            silent_until = self._last_heard + self._bounds.stall_seconds
            if now >= deadline:
                return self._heard.put_nowait(_Cut(Fault.TOO_LONG))
            if now >= silent_until and not self._tools:
                return self._heard.put_nowait(_Cut(Fault.STALLED))
            wake = deadline if self._tools else min(deadline, silent_until)
            # A tool that ends while this sleeps starts the silence anew, so never sleep past one silence.
            await self._clock.sleep(min(wake - now, self._bounds.stall_seconds))


def _reason(retrying: Retrying) -> Fault:
    """Why a model call is tried again, as the fault that it is if no try goes well."""
    match retrying.status:
        case None:
            return Fault.UNREACHABLE
        case 429:
            return Fault.RATE_LIMIT
        case _:
            return Fault.OVERLOADED
