"""Fakes of the ports: an agent that plays a script, and a messenger that keeps what it is told.

Each passes the contract test of its port beside the real thing.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace

from legio.errors import AgentError, ThreadLost
from legio.events import Answered, Connected, Event, Failed, Fault, Stopped, Thinking, Usage
from legio.nuntius import Attachment, Turn
from legio.ports import Block, Brief, Button, Entry, Parcel, Picture, Process, Ring

Line = Callable[[str], Awaitable[str]]


@dataclass
class Stage:
    """Where scripted agents play: what they say to a text, and all that was asked of them.

    `say` maps an asked text to an answer; it may wait, or raise. `lost` names threads that cannot be
    resumed, `broken` agents that cannot be started, `deaf` those that heed no interrupt; who is in `gone` has
    lost his process when he is asked next, once for each time that he stands there. While there is a `gate`
    nobody starts before it is open; `starting` are those who would.
    """

    say: Line | None = None
    briefs: list[Brief] = field(default_factory=list)
    asked: list[tuple[str, str]] = field(default_factory=list)
    closed: list[str] = field(default_factory=list)
    lost: set[str] = field(default_factory=set)
    broken: set[str] = field(default_factory=set)
    deaf: set[str] = field(default_factory=set)
    gone: list[str] = field(default_factory=list)
    gate: asyncio.Event | None = None
    starting: list[str] = field(default_factory=list)
    live: int = 0
    most_live: int = 0
    context_tokens: int = 100
    started: int = 0
    told: list[tuple[str, str]] = field(default_factory=list)
    shown: list[tuple[Picture, ...]] = field(default_factory=list)
    megabytes: float = 100.0
    ended: list[Process] = field(default_factory=list)

    def enlist(self, brief: Brief) -> "ScriptedAgent":
        """The `Enlist` of this stage."""
        return ScriptedAgent(self, brief)

    def processes(self) -> "ScriptedProcesses":
        """The `Processes` of this stage."""
        return ScriptedProcesses(self)

    def texts(self, name: str) -> list[str]:
        """What was asked of one agent."""
        return [text for asked, text in self.asked if asked == name]


class ScriptedProcesses:
    """`Processes` of which all live, each of the stage's size."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage

    def end(self, process: Process) -> bool:
        self._stage.ended.append(process)
        return True

    async def megabytes(self, process: Process) -> float:
        return self._stage.megabytes


class ScriptedAgent:
    """An `Agent` without a process."""

    def __init__(self, stage: Stage, brief: Brief) -> None:
        self._stage = stage
        self._brief = brief
        self._interrupted = asyncio.Event()
        self._connected = False

    async def connect(self) -> Process:
        await asyncio.sleep(0)
        if self._stage.gate is not None:
            self._stage.starting.append(self._brief.name)
            await self._stage.gate.wait()
        if self._brief.name in self._stage.broken:
            raise AgentError("cannot be started.")
        if self._brief.resume and self._brief.thread in self._stage.lost:
            raise ThreadLost("gone.")
        self._stage.briefs.append(self._brief)
        self._connected = True
        self._stage.live += 1
        self._stage.most_live = max(self._stage.most_live, self._stage.live)
        self._stage.started += 1
        return Process(self._stage.started, 1.0)

    async def recalls(self, mark: str) -> bool:
        return any(thread == self._brief.thread and mark in text for thread, text in self._stage.told)

    async def ask(self, text: str, pictures: Sequence[Picture] = ()) -> AsyncIterator[Event]:
        self._interrupted.clear()
        if self._brief.name in self._stage.gone:
            self._stage.gone.remove(self._brief.name)
            yield Failed(Fault.CRASHED, "its process was gone")
            return
        self._stage.asked.append((self._brief.name, text))
        self._stage.told.append((self._brief.thread, text))
        self._stage.shown.append(tuple(pictures))
        usage = Usage(
            input_tokens=10, output_tokens=5, cost_usd=0.01, context_tokens=self._stage.context_tokens
        )
        yield Thinking()
        yield Connected(self._brief.thread)
        try:
            said = asyncio.ensure_future(self._say(text))
            stop = asyncio.ensure_future(self._interrupted.wait())
            try:
                await asyncio.wait({said, stop}, return_when=asyncio.FIRST_COMPLETED)
                answer = await said if said.done() else None
            finally:
                said.cancel()
                stop.cancel()
                await asyncio.gather(said, stop, return_exceptions=True)
        except ConnectionError as error:
            yield Failed(Fault.CRASHED, str(error), usage)
        except LookupError as error:
            yield Failed(Fault(str(error.args[0])), "scripted", usage, barren=True)
        else:
            yield Stopped() if answer is None else Answered(answer, usage, f"mark {len(self._stage.asked)}")

    async def interrupt(self) -> None:
        if self._brief.name not in self._stage.deaf:
            self._interrupted.set()

    async def close(self) -> None:
        if self._connected:
            self._connected = False
            self._stage.live -= 1
            self._stage.closed.append(self._brief.name)

    async def _say(self, text: str) -> str:
        if self._stage.say is None:
            return f"{self._brief.name} heard."
        return await self._stage.say(text)


