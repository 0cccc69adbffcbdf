"""The queue of updates: kept until they are acknowledged, at most 24 hours, for one reader at a time."""

import asyncio
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from legio.local.botapi.kept import Note, Queued, Taken, unkept
from legio.local.botapi.waiting import Signal, first
from legio.local.botapi.wire import Refusal, Wire, conflict
from legio.ports import Clock

KEPT = timedelta(hours=24)
QUEUE_LIMIT = 100_000
BATCH_LIMIT = 100
# LONG_POLL_MAX_TIMEOUT of tdlib/telegram-bot-api, Client.h.
POLL_SECONDS = 50
OTHER_READER = "terminated by other getUpdates request; make sure that only one bot instance is running"
# These are sent only to bots that name them: Bot API, getUpdates, allowed_updates.
ON_REQUEST = frozenset({"chat_member", "message_reaction", "message_reaction_count"})


@dataclass(slots=True)
class _Poll:
    """One waiting reader: `refusal` says why it was sent away, if it was."""

    over: asyncio.Event = field(default_factory=asyncio.Event)
    refusal: Refusal | None = None

    def end(self, refusal: Refusal | None = None) -> None:
        self.refusal = refusal
        self.over.set()


class UpdateQueue:
    """Updates in order of their ids, which begin at `first_id` and never repeat."""

    def __init__(self, clock: Clock, first_id: int, note: Note = unkept) -> None:
        self._clock = clock
        self._note = note
        self._next = first_id
        self._queue: deque[tuple[datetime, Wire]] = deque(maxlen=QUEUE_LIMIT)
        self._held: list[Wire] | None = None
        self._poll: _Poll | None = None
        self.allowed: tuple[str, ...] = ()
        self.news = Signal()

    def put(self, kind: str, body: Wire) -> Wire:
        """Queues an update, unless the bot did not ask for its kind; returns it in either case."""
        update: Wire = {"update_id": self._next, kind: body}
        self._next += 1
        if kind in self.allowed or (not self.allowed and kind not in ON_REQUEST):
            self.repeat(update)
        return update

    def repeat(self, update: Wire) -> None:
        """Queues an update as it is; one that was delivered comes once more, as a doubtful delivery does."""
        if self._held is not None:
            self._held.append(update)
            return
        self._queue.append((self._clock.now(), update))
        self._note(Queued(*self._queue[-1]))
        self.news.fire()

    def restore(self, updates: Iterable[Queued]) -> None:
        """What nobody had taken in an earlier run."""
        self._queue.extend((queued.at, queued.update) for queued in updates)

    def hold(self) -> None:
        """Keeps back what comes from now on, until `release`."""
        self._held = self._held or []

    def release(self, *, backwards: bool = False) -> None:
        """Queues what was kept back, at once and in order, or in the order of no well-behaved server."""
        held, self._held = self._held or [], None
        for update in reversed(held) if backwards else held:
            self.repeat(update)

    def allow(self, kinds: Sequence[object] | None) -> None:
        """What is queued from now on; None leaves it as it was, an empty list means the usual kinds."""
        if kinds is not None:
            self.allowed = tuple(str(kind) for kind in kinds)

    async def take(self, *, offset: int, limit: int, timeout: float) -> list[Wire]:  # noqa: ASYNC109
        """The oldest updates; if there are none, waits `timeout` seconds (50 at most) for one.

        A positive `offset` ends all updates before it; a negative one all but the last so many. A second
        reader sends the first one away with `Refusal` 409.
        """
        self._acknowledge(offset)
        self.send_away(conflict(OTHER_READER))
        self._poll = poll = _Poll()
        try:
            await self._wait(poll, self._clock.monotonic() + min(timeout, POLL_SECONDS))
        finally:
            if self._poll is poll:
                self._poll = None
        if poll.refusal:
            raise poll.refusal
        return self.pending[: limit if 1 <= limit <= BATCH_LIMIT else BATCH_LIMIT]

    @property
    def pending(self) -> list[Wire]:
        """All that is not acknowledged, oldest first."""
        oldest = self._clock.now() - KEPT
        if self._queue and self._queue[0][0] < oldest:
            self._keep(each for each in self._queue if each[0] >= oldest)
        return [update for _, update in self._queue]

    @property
    def polled(self) -> bool:
        """Whether a reader is waiting at this moment."""
        return self._poll is not None

    def discard(self, update_id: int) -> None:
        """Ends one update: it was delivered."""
        self._keep(update for update in self._queue if update[1]["update_id"] != update_id)

    def clear(self) -> None:
        """Ends them all."""
        self._keep([])

    def send_away(self, refusal: Refusal | None = None) -> None:
        """Ends the poll that waits, if one does: with the refusal, or as if its time were up."""
        if self._poll:
            self._poll.end(refusal)

    async def _wait(self, poll: _Poll, deadline: float) -> None:
        while not self.pending and not poll.over.is_set():
            left = deadline - self._clock.monotonic()
            if left <= 0:
                return
            await first(self.news.wait(), poll.over.wait(), self._slept(left))

    async def _slept(self, seconds: float) -> bool:
        await self._clock.sleep(seconds)
        return True

    def _acknowledge(self, offset: int) -> None:
        if offset < 0:
            self._keep(list(self._queue)[offset:])
        elif offset > 0:
            self._keep(update for update in self._queue if update[1]["update_id"] >= offset)

    def _keep(self, updates: Iterable[tuple[datetime, Wire]]) -> None:
        before, self._queue = self._queue, deque(updates, maxlen=QUEUE_LIMIT)
        if len(before) > len(self._queue):
            left = {update["update_id"] for _, update in self._queue}
            self._note(Taken(tuple(it["update_id"] for _, it in before if it["update_id"] not in left)))
