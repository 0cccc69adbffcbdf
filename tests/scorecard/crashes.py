"""Legio ended again and again under load, at instants spread over its whole life, and started again at once.

An instant is a stage of that life and a random delay. After each end no CLI may live for a second, and the
law is asked of a copy of the record, so that the next life finds it as this one left it.
"""

import asyncio
import contextlib
import random
import secrets
import shutil
import signal
import time
from collections import Counter
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from itertools import pairwise
from pathlib import Path

from legio.bot.sending import DUPLICATE
from legio.clock import SystemClock
from legio.memoria.store import FileMemoria
from legio.ports import Kind
from legio.praetorium import open_praetorium
from tests.processes import LegioProcess, Station, legio, station
from tests.rollcalls import is_roll_call
from tests.scorecard.counting import Load
from tests.scorecard.scenario import Figures, Scenario
from tests.scorecard.stages import SPREAD, Stage, begun, within

ORPHAN_SECONDS = 1.0
"""How long a CLI may outlive Legio."""
STOP_SECONDS = 10.0
"""How long a stop may take: `docker stop` kills then."""
STAGE_SECONDS = 4.0
"""How long a stage is waited for; a life that does not come to it ends then."""
LAST_SECONDS = 300.0
"""What is owed at the end comes at a second each: so many answers may have gathered."""
ENDLESS_SECONDS = 60.0
"""How long the model takes for turns that shall not end before a stop has lost its patience."""
BACKLOG = 12
BACKLOG_SECONDS = 6.0
"""So many open answers make a life longer, by so much at most: a Legio that never answers shows nothing."""

FOUND = {
    "updates not taken": "SELECT count(*) FROM inbox WHERE ended IS NULL",
    "turns waiting": "SELECT count(*) FROM turns WHERE state = 'pending'",
    "running": "SELECT count(*) FROM turns WHERE state = 'running'",
    "answers unsent": "SELECT count(*) FROM outbox WHERE state = 'pending'",
    "sends without an outcome": "SELECT count(*) FROM outbox WHERE state = 'sending'",
}
"""What is counted in the record after each end, to see that the instants were worth it."""


