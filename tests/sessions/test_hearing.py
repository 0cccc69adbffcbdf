import asyncio
from collections.abc import AsyncIterator, Callable, Sequence

import pytest

from legio.events import (
    Answered,
    Event,
    Failed,
    Fault,
    Retrying,
    Stopped,
    Thinking,
    ToolEnded,
    ToolStarted,
    Usage,
    Writing,
)
from legio.ports import Picture, Process
from legio.sessions.hearing import GRACE_SECONDS, Bounds, Hearing, Use
from tests.clocks import FakeClock, settled
from tests.scenes import scene

BOUNDS = Bounds(turn_seconds=100, stall_seconds=10)


class Played:
    """An agent whose events a scene plays one by one."""

    def __init__(self, *, heeds: bool = True) -> None:
        self.events: asyncio.Queue[Event] = asyncio.Queue()
        self.heeds = heeds
        self.interrupted = 0
        self.closed = 0

    async def connect(self) -> Process:
        return Process(1, 1.0)

    async def recalls(self, mark: str) -> bool:
        return False

    async def ask(self, text: str, pictures: Sequence[Picture] = ()) -> AsyncIterator[Event]:
        while True:
            event = await self.events.get()
            yield event
            if isinstance(event, Answered | Failed | Stopped):
                return

    async def interrupt(self) -> None:
        self.interrupted += 1
        if self.heeds:
            self.events.put_nowait(Stopped(Usage(input_tokens=3)))

    async def close(self) -> None:
        self.closed += 1


def start(
    agent: Played, clock: FakeClock, watch: Callable[[Event], None] = lambda _: None
) -> tuple[Hearing, asyncio.Task[object]]:
    hearing = Hearing(BOUNDS, clock, watch)
    return hearing, asyncio.create_task(hearing.end(agent, "text"), name="heard")


@scene
async def test_every_step_is_watched_and_the_end_is_returned() -> None:
    agent, seen = Played(), list[Event]()
    _, heard = start(agent, FakeClock(), seen.append)
    agent.events.put_nowait(Thinking())
    agent.events.put_nowait(Answered("yes", Usage()))
    assert await heard == Answered("yes", Usage())
    assert seen == [Thinking()]


@scene
async def test_silence_ends_the_turn_as_stalled() -> None:
    agent, clock = Played(), FakeClock()
    _, heard = start(agent, clock)
    await clock.run_until(heard.done, within=11)
    end = await heard
    assert end == Failed(Fault.STALLED, "cut off: stalled", Usage(input_tokens=3))
    assert (agent.interrupted, agent.closed) == (1, 0)


@scene
async def test_a_wait_that_was_announced_is_no_silence() -> None:
    agent, clock = Played(), FakeClock()
    _, heard = start(agent, clock)
    agent.events.put_nowait(Retrying(1, 3, seconds=60, status=429))
    await clock.run(65)
    assert not heard.done()
    agent.events.put_nowait(Answered("yes", Usage()))
    assert await heard == Answered("yes", Usage())


@pytest.mark.parametrize(
    ("status", "fault"), [(429, Fault.RATE_LIMIT), (529, Fault.OVERLOADED), (None, Fault.UNREACHABLE)]
)
@scene
async def test_a_turn_that_is_cut_while_it_waits_for_another_try_failed_of_what_made_it_wait(
    status: int | None, fault: Fault
) -> None:
    agent, clock = Played(), FakeClock()
    _, heard = start(agent, clock)
    agent.events.put_nowait(Retrying(1, 3, seconds=500, status=status))
    await clock.run_until(heard.done, within=101)
    detail = "cut off while it waited: too_long"
    assert await heard == Failed(fault, detail, Usage(input_tokens=3), barren=True)


