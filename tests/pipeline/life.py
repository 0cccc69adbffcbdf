"""One life of Legio after another on the same world: Telegram, the transcripts and the record outlive each.

All of it runs in one thread and without a real clock, so the same choices always lead to the same
interleaving, and a life can be cut off between any two turns of the loop, as `kill -9` would cut it.
"""

import asyncio
import contextlib
import json
import sqlite3
from collections import deque
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import Enum, auto
from pathlib import Path
from typing import Any, TypeVar, cast

import httpx
from telegram import Update
from telegram.ext import ExtBot
from telegram.request import RequestData

from legio.bot.intake import CommittingQueue, Intake
from legio.bot.messenger import TelegramMessenger
from legio.bot.outbox import Courier
from legio.bot.rollcall import RollCall
from legio.castra import Castra
from legio.legatus import Legatus
from legio.nuntius import Turn
from legio.ports import Brief, Request
from legio.praetorium.corrections import SqliteCorrections
from legio.praetorium.database import Database, transaction
from legio.praetorium.inbox import SqliteInbox
from legio.praetorium.nuntii import SqliteNuntii
from legio.praetorium.outbox import SqliteOutbox
from legio.praetorium.rollcalls import SqliteRollCalls
from legio.praetorium.schema import migrate
from legio.praetorium.threads import SqliteThreads
from legio.praetorium.turns import SqliteTurns
from legio.record import Record
from legio.roster import Roster
from legio.sessions import Bounds, Camp, Limits, Outcome, Sessions
from tests.bot.updates import CAESAR
from tests.bot.wire import FakeTelegram, bot_on, broken, chat_on, flooded, refused, unconnected
from tests.camp import write_castra
from tests.clocks import DAWN, FakeClock
from tests.pipeline.transcripts import Shelf, Theatre

T = TypeVar("T")

TURN_SECONDS, STALL_SECONDS, IDLE_SECONDS = 600.0, 120.0, 1800.0
MOST_TOKENS, MOST_MEGABYTES = 150_000, 800.0
STOP_TENTHS = 90
"""How many tenths of a second a stop may take: `docker stop` kills after ten seconds."""


class Mood(Enum):
    """What becomes of one message to the chat."""

    ACCEPTED = auto()
    REFUSED = auto()
    FLOODED = auto()
    UNCONNECTED = auto()
    ARRIVED_UNANSWERED = auto()
    LOST_UNANSWERED = auto()


class Chat(FakeTelegram):
    """Caesar's chat: what arrived in it, and what Telegram makes of the next messages."""

    def __init__(self) -> None:
        super().__init__()
        self.moods: deque[Mood] = deque()
        self.arrived: list[str] = []

    async def do_request(
        self, url: str, method: str, request_data: RequestData | None = None, *_: Any, **__: Any
    ) -> tuple[int, bytes]:
        await asyncio.sleep(0)
        mood = self.moods.popleft() if self.moods else Mood.ACCEPTED
        match mood:
            case Mood.REFUSED:
                return refused(403, "Forbidden: bot was blocked by the user")
            case Mood.FLOODED:
                return flooded(3)
            case Mood.UNCONNECTED:
                raise unconnected()
            case Mood.LOST_UNANSWERED:
                raise broken(httpx.ReadError("reset"))
            case Mood.ACCEPTED | Mood.ARRIVED_UNANSWERED:
                answer = await super().do_request(url, method, request_data)
                self.arrived.append(str(self.calls[-1].parameters["text"]))
                await asyncio.sleep(0)
                if mood is Mood.ARRIVED_UNANSWERED:
                    raise broken(httpx.ReadError("reset"))
                return answer


class WallClock(FakeClock):
    """A fake clock whose wall time can be set, as people and machines do."""

    def __init__(self, start: datetime) -> None:
        super().__init__(start)
        self.shift = timedelta()

    def now(self) -> datetime:
        return super().now() + self.shift