class NotingMessenger:
    """A `Messenger` that keeps everything in order."""

    def __init__(self, chat: int = 1) -> None:
        self.chat = chat
        self.events: list[tuple[str, Event]] = []
        self.wakes = 0

    def answer(self, turn: Turn, heading: str, text: str) -> tuple[Parcel, ...]:
        said = {"heading": heading, "text": text, "reply_to": turn.message}
        return (Parcel(self.chat, json.dumps(said)),)

    def notice(
        self,
        text: str,
        buttons: Sequence[Button] = (),
        *,
        reply_to: int | None = None,
        block: Block | None = None,
        ring: Ring = Ring.USUAL,
        about: str = "",
    ) -> Parcel:
        rows = [[button.label, button.data] for button in buttons]
        said = {"text": text, "buttons": rows, "reply_to": reply_to}
        said |= {} if ring is Ring.USUAL else {"ring": ring.value}
        return Parcel(self.chat, json.dumps(said | ({"block": block.text} if block else {})))

    def file(self, turn: Turn, heading: str, file: Attachment, caption: str) -> Parcel:
        said = {"heading": heading, "file": file.path, "caption": caption, "reply_to": turn.message}
        return Parcel(self.chat, json.dumps(said))

    def progress(self, turn: Turn, event: Event) -> None:
        self.events.append((turn.agent, event))

    def wake(self) -> None:
        self.wakes += 1


class MemorySettings:
    """The port `Settings` in memory."""

    def __init__(self) -> None:
        self.values: dict[str, str] = {}

    async def get(self, name: str) -> str | None:
        return self.values.get(name)

    async def put(self, name: str, value: str) -> None:
        self.values[name] = value

    async def drop(self, name: str) -> None:
        self.values.pop(name, None)


@dataclass
class MemoryFeed:
    """The port `Feed` in memory. It raises `trouble`; where there is a `gate`, who writes waits for it."""

    entries: list[Entry] = field(default_factory=list)
    trouble: Exception | None = None
    gate: asyncio.Event | None = None
    tries: int = 0
    writings: int = 0

    async def add(self, entries: Sequence[Entry]) -> None:
        self.tries += 1
        if self.gate is not None:
            await self.gate.wait()
        if self.trouble is not None:
            raise self.trouble
        self.writings += 1
        first = await self.last() + 1
        self.entries += [replace(entry, id=number) for number, entry in enumerate(entries, first)]

    async def since(self, after: int, limit: int, *, agent: str | None = None) -> tuple[Entry, ...]:
        if self.trouble is not None:
            raise self.trouble
        return tuple(entry for entry in self._of(agent) if entry.id > after)[: max(0, limit)]

    async def before(self, before: int | None, limit: int, *, agent: str | None = None) -> tuple[Entry, ...]:
        found = [entry for entry in self._of(agent) if before is None or entry.id < before]
        return tuple(found[max(0, len(found) - max(0, limit)) :])

    async def last(self) -> int:
        return self.entries[-1].id if self.entries else 0

    def _of(self, agent: str | None) -> list[Entry]:
        return [entry for entry in self.entries if agent in (None, entry.agent)]
