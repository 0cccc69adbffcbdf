"""The agent behind a session: resumed wherever its thread can be, begun anew where it cannot.

A thread is the model's short-term memory; the praetorium is the record. Whatever happens to the process
or the prompt the thread goes on, and where it has to end the new one says why and is told the record.
"""

import hashlib
import uuid
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, replace

import structlog

from legio import context
from legio.errors import ThreadLost
from legio.ports import Agent, Brief, Enlist, Process, Thread, Threads

log = structlog.get_logger()

FIRST_USE = "this is its first use"
CONTEXT_FULL = "the earlier thread had grown too long"
LOST = "the earlier thread could not be resumed"
RESET = "Caesar reset it"
CHANGED = "its prompt, model or tools, the edicta or the roster changed; the thread goes on"


@dataclass(frozen=True, slots=True)
class Ready:
    """A connected agent, the thread it is on, and why that is a new one ("" where it goes on).

    `recalled` is the id of a nuntius that the thread was asked, and has not answered, in an earlier process.
    """

    agent: Agent
    thread: Thread
    brief: Brief
    new: str = ""
    recalled: str = ""


class LiveThread:
    """One agent's process over one agent's thread. Belongs to one task."""

    def __init__(
        self,
        name: str,
        *,
        muster: Callable[[str], Brief],
        enlist: Enlist,
        threads: Threads,
        max_context_tokens: int,
        room: Callable[[], AbstractAsyncContextManager[None]],
    ) -> None:
        self._name = name
        self._muster = muster
        self._enlist = enlist
        self._threads = threads
        self._max_context_tokens = max_context_tokens
        self._room = room
        self._agent: Agent | None = None
        self._worn = ""
        self._on = ""

    @property
    def live(self) -> bool:
        """Whether there is an agent, and so a process."""
        return self._agent is not None

    async def ready(self, *, model: str = "") -> Ready:
        """The agent, connected, on the right thread, with the prompt as the castra has it now.

        `model` stands for the agent's own unless it is "".
        Raises `CastraError` when the prompt cannot be used and `AgentError` when the CLI cannot be started.
        """
        brief = self._muster(self._name)
        brief = replace(brief, model=model) if model else brief
        thread = await self._threads.load(self._name) or Thread(self._name, reason=FIRST_USE)
        worn = fingerprint(brief)
        if self._agent is not None and worn != self._worn:
            await self.close()
            thread = replace(thread, reason=CHANGED)
        if thread.id and thread.context_tokens > self._max_context_tokens:
            await self.close()
            thread = successor(thread, CONTEXT_FULL)
        thread = replace(thread, prompt_hash=context.prompt_hash(brief.system_prompt))
        self._worn = worn
        # Where the record knows of another thread, what its agent was made for never came to be written.
        if self._agent is not None and thread.id == self._on and not (thread.spoiled or thread.asked):
            return Ready(self._agent, thread, brief)
        await self.close()
        return await self._start(brief, thread)

    async def close(self) -> None:
        """Put the agent to sleep; its thread stays on the disk. Idempotent."""
        agent, self._agent = self._agent, None
        if agent is not None:
            await agent.close()
            log.info("session.asleep", agent=self._name)

    async def _start(self, brief: Brief, thread: Thread) -> Ready:
        async with self._room():
            thread, recalled = await self._certain(brief, thread)
            if thread.id and (thread.mark or not thread.spoiled):
                try:
                    return await self._resume(brief, thread, thread.id, recalled)
                except ThreadLost:
                    log.warning("thread.lost", agent=self._name, thread=thread.id)
                    thread = successor(thread, LOST)
            thread_id = str(uuid.uuid4())
            agent, process = await self._connect(replace(brief, thread=thread_id))
            thread = replace(thread, id=thread_id, process=process, spoiled=False)
            return Ready(agent, thread, brief, new=thread.reason)

    async def _certain(self, brief: Brief, thread: Thread) -> tuple[Thread, str]:
        """The thread as it was told, now that no process writes to it; and what it was asked, if told that.

        A process that died before it was told anything left the cursor ahead of the thread.
        """
        asked = thread.asked
        if not asked:
            return thread, ""
        if thread.id and await self._enlist(replace(brief, thread=thread.id)).recalls(asked):
            # Asked behind the mark, it has put what was spoiled out of the thread.
            return replace(thread, asked="", spoiled=False), asked
        return replace(thread, asked="", cursor=thread.previous), ""

    async def _resume(self, brief: Brief, thread: Thread, thread_id: str, recalled: str) -> Ready:
        """The thread as it stands, or, where a question that failed stands at its end, without it.

        It stays spoiled until it is told something: only that puts the failed question out of the transcript.
        """
        resume_at = thread.mark if thread.spoiled else ""
        brief = replace(brief, thread=thread_id, resume=True, resume_at=resume_at)
        agent, process = await self._connect(brief)
        return Ready(agent, replace(thread, process=process), brief, recalled=recalled)

    async def _connect(self, brief: Brief) -> tuple[Agent, Process]:
        agent = self._enlist(brief)
        process = await agent.connect()
        self._agent, self._on = agent, brief.thread
        log.info("session.awake", agent=self._name, thread=brief.thread, resumed=brief.resume)
        return agent, process


def successor(thread: Thread, reason: str, *, since: int | None = None) -> Thread:
    """The row of the thread that follows on one that has to end; it is told the record after `since`.

    Unless that is given, it is the last reset: what Caesar wanted to be left behind stays behind.
    """
    start = thread.since if since is None else since
    return Thread(
        agent=thread.agent,
        cursor=start,
        previous=start,
        marked=start,
        since=start,
        reason=reason,
        cost_usd=thread.cost_usd,
    )


def fingerprint(brief: Brief) -> str:
    """SHA-256 over what a running agent cannot be told to change: another value means another process."""
    offered = [(name, [tool.name for tool in brief.servers[name]]) for name in sorted(brief.servers)]
    worn = (brief.system_prompt, brief.model, brief.effort, brief.grants, brief.asks, offered)
    return hashlib.sha256(repr(worn).encode()).hexdigest()