class Hops:
    """Stands for aiosqlite's connection: each piece of work is whole, between two turns of the loop.

    A caller that is cancelled before it finds nothing done, one that is cancelled behind it all. Cut off, it
    does nothing any more.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._conn = connection
        self.cut = False

    async def _execute(self, work: Callable[[sqlite3.Connection], T], connection: sqlite3.Connection) -> T:
        await asyncio.sleep(0)
        if self.cut:
            raise asyncio.CancelledError
        done = work(connection)
        await asyncio.sleep(0)
        return done


def memory() -> sqlite3.Connection:
    """A praetorium that outlives every process but this one."""
    connection = sqlite3.connect(":memory:", isolation_level=None)
    connection.row_factory = sqlite3.Row
    connection.execute("PRAGMA foreign_keys = ON")
    migrate(connection, where="memory")
    return connection


@dataclass
class World:
    """What outlives a Legio. `undelivered` are the updates that Telegram has not been told were received."""

    castra: Castra
    record: sqlite3.Connection = field(default_factory=memory)
    shelf: Shelf = field(default_factory=Shelf)
    chat: Chat = field(default_factory=Chat)
    undelivered: list[Update] = field(default_factory=list)
    bot: ExtBot[Any] = field(init=False)
    moment: datetime = DAWN

    def __post_init__(self) -> None:
        self.bot = bot_on(self.chat)

    def rows(self, query: str, *parameters: object) -> list[sqlite3.Row]:
        """What the record says, asked beside Legio."""
        return transaction(
            self.record, lambda connection: connection.execute(query, parameters).fetchall(), begin="BEGIN"
        )


@dataclass(frozen=True, slots=True)
class Manner:
    """How Legio is set up."""

    max_live: int = 3
    history_window: int = 50
    replies: str = "addressed"
    gather_seconds: float = 0.0


class Life:
    """One Legio from its start to its end. Made, and moved, inside of the world's loop."""

    def __init__(self, world: World, manner: Manner) -> None:
        self.world = world
        self.clock = WallClock(world.moment)
        self.theatre = Theatre(world.shelf)
        self.settled: list[Turn] = []
        self._manner = manner
        self._hops = Hops(world.record)
        database = Database(cast("Any", self._hops), world.castra.database)
        self._inbox, self._nuntii = SqliteInbox(database, self.clock), SqliteNuntii(database, self.clock)
        self._turns, self._threads = SqliteTurns(database, self.clock), SqliteThreads(database)
        outbox, bot = SqliteOutbox(database, self.clock), world.bot
        self._queue = CommittingQueue(self._inbox, self.clock, caesar_id=CAESAR)
        self._courier = Courier(bot, outbox, self.clock)
        # Its tasks are not started: what is passing needs no proof.
        roll_call = RollCall(chat_on(bot, CAESAR, self.clock), SqliteRollCalls(database))
        messenger = TelegramMessenger(CAESAR, roll_call, self._courier.wake)
        self.roster = Roster(world.castra)
        corrections = SqliteCorrections(database, self.clock)
        record = Record(self._turns, corrections, self._nuntii, outbox, messenger, self.clock)
        self.legatus = Legatus(
            record, self.roster, replies=manner.replies, gather_seconds=manner.gather_seconds
        )
        self.sessions = self.legatus.sessions = Sessions(self._camp())
        # No command and no card is played here.
        self._intake = Intake(self._inbox, self.legatus, cast("Any", None), cast("Any", None), messenger)
        bodies = {"courier": self._courier.run, "reaper": self.sessions.reap}
        self._tasks = [asyncio.create_task(body(), name=name) for name, body in bodies.items()]
        self._line = [asyncio.create_task(self._listen(), name="listening")]

    async def _listen(self) -> None:
        await self.sessions.end_orphans()
        await self.legatus.take_up()
        await self._queue.replay(self.world.bot)
        self._line.append(asyncio.create_task(self._poll(), name="polling"))
        while True:
            update = await self._queue.get()
            assert isinstance(update, Update)
            await self._intake.take(update)

    async def _poll(self) -> None:
        """Telegram forgets an update once the poll after it begins: when its `put` has returned."""
        while True:
            if self.world.undelivered:
                await self._queue.put(self.world.undelivered[0])
                self.world.undelivered.pop(0)
            await asyncio.sleep(0)

    async def stop(self) -> None:
        """SIGTERM: what `app.legion` does on its way out, in its order."""
        await _cancelled(self._line)
        await self.sessions.close(patience=4.0)
        await self._courier.flush(2.0)

    async def kill(self) -> None:
        """Nothing is done any more from here on, whatever was on its way."""
        self._hops.cut = True
        others = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        await _cancelled(sorted(others, key=asyncio.Task.get_name))

    def _camp(self) -> Camp:
        async def settle(turn: Turn, outcome: Outcome) -> None:
            await self.legatus.settle(turn, outcome)
            self.settled.append(turn)

        return Camp(
            muster=self._brief,
            enlist=self.theatre.enlist,
            turns=self._turns,
            nuntii=self._nuntii,
            threads=self._threads,
            processes=self.theatre,
            clock=self.clock,
            limits=Limits(
                Bounds(TURN_SECONDS, STALL_SECONDS),
                IDLE_SECONDS,
                MOST_TOKENS,
                self._manner.max_live,
                MOST_MEGABYTES,
            ),
            tell=self.legatus.told,
            watch=self.legatus.watch,
            settle=settle,
        )

    def _brief(self, name: str) -> Brief:
        async def approve(_: Request) -> bool:
            return True

        castra = self.world.castra
        return Brief(
            name=name,
            system_prompt=self.roster.profile(name).prompt,
            servers={},
            workspace=castra.workspace(name),
            home=castra.home(name),
            approve=approve,
            history_window=self._manner.history_window,
        )