@scene
async def test_a_turn_that_had_said_something_before_it_waited_is_not_barren() -> None:
    agent, clock = Played(), FakeClock()
    _, heard = start(agent, clock)
    agent.events.put_nowait(Writing("half"))
    agent.events.put_nowait(Retrying(1, 3, seconds=500, status=429))
    await clock.run_until(heard.done, within=101)
    end = await heard
    assert isinstance(end, Failed)
    assert not end.barren


@scene
async def test_every_sign_of_life_puts_the_silence_off() -> None:
    agent, clock = Played(), FakeClock()
    _, heard = start(agent, clock)
    for _ in range(5):
        await clock.run(8)
        agent.events.put_nowait(Thinking())
        await settled()
    assert not heard.done()
    agent.events.put_nowait(Answered("yes", Usage()))
    assert await heard == Answered("yes", Usage())


@scene
async def test_a_tool_at_work_is_no_silence_but_a_turn_still_has_its_length() -> None:
    agent, clock = Played(), FakeClock()
    _, heard = start(agent, clock)
    agent.events.put_nowait(ToolStarted("dispatch_to_centurio"))
    await clock.run(95)
    assert not heard.done()
    await clock.run_until(heard.done, within=6)
    end = await heard
    assert isinstance(end, Failed)
    assert end.fault is Fault.TOO_LONG


@scene
async def test_when_the_tool_has_ended_silence_counts_again() -> None:
    agent, clock = Played(), FakeClock()
    _, heard = start(agent, clock)
    agent.events.put_nowait(ToolStarted("list_acta"))
    await clock.run(30)
    agent.events.put_nowait(ToolEnded("list_acta", failed=False))
    await settled()
    await clock.run_until(heard.done, within=21)
    end = await heard
    assert isinstance(end, Failed)
    assert end.fault is Fault.STALLED


@scene
async def test_the_tool_that_has_been_at_work_for_longest_is_known_until_it_ends() -> None:
    agent, clock = Played(), FakeClock()
    hearing, heard = start(agent, clock)
    seen: list[Use | None] = [hearing.tool]
    agent.events.put_nowait(ToolStarted("Bash"))
    await settled()
    await clock.run(3)
    agent.events.put_nowait(ToolStarted("Read"))
    await settled()
    seen.append(hearing.tool)
    agent.events.put_nowait(ToolEnded("Bash", failed=True))
    await settled()
    seen.append(hearing.tool)
    agent.events.put_nowait(ToolEnded("", failed=False))
    agent.events.put_nowait(ToolEnded("Read", failed=False))
    await settled()
    seen.append(hearing.tool)
    agent.events.put_nowait(Answered("yes", Usage()))
    await heard
    assert seen == [None, Use("Bash", 0.0), Use("Read", 3.0), None]


@scene
async def test_an_agent_that_does_not_heed_is_closed() -> None:
    agent, clock = Played(heeds=False), FakeClock()
    hearing, heard = start(agent, clock)
    await settled()
    hearing.stop()
    agent.events.put_nowait(Thinking())
    await clock.run_until(heard.done, within=GRACE_SECONDS)
    assert await heard == Stopped()
    assert (agent.interrupted, agent.closed) == (1, 1)
    assert hearing.gave_up, "whoever asks next needs another process"


@scene
async def test_an_answer_that_was_on_its_way_when_it_was_stopped_is_not_thrown_away() -> None:
    agent = Played(heeds=False)
    hearing, heard = start(agent, FakeClock())
    hearing.stop()
    agent.events.put_nowait(Answered("just in time", Usage()))
    assert await heard == Answered("just in time", Usage())


@scene
async def test_an_agent_that_raises_fails_the_turn_and_hangs_nothing() -> None:
    class Broken(Played):
        async def ask(self, text: str, pictures: Sequence[Picture] = ()) -> AsyncIterator[Event]:
            yield Thinking()
            raise RuntimeError("a bug in the gate")

    _, heard = start(Broken(), FakeClock())
    end = await heard
    assert isinstance(end, Failed)
    assert end.fault is Fault.INTERNAL
