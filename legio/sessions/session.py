"""The queue and the turn: what is asked of one agent, in which order, and how it ended.

A session's task alone touches its agent: it connects, asks and closes. What becomes of an answer is the
caller's business, through `settle`, which is awaited before the next turn begins, so that what a thread
has been given and what the record says never part.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import assert_never

import structlog

from legio import context
from legio.errors import AgentError, LegioError
from legio.events import Answered, End, Event, Failed, Fault, Stopped
from legio.nuntius import CAESAR, Turn
from legio.ports import Agent, Brief, Clock, Enlist, Nuntii, Processes, Thread, Threads, Turns
from legio.sessions.ceiling import Ceiling
from legio.sessions.hearing import Bounds, Hearing
from legio.sessions.thread import CONTEXT_FULL, RESET, LiveThread, Ready, successor

log = structlog.get_logger()

PROCESS_IS_DOUBTFUL = (Fault.CRASHED, Fault.STALLED, Fault.TOO_LONG, Fault.INTERNAL)
UNHEARD = Failed(Fault.CRASHED, "its process was gone before it was told anything")


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


@dataclass(frozen=True, slots=True)
class Camp:
    """What sessions need of the world.

    `muster` makes an agent's brief as the castra has it now. `tell` gives what else an agent has to know
    with a turn. `watch` sees every event; `settle` writes what became of a turn.
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


Then = Callable[[End], Awaitable[None]]
"""Who wants to know how an ask ended that belongs to no turn."""


@dataclass(frozen=True, slots=True)
class _Rest:
    """Close the agent; `done` is set afterwards."""

    done: asyncio.Future[None]


@dataclass(frozen=True, slots=True)
class _Reset:
    """Leave the thread behind, begin a new one, and ask it once."""

    then: Then


_Order = Turn | _Rest | _Reset