class Stage:
    """A loop of its own, on which life follows life, moved by as many turns as one likes."""

    def __init__(self, folder: Path, manner: Manner) -> None:
        self.world = World(write_castra(folder / "castra"))
        self._manner = manner
        self._loop = asyncio.new_event_loop()
        self.life = self._do(self._born)

    def do(self, act: Callable[[], object], *, turns: int = 0) -> None:
        """Act inside of the loop, and let it turn so often."""

        async def acted() -> None:
            act()
            for _ in range(turns):
                await asyncio.sleep(0)

        self._loop.run_until_complete(acted())

    def pass_time(self, seconds: float) -> None:
        """Let time pass, and everybody act who wakes meanwhile."""
        self._do(lambda: self.life.clock.run(seconds))

    def crash(self) -> None:
        """`kill -9`, and a new start."""
        self._do(self.life.kill)
        self._reborn()

    def restart(self) -> None:
        """SIGTERM, and a new start."""

        async def stopped() -> None:
            stopping = asyncio.ensure_future(self.life.stop())
            for _ in range(STOP_TENTHS):
                if not stopping.done():
                    await self.life.clock.run(0.1)
            assert stopping.done(), "Legio would not end"
            await stopping
            await self.life.kill()

        self._do(stopped)
        self._reborn()

    def close(self) -> None:
        """The end of it all; a task that is left would be said."""
        self._do(self.life.kill)
        self._loop.close()
        self.world.record.close()

    def _reborn(self) -> None:
        self.world.moment = self.life.clock.now()
        self.life = self._do(self._born)

    async def _born(self) -> Life:
        return Life(self.world, self._manner)

    def _do(self, body: Callable[[], Awaitable[T]]) -> T:
        async def done() -> T:
            return await body()

        return self._loop.run_until_complete(done())


@contextlib.contextmanager
def stage(folder: Path, manner: Manner) -> Iterator[Stage]:
    """A stage that is taken down whatever happens."""
    made = Stage(folder, manner)
    try:
        yield made
    finally:
        made.close()


def payload(row: sqlite3.Row) -> str:
    """The text of a parcel in the outbox."""
    return str(json.loads(row["payload"])["text"])


async def _cancelled(tasks: list["asyncio.Task[None]"]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
