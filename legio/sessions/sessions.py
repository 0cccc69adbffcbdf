"""All sessions together: made on first use, put to sleep when idle, and ended in parallel."""

import asyncio
from collections.abc import Sequence

import structlog

from legio.sessions.camp import Camp
from legio.sessions.ceiling import Ceiling
from legio.sessions.session import Session

log = structlog.get_logger()

REAP_SECONDS = 60.0


class Sessions:
    """All sessions, made on first use; they keep the ceiling together."""

    def __init__(self, camp: Camp) -> None:
        self._camp = camp
        self._ceiling = Ceiling(camp.limits.max_live)
        self._sessions: dict[str, Session] = {}

    def of(self, name: str) -> Session:
        """The agent's session."""
        if name not in self._sessions:
            self._sessions[name] = Session(name, self._camp, self._ceiling)
        return self._sessions[name]

    def all(self) -> Sequence[Session]:
        """The sessions there are, by name."""
        return [self._sessions[name] for name in sorted(self._sessions)]

    async def end_orphans(self) -> tuple[str, ...]:
        """At the start: end what processes of an earlier Legio still live; returns whose.

        A turn that is taken up would otherwise find two writers on one transcript.
        """
        ended = []
        for thread in await self._camp.threads.all():
            if thread.process is not None and self._camp.processes.end(thread.process):
                log.warning("session.orphan.ended", agent=thread.agent, pid=thread.process.pid)
                ended.append(thread.agent)
        return tuple(ended)

    async def dismiss(self, name: str) -> None:
        """End an agent's session for good: its turns are stopped, its process and its thread are gone."""
        session = self._sessions.get(name)
        if session is not None:
            for turn in session.turns:
                session.stop(turn)
            await session.rest()
            del self._sessions[name]
            await _ended([session])
        # Who is recruited later under the same name is another one, and has no memory of this.
        await self._camp.threads.forget(name)

    async def reap(self) -> None:
        """Put to sleep who has been idle for too long, for ever: the body of a guarded task."""
        while True:
            await self._camp.clock.sleep(REAP_SECONDS)
            now = self._camp.clock.monotonic()
            for session in self.all():
                if session.idle and now - session.since > self._camp.limits.idle_seconds:
                    await session.rest()

    async def close(self, *, patience: float) -> None:
        """Let running turns end for `patience` seconds, then put all to sleep at once.

        What has not ended by then stays open in the record and is taken up at the next start.
        """
        timer = asyncio.create_task(self._camp.clock.sleep(patience), name="sessions:patience")
        quiet = asyncio.create_task(self._quiet(), name="sessions:quiet")
        await asyncio.wait({timer, quiet}, return_when=asyncio.FIRST_COMPLETED)
        timer.cancel()
        quiet.cancel()
        await asyncio.gather(timer, quiet, return_exceptions=True)
        await _ended(self.all())

    async def _quiet(self) -> None:
        while not all(session.quiet or session.held for session in self.all()):
            await self._ceiling.changed()


async def _ended(sessions: Sequence[Session]) -> None:
    for session in sessions:
        session.task.cancel()
    await asyncio.gather(*(session.task for session in sessions), return_exceptions=True)