class Session:
    """One agent's session. It is made asleep; its first turn wakes it."""

    def __init__(self, name: str, camp: Camp, ceiling: Ceiling) -> None:
        self.name = name
        self.current: Turn | None = None
        self.since = camp.clock.monotonic()
        self._camp = camp
        self._ceiling = ceiling
        self._orders: deque[_Order] = deque()
        self._ordered = asyncio.Event()
        self._hearing: Hearing | None = None
        self._struck: set[int] = set()
        self._thread = LiveThread(
            name,
            muster=camp.muster,
            enlist=camp.enlist,
            threads=camp.threads,
            max_context_tokens=camp.limits.max_context_tokens,
            room=lambda: ceiling.room(self),
        )
        self.task = asyncio.create_task(self._run(), name=f"session:{name}")

    @property
    def live(self) -> bool:
        """Whether it has a process."""
        return self._thread.live

    @property
    def quiet(self) -> bool:
        """Whether it asks nothing and is asked nothing."""
        return self.current is None and not self._orders

    @property
    def idle(self) -> bool:
        """Whether it could sleep at once."""
        return self.live and self.quiet

    @property
    def turns(self) -> tuple[Turn, ...]:
        """The turn it is at and those that wait, in order."""
        waiting = tuple(order for order in self._orders if isinstance(order, Turn))
        return waiting if self.current is None else (self.current, *waiting)

    def submit(self, turn: Turn) -> None:
        """Queue a turn."""
        self._order(turn)

    def stop(self, turn: Turn) -> None:
        """End `turn` with `Stopped`, whether it runs or waits."""
        self._struck.add(turn.id)
        if self._hearing is not None and self.current is not None and self.current.id == turn.id:
            self._hearing.stop()

    def reset(self, then: Then) -> None:
        """Once all that is queued is done, begin a new and empty thread; `then` hears whether it answers."""
        self._order(_Reset(then))

    async def rest(self) -> None:
        """Sleep once all that is queued is done."""
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._order(_Rest(done))
        await asyncio.wait({done, self.task}, return_when=asyncio.FIRST_COMPLETED)

    def _order(self, order: _Order) -> None:
        self._orders.append(order)
        self._ordered.set()

    async def _run(self) -> None:
        try:
            while True:
                while self._orders:
                    await self._obey(self._orders.popleft())
                self._ordered.clear()
                self._ceiling.look_again()
                await self._ordered.wait()
        finally:
            await self._close()

    async def _obey(self, order: _Order) -> None:
        match order:
            case Turn():
                await self._serve(order)
            case _Rest(done=done):
                await self._close()
                done.set_result(None)
            case _Reset(then=then):
                await self._begin_afresh(then)
            case _:
                assert_never(order)

    async def _serve(self, turn: Turn) -> None:
        self.current, self.since = turn, self._camp.clock.monotonic()
        try:
            end, thread = await self._answer(turn)
            await self._camp.settle(turn, Outcome(end, thread, self._camp.clock.monotonic() - self.since))
            await self._look_at_size(thread)
        except Exception:
            # The border of one turn: the record itself failed. The turn stays open and is taken up at the
            # next start; the session goes on.
            log.exception("turn.unsettled", agent=self.name, turn=turn.id)
        finally:
            self._struck.discard(turn.id)
            self.current, self.since = None, self._camp.clock.monotonic()

    async def _answer(self, turn: Turn) -> tuple[End, Thread | None]:
        end, thread = await self._attempt(turn)
        if end is UNHEARD:
            # Its process had been killed while nobody looked: nothing was done that could be done twice.
            log.warning("turn.unheard", agent=self.name, turn=turn.id)
            end, thread = await self._attempt(turn)
        return end, thread

    async def _attempt(self, turn: Turn) -> tuple[End, Thread | None]:
        self._hearing = hearing = Hearing(
            self._camp.limits.bounds, self._camp.clock, lambda event: self._camp.watch(turn, event)
        )
        try:
            if turn.id in self._struck:
                return Stopped(), None
            ready = await self._thread.ready()
            text, thread = await self._text(turn, ready)
            if not await self._camp.turns.begin(turn, thread):
                return Stopped(), None
            if hearing.stopped:
                return Stopped(), _untold(ready)
            end = await hearing.end(ready.agent, text)
            if hearing.gave_up:
                await self._close()
            thread = await self._after(end, thread)
            return (end if await self._heard(turn, ready.agent, end) else UNHEARD), thread
        except AgentError as error:
            return Failed(Fault.CRASHED, str(error)), None
        except LegioError as error:
            return Failed(Fault.UNFIT, str(error)), None
        finally:
            self._hearing = None

    async def _heard(self, turn: Turn, agent: Agent, end: End) -> bool:
        """Whether the agent was told the question at all before it ended so."""
        crashed = isinstance(end, Failed) and end.fault is Fault.CRASHED
        return not crashed or await agent.recalls(turn.nuntius.id)

    async def _begin_afresh(self, then: Then) -> None:
        """A reset that nobody has asked for an answer is a claim: so the new thread is asked."""
        try:
            await self._close()
            await self._forget()
            ready = await self._thread.ready()
            await self._camp.threads.save(ready.thread)
            hearing = Hearing(self._camp.limits.bounds, self._camp.clock, lambda _: None)
            end = await hearing.end(ready.agent, context.probe(ready.new))
            await self._camp.threads.save(await self._after(end, ready.thread))
        except LegioError as error:
            end = Failed(Fault.UNFIT, str(error))
        except Exception as error:  # the border of one reset: whoever asked for it has to be told
            log.exception("reset.broke", agent=self.name)
            end = Failed(Fault.INTERNAL, repr(error))
        await then(end)

    async def _text(self, turn: Turn, ready: Ready) -> tuple[str, Thread]:
        """What the agent is told, all that its thread has not seen yet and then the turn's own text; and the
        thread as it will be once that is told.
        """
        thread = ready.thread
        unseen = await self._camp.nuntii.latest(
            self.name,
            ready.brief.history_window,
            after=thread.cursor,
            before=turn.nuntius.seq,
            # What it said itself stands in its thread already, unless the thread is new.
            without=None if ready.new else self.name,
        )
        recalled = ready.recalled == turn.nuntius.id
        text = context.message(turn, unseen, self._camp.tell(turn), new=ready.new, recalled=recalled)
        return text, replace(
            thread,
            asked=turn.nuntius.id,
            previous=thread.cursor,
            cursor=max(thread.cursor, turn.nuntius.seq),
            last_active=self._camp.clock.now(),
        )

    async def _after(self, end: End, thread: Thread) -> Thread:
        """The thread as the end left it; a process that cannot be trusted any more is ended."""
        thread = replace(
            thread,
            context_tokens=end.usage.context_tokens or thread.context_tokens,
            cost_usd=thread.cost_usd + end.usage.cost_usd,
        )
        match end:
            case Answered(mark=mark):
                marked = thread.cursor if mark else thread.marked
                thread = replace(thread, asked="", spoiled=False, mark=mark or thread.mark, marked=marked)
            case Failed(fault=Fault.CONTEXT_FULL):
                await self._close()
                return successor(thread, CONTEXT_FULL)
            case Failed(fault=fault) if fault in PROCESS_IS_DOUBTFUL:
                await self._close()  # and whether it was told the question is found out at its next start
            case Failed(barren=True):
                # The question would be sent again with the next one: the thread is taken back to its mark,
                # and told the question, as all that was said since, from the record.
                thread = replace(thread, asked="", spoiled=True, cursor=thread.marked)
            case _:
                thread = replace(thread, asked="", spoiled=False)
        return thread

    async def _look_at_size(self, thread: Thread | None) -> None:
        """Let a process sleep that has grown too large; looked at once the answer is on its way."""
        if thread is None or thread.process is None or not self.live:
            return
        if self._camp.processes.megabytes(thread.process) > self._camp.limits.max_megabytes:
            log.info("session.outgrown", agent=self.name)
            await self._close()

    async def _forget(self) -> None:
        """A new thread that is told nothing of what was said before this moment."""
        last = await self._camp.nuntii.latest(CAESAR, 1)
        before = await self._camp.threads.load(self.name) or Thread(self.name)
        await self._camp.threads.save(successor(before, RESET, since=last[-1].seq if last else 0))

    async def _close(self) -> None:
        await self._thread.close()
        self._ceiling.leave(self)


def _untold(ready: Ready) -> Thread:
    """The row of a thread whose agent was made ready and then told nothing; a new one never came to be."""
    return replace(ready.thread, id=None) if ready.new else ready.thread
