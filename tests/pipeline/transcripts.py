"""Threads as the CLI keeps them, and scripted agents on them: what was said outlives every process.

A transcript is a tree that only grows. A thread is the way from its newest leaf back to the root; one that is
resumed at an earlier message goes on from there, and what stood behind that is in the tree, but not in the
thread any more.
"""

import asyncio
import itertools
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace

from legio.errors import AgentError, LegioError, ThreadLost
from legio.events import (
    Answered,
    Connected,
    Event,
    Failed,
    Fault,
    Stopped,
    Thinking,
    ToolEnded,
    ToolStarted,
    Usage,
)
from legio.ports import Brief, Picture, Process

USAGE = Usage(input_tokens=10, output_tokens=5, cost_usd=0.01, context_tokens=100)


@dataclass(frozen=True, slots=True)
class Said:
    """One message of a transcript; `before` is the id of the one that it follows, "" for the first."""

    id: str
    before: str
    text: str


@dataclass
class Transcript:
    """What one thread's file holds. `leaf` is the last message written to it."""

    said: dict[str, Said] = field(default_factory=dict)
    leaf: str = ""

    def add(self, number: int, text: str, *, before: str) -> str:
        """Write a message behind `before`; returns its id."""
        said = Said(f"message {number}", before, text)
        self.said[said.id] = said
        self.leaf = said.id
        return said.id

    def path(self, leaf: str) -> tuple[str, ...]:
        """The texts of the thread that ends at `leaf`, oldest first."""
        texts = []
        while leaf:
            texts.append(self.said[leaf].text)
            leaf = self.said[leaf].before
        return tuple(reversed(texts))


@dataclass
class Shelf:
    """The transcripts of a machine, by thread. Processes come and go; this stays."""

    transcripts: dict[str, Transcript] = field(default_factory=dict)
    lost: bool = False
    """Whether the next thread that shall be resumed is gone."""
    numbers: "itertools.count[int]" = field(default_factory=itertools.count)


@dataclass
class Asked:
    """One ask that runs: whoever plays the model says what comes of it.

    `held` is all that the thread holds at this moment, this ask's text last.
    """

    agent: str
    thread: str
    held: tuple[str, ...]
    events: "asyncio.Queue[Event]" = field(default_factory=asyncio.Queue)
    tools: "list[asyncio.Task[None]]" = field(default_factory=list)
    over: bool = False

    @property
    def text(self) -> str:
        """What was asked."""
        return self.held[-1]

    @property
    def ready(self) -> bool:
        """Whether the model may end it: no tool runs, and nothing has been said to end it."""
        return not self.over and all(tool.done() for tool in self.tools)

    def end(self, event: Answered | Failed | Stopped) -> None:
        """It ends so, unless it has ended."""
        if not self.over:
            self.over = True
            self.events.put_nowait(event)

    def use(self, name: str, tool: Callable[[], Awaitable[object]]) -> None:
        """The model calls a tool; what that raises on purpose is told to the model."""
        self.events.put_nowait(ToolStarted(name))

        async def run() -> None:
            try:
                await tool()
            except (LegioError, asyncio.CancelledError):
                pass
            finally:
                self.events.put_nowait(ToolEnded(name, failed=False))

        self.tools.append(asyncio.create_task(run(), name=f"tool:{name}"))


class Theatre:
    """Where the agents of one Legio play; `asked` holds every ask that ever ran here, in order."""

    def __init__(self, shelf: Shelf) -> None:
        self.shelf = shelf
        self.asked: list[Asked] = []
        self.broken: set[str] = set()
        self.dying = False
        """Whether the next process that is asked ends before it hears that."""
        self.deaf = False
        self.outgrown = False
        self.live = 0
        self.most_live = 0

    @property
    def open(self) -> list[Asked]:
        """The asks that the model may end now."""
        return [asked for asked in self.asked if asked.ready]

    def enlist(self, brief: Brief) -> "PlayedAgent":
        """The `Enlist` of this theatre."""
        return PlayedAgent(self, brief)

    # --- the port `Processes` ------------------------------------------------------------------------------

    def end(self, process: Process) -> bool:
        return False

    async def megabytes(self, process: Process) -> float:
        return 10_000.0 if self.outgrown else 100.0


class PlayedAgent:
    """An `Agent` whose thread is a transcript."""

    def __init__(self, theatre: Theatre, brief: Brief) -> None:
        self._theatre = theatre
        self._brief = brief
        self._leaf = ""
        self._asked: Asked | None = None
        self._connected = False

    async def connect(self) -> Process:
        await asyncio.sleep(0)
        brief, transcripts = self._brief, self._theatre.shelf.transcripts
        if brief.name in self._theatre.broken:
            raise AgentError("cannot be started.")
        if brief.resume:
            if self._theatre.shelf.lost:
                self._theatre.shelf.lost = False
                transcripts.pop(brief.thread, None)
            kept = transcripts.get(brief.thread)
            if kept is None or (brief.resume_at and brief.resume_at not in kept.said):
                raise ThreadLost("gone.")
            self._leaf = brief.resume_at or kept.leaf
        self._connected = True
        self._theatre.live += 1
        self._theatre.most_live = max(self._theatre.most_live, self._theatre.live)
        return Process(next(self._theatre.shelf.numbers) + 1, 1.0)

    async def recalls(self, mark: str) -> bool:
        kept = self._theatre.shelf.transcripts.get(self._brief.thread)
        return kept is not None and any(mark in said.text for said in kept.said.values())

    async def ask(self, text: str, pictures: Sequence[Picture] = ()) -> AsyncIterator[Event]:
        await asyncio.sleep(0)  # on its way to the process: what dies now was never told
        assert self._connected, "an agent was asked that has no process"
        if self._theatre.dying:
            self._theatre.dying = False
            yield Failed(Fault.CRASHED, "it was gone before it was told anything")
            return
        self._asked = asked = self._told(text)
        try:
            yield Thinking()
            yield Connected(self._brief.thread)
            while True:
                event = await asked.events.get()
                if isinstance(event, Answered | Failed | Stopped):
                    yield self._ended(event)
                    return
                yield event
        finally:
            asked.over, self._asked = True, None
            for tool in asked.tools:
                tool.cancel()
            await asyncio.gather(*asked.tools, return_exceptions=True)

    async def interrupt(self) -> None:
        await asyncio.sleep(0)
        if self._asked is not None and not self._theatre.deaf:
            self._asked.end(Stopped())

    async def close(self) -> None:
        if self._connected:
            self._connected = False
            self._theatre.live -= 1
        if self._asked is not None:
            self._asked.end(Failed(Fault.CRASHED, "closed"))
        await asyncio.sleep(0)

    def _told(self, text: str) -> Asked:
        self._leaf = self._write(text)
        held = self._theatre.shelf.transcripts[self._brief.thread].path(self._leaf)
        asked = Asked(self._brief.name, self._brief.thread, held)
        self._theatre.asked.append(asked)
        return asked

    def _ended(self, event: Answered | Failed | Stopped) -> Event:
        match event:
            case Answered(text=text):
                self._leaf = self._write(text)
                return replace(event, mark=self._leaf)
            case Failed(barren=False):
                self._leaf = self._write("(something was said or done before it failed)")
            case _:
                pass
        return event

    def _write(self, text: str) -> str:
        transcript = self._theatre.shelf.transcripts.setdefault(self._brief.thread, Transcript())
        return transcript.add(next(self._theatre.shelf.numbers), text, before=self._leaf)
