"""The queue and the turn: what is asked of one agent, in which order, and how it ended.

A session's task alone touches its agent: it connects, asks and closes. What becomes of an answer is the
caller's business, through `settle`, which is awaited before the next turn begins, so that what a thread
has been given and what the record says never part.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import assert_never

import structlog

from legio import context
from legio.errors import AgentError, LegioError, Outdated
from legio.events import End, Failed, Fault, Stopped, Waiting
from legio.nuntius import CAESAR, Turn
from legio.ports import Agent, Brief, Enclosed, Leave, Thread
from legio.sessions.allowance import Allowance
from legio.sessions.camp import Camp, Outcome
from legio.sessions.ceiling import Ceiling
from legio.sessions.hearing import Hearing, Use
from legio.sessions.striking import Struck
from legio.sessions.telling import Telling, begun, closes, left, telling, untold
from legio.sessions.thread import RESET, LiveThread, Ready, successor

log = structlog.get_logger()

UNHEARD = Failed(Fault.CRASHED, "its process was gone before it was told anything")


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
        self._allowance = Allowance(camp.purse, camp.watch, self._close)
        self._preparing = False
        self._stopped: set[int] = set()
        self._struck = Struck(self._strike)
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
    def held(self) -> bool:
        """Whether the turn it is at waits for Caesar's word on money."""
        return self._allowance.held

    @property
    def tool(self) -> Use | None:
        """The tool that it uses now, the first of several."""
        return None if self._hearing is None else self._hearing.tool

    @property
    def wanted(self) -> bool:
        """Whether what it is at has not been stopped."""
        return self.current is None or self.current not in self._struck

    @property
    def turns(self) -> tuple[Turn, ...]:
        """The turn it is at and those that wait, in order, without those that have been stopped by now."""
        orders = (self.current, *self._orders)
        return tuple(order for order in orders if isinstance(order, Turn) and order not in self._struck)

    def submit(self, turn: Turn) -> None:
        """Queue a turn; that it waits is its first step."""
        self._camp.watch(turn, Waiting())
        self._order(turn)

    def stop(self, turn: Turn) -> None:
        """End `turn` with `Stopped`: as soon as the agent can if it was told, and else at once.

        Does nothing for a turn that is not here, or whose end is being written.
        """
        self._allowance.withdraw(turn)
        if turn.id not in [each.id for each in self.turns]:
            return
        if self.current is None or self.current.id != turn.id or self._preparing:
            self._struck.strike(turn)
            self._ceiling.look_again()
            return
        self._stopped.add(turn.id)
        if self._hearing is not None:
            self._hearing.stop()

    def reset(self, then: Then) -> None:
        """Once all that is queued is done, begin a new and empty thread; `then` hears whether it answers."""
        self._order(_Reset(then))

    def sleep(self) -> None:
        """Sleep once all that is queued is done, without waiting for that."""
        self._order(_Rest(asyncio.get_running_loop().create_future()))

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
            await self._struck.settled()
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
            if turn not in self._struck:
                self._preparing = True
                end, thread = await self._paid(turn)
                self._preparing = False
                await self._settle(turn, end, thread)
                self._allowance.release(turn)
                await self._look_at_size(thread)
        except Exception:
            # The border of one turn: the record itself failed. The turn stays open and is taken up at the
            # next start; the session goes on.
            log.exception("turn.unsettled", agent=self.name, turn=turn.id)
        finally:
            self._preparing = False
            await self._struck.passed(turn)
            self._allowance.release(turn)
            self._stopped.discard(turn.id)
            self.current, self.since = None, self._camp.clock.monotonic()

    async def _settle(self, turn: Turn, end: End, thread: Thread | None) -> None:
        """Have the end written; nothing is left to write for a turn that was struck meanwhile."""
        if turn not in self._struck:
            asked = self.current or turn  # it may have been amended since
            seconds = self._camp.clock.monotonic() - self.since
            await self._camp.settle(asked, Outcome(end, thread, seconds))

    async def _strike(self, turn: Turn) -> None:
        """Write the end of a turn that was stopped before the agent was told it. Never raises."""
        try:
            await self._camp.settle(turn, Outcome(Stopped(), None, 0.0))
        except Exception:  # the border of one turn, as above
            log.exception("turn.unsettled", agent=self.name, turn=turn.id)
        finally:
            self._allowance.release(turn)

    async def _paid(self, turn: Turn) -> tuple[End, Thread | None]:
        """The turn's end, once there is money for it."""
        leave = await self._allowance.leave(turn, wanted=lambda: turn not in self._struck)
        self.since = self._camp.clock.monotonic()
        return (Stopped(), None) if leave is None else await self._answer(turn, leave)

    async def _answer(self, turn: Turn, leave: Leave) -> tuple[End, Thread | None]:
        end, thread = await self._attempt(turn, leave)
        if end is UNHEARD:
            # Its process had been killed while nobody looked: nothing was done that could be done twice.
            log.warning("turn.unheard", agent=self.name, turn=turn.id)
            end, thread = await self._attempt(turn, leave)
        return end, thread

    async def _attempt(self, turn: Turn, leave: Leave) -> tuple[End, Thread | None]:
        hearing = Hearing(
            self._camp.limits.bounds, self._camp.clock, lambda event: self._camp.watch(turn, event)
        )
        try:
            if turn in self._struck or turn.id in self._stopped:
                return Stopped(), None
            self._preparing = True
            ready = await self._thread.ready(model=leave.model)
            enclosed = await self._camp.enclose(turn.nuntius, _lent_to(ready.brief))
            # From here on it is told: there is something to be interrupted.
            self._preparing, self._hearing = False, hearing
            if turn in self._struck or (entered := await self._enter(turn, ready, enclosed)) is None:
                await self._camp.threads.save(untold(ready))
                return Stopped(), None
            if hearing.stopped:
                return Stopped(), untold(ready)
            end = await hearing.end(ready.agent, entered.text, enclosed.pictures)
            if hearing.gave_up:
                await self._close()
            thread = await self._after(end, entered.thread)
            return (end if await self._heard(turn, ready.agent, end) else UNHEARD), thread
        except AgentError as error:
            return Failed(Fault.CRASHED, str(error)), None
        except LegioError as error:
            return Failed(Fault.UNFIT, str(error)), None
        finally:
            self._hearing = None

    async def _enter(self, turn: Turn, ready: Ready, enclosed: Enclosed) -> Telling | None:
        """What the agent is told, now that the record says so too; None if the turn had ended by then."""
        while True:
            told = await telling(turn, ready, enclosed, self._camp)
            try:
                return told if await self._camp.turns.begin(turn, told.thread, told.nuntii) else None
            except Outdated:
                amended = await self._camp.nuntii.get(turn.nuntius.seq)
                self.current = turn = replace(turn, nuntius=amended or turn.nuntius)

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
            thread = begun(ready, [], self._camp)
            await self._camp.threads.save(thread)
            hearing = Hearing(self._camp.limits.bounds, self._camp.clock, lambda _: None)
            end = await hearing.end(ready.agent, context.probe(ready.new))
            await self._camp.threads.save(await self._after(end, thread))
        except LegioError as error:
            end = Failed(Fault.UNFIT, str(error))
        except Exception as error:  # the border of one reset: whoever asked for it has to be told
            log.exception("reset.broke", agent=self.name)
            end = Failed(Fault.INTERNAL, repr(error))
        await then(end)

    async def _after(self, end: End, thread: Thread) -> Thread:
        """The thread as the end left it; a process that cannot be trusted any more is ended."""
        if closes(end):
            await self._close()
        return left(thread, end)

    async def _look_at_size(self, thread: Thread | None) -> None:
        """Let a process sleep that has grown too large; looked at once the answer is on its way."""
        if thread is None or thread.process is None or not self.live:
            return
        if await self._camp.processes.megabytes(thread.process) > self._camp.limits.max_megabytes:
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


def _lent_to(brief: Brief) -> Path | None:
    """Where files are lent to an agent: in his workspace, if he has tools that could read them there."""
    return brief.workspace if brief.grants or brief.asks else None