@dataclass
class Siege:
    """One run of the scenario: the same Legio, ended again and again by one signal."""

    station: Station
    signal: signal.Signals
    seed: int
    load: Load = field(init=False)
    chance: random.Random = field(init=False)
    ends: list[datetime] = field(default_factory=list)
    orders: dict[int, str] = field(default_factory=dict)
    """The standing orders that Caesar gave, by the id of his message."""
    found: Counter[str] = field(default_factory=Counter)
    orphaned: float = 0.0
    slowest_stop: float = 0.0
    unbegun: int = 0

    def __post_init__(self) -> None:
        self.load = Load(self.station, seed=self.seed)
        self.chance = random.Random(self.seed)

    # --- a life --------------------------------------------------------------------------------------------

    async def life(self, stage: Stage, messages: int) -> None:
        """Start Legio, speak to it, end it at an instant of `stage`, and look at what it left."""
        async with legio("run", folder=self.station.folder, environment=self.station.environment) as process:
            self._speak()  # while Legio is down
            if len(self.load.open) > BACKLOG:
                await within(BACKLOG_SECONDS, lambda: len(self.load.open) <= BACKLOG / 2, tick=0.1)
            speaking = asyncio.create_task(self._speak_on(messages - 1), name="caesar")
            beginning = begun(stage, self.station, process)
            if stage is Stage.COMMAND:
                self._order()
            if stage is Stage.TURN and self.signal is signal.SIGTERM:
                self.station.model.latency = ENDLESS_SECONDS
            await within(STAGE_SECONDS, beginning)
            await asyncio.sleep(self.chance.uniform(0, SPREAD[stage]))
            await self._end(process)
            self.station.model.latency = 0.0
            await speaking
        await self._keeps_the_law()

    async def last_life(self) -> None:
        """Start Legio once more, and let it finish."""
        async with self.station.run() as process:
            await self.load.settled(seconds=LAST_SECONDS)
            await within(STAGE_SECONDS, lambda: len(self._replies()) == len(self.orders))
            await within(STAGE_SECONDS, lambda: not self._standing())
            process.signal(signal.SIGTERM)
            assert await process.ends(seconds=STOP_SECONDS) == 0

    def _speak(self) -> None:
        self.load.anything(rule=self.chance.choice(("", "", "slow 0.3 then")))

    async def _speak_on(self, messages: int) -> None:
        for _ in range(messages):
            await asyncio.sleep(self.chance.uniform(0, 1.0))
            self._speak()

    def _order(self) -> None:
        order = f"order {len(self.orders) + 1}"
        update = self.station.telegram.say(f"/edict {order}")
        self.orders[update["message"]["message_id"]] = order

    async def _end(self, process: LegioProcess) -> None:
        assert process.process.returncode is None, f"Legio ended by itself:\n{process.output}"
        ending = time.monotonic()
        self.ends.append(datetime.now(UTC))
        process.signal(self.signal)
        if self.signal is signal.SIGKILL:
            await process.process.wait()
        else:
            await self._stopped(process)
        ended = time.monotonic()
        gone = await within(ORPHAN_SECONDS, lambda: not process.family())
        assert gone, f"outlived Legio: {[_command(pid) for pid in process.family()]}"
        self.slowest_stop = max(self.slowest_stop, ended - ending)
        self.orphaned = max(self.orphaned, time.monotonic() - ended)

    async def _stopped(self, process: LegioProcess) -> None:
        """It ends well, unless the signal came before there was anything to stop."""
        code = await process.ends(seconds=STOP_SECONDS)
        if code:
            assert (code, process.output) == (-self.signal, ""), process.output
            self.unbegun += 1

    async def _keeps_the_law(self) -> None:
        database, copy = self.station.castra.database, self.station.folder / "copy"
        if not database.exists():
            return
        copy.mkdir()
        for path in (database, database.with_name(f"{database.name}-wal")):
            with contextlib.suppress(FileNotFoundError):
                shutil.copy(path, copy)
        async with open_praetorium(copy / database.name, SystemClock()) as praetorium:
            assert await praetorium.check() == ()
            for what, query in FOUND.items():
                self.found[what] += (await praetorium.database.rows(query))[0][0]
        shutil.rmtree(copy)

    # --- what became of it all -----------------------------------------------------------------------------

    async def figures(self) -> Figures:
        """Of the messages, and of the commands: each has to be done once, and told."""
        seen = await self.load.figures(tries=len(self.ends), recovery=self._recovery(), note=self._note())
        edicta, replies = self._edicta(), self._replies()
        lost = sum(not (edicta[order] and replies[order]) for order in self.orders.values())
        doubled = edicta.total() - len(edicta)
        return replace(seen, lost=seen.lost + lost, doubled=seen.doubled + doubled)

    def _edicta(self) -> Counter[str]:
        """How often each order stands."""
        shelf = FileMemoria(self.station.castra, SystemClock()).list(Kind.EDICTUM)
        assert not shelf.broken
        return Counter(document.text for document in shelf.documents)

    def _replies(self) -> Counter[str]:
        """How often Caesar was told of each order."""
        replies = (message.reply.message_id for message in self.station.telegram.answers if message.reply)
        return Counter(self.orders[number] for number in replies if number in self.orders)

    def _recovery(self) -> float:
        """The longest time from an end of Legio to the next word that was owed, where a life came to one."""
        words = sorted(end.at for end in self.load.ends)
        longest = 0.0
        for ended, again in pairwise([*self.ends, datetime.max.replace(tzinfo=UTC)]):
            after = next((at for at in words if ended < at < again), ended)
            longest = max(longest, (after - ended).total_seconds())
        return longest

    def _standing(self) -> int:
        """How many roll-calls stand in the chat as if somebody were still at work."""
        texts = (message.text.plain for message in self.station.telegram.answers)
        return sum(is_roll_call(text) and ("⏳" in text or "⏸" in text) for text in texts)

    def _note(self) -> str:
        texts = [message.text.plain for message in self.station.telegram.answers]
        marked = sum(text.startswith(DUPLICATE) for text in texts)
        words = [
            f"seed {self.seed}",
            f"{len(self.load.said)} messages, {len(self.orders)} commands",
            f"{marked} marked ♻️",
            f"CLIs gone {self.orphaned:.2f} s after Legio",
        ]
        if self.signal is signal.SIGTERM:
            words.append(f"slowest stop {self.slowest_stop:.1f} s, {self.unbegun} before anything had begun")
        words.append(f"left standing: {self._standing()} roll-calls")
        return "; ".join([*words, f"found: {', '.join(f'{n} {what}' for what, n in self.found.items())}"])


async def besiege(folder: Path, number: signal.Signals, *, tries: int, messages: int = 2) -> Figures:
    """End Legio `tries` times by signal `number`, with so many new messages in each life."""
    async with station(folder) as made:
        siege = Siege(made, number, seed=secrets.randbelow(10**6))
        for turn in range(tries):
            if turn % len(Stage) == 0:
                stages = siege.chance.sample(list(Stage), len(Stage))
            await siege.life(stages[turn % len(Stage)], messages)
        await siege.last_life()
        return await siege.figures()


def _command(pid: int) -> str:
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ")
    return "gone by now"


def _scenario(name: str, number: signal.Signals, tries: int, *, quick: bool = False) -> Scenario:
    return Scenario(
        "Legio is ended",
        f"{name} at {tries} random instants under load",
        partial(besiege, number=number, tries=tries),
        bound=15.0,
        quick=quick,
        long=not quick,
    )


SCENARIOS = (
    _scenario("kill -9", signal.SIGKILL, 200),
    _scenario("SIGTERM", signal.SIGTERM, 50),
    _scenario("kill -9", signal.SIGKILL, 6, quick=True),
    _scenario("SIGTERM", signal.SIGTERM, 6, quick=True),
)
