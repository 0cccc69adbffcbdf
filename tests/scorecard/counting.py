"""What became of Caesar's messages: who owes which answer, what came in the chat, and what the record says.

Every message bears a mark of its own, which the scripted recruit says back. An end is an answer or a word on
why there is none; it belongs to the message that it replies to and to the agent who is named in it. An answer
that bears another message's mark answers nothing: the message that it replies to is still owed its own.
"""

import contextlib
import random
import re
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from legio.bot.sending import DUPLICATE
from legio.castra import Castra
from legio.clock import SystemClock
from legio.local.botapi.message import Message
from legio.local.botapi.state import BotApiState
from legio.nuntius import LEGATUS
from legio.praetorium import Praetorium, open_praetorium
from tests.scorecard.scenario import Figures

CENTURIONES = ("brutus", "pullo", "vorenus")
"""Whom `legio init` recruits."""
SECONDS = 60.0

_END = re.compile(rf"(?P<mark>{DUPLICATE}\n)?(?:⚔️ (?P<speaker>[\w-]+)|[⛔⏹⌛] (?P<told>[\w-]+):)")
_MARK = re.compile(r"\bm\d{4,}\b")


class Site(Protocol):
    """Where Legio runs: `tests.processes.Station` and `tests.e2e.world.World` are both."""

    telegram: BotApiState

    @property
    def castra(self) -> Castra: ...


@dataclass(frozen=True, slots=True)
class Owed:
    """One agent's duty to answer the message of that Telegram id."""

    message: int
    agent: str


@dataclass(frozen=True, slots=True)
class Said:
    """One message of Caesar's, and who owes an answer to it."""

    update: int
    message: int
    mark: str
    text: str
    agents: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class End:
    """One answer, or, where `told`, one word on why there is none. `marked`: as a possible duplicate."""

    owed: Owed
    at: datetime
    marked: bool
    told: bool


class Load:
    """What Caesar says in one scenario, and what is owed to him for it.

    `say`, `dispatch` and `anything` return at once, with the message's mark. When the scenario is over and
    Legio is down, `figures` counts.
    """

    def __init__(self, site: Site, *, seed: int = 0, centuriones: Sequence[str] = CENTURIONES) -> None:
        self._site = site
        self._random = random.Random(seed)
        self._centuriones = tuple(centuriones)
        self.said: list[Said] = []

    # --- what Caesar says ----------------------------------------------------------------------------------

    def say(self, *agents: str, rule: str = "") -> str:
        """`@vorenus @pullo echo m0017`; to the Legatus without any agent, to everyone with "all".

        `rule` stands before "echo", as the recruit knows it: "slow 2 then", "fail 529 twice then".
        """
        everyone = (LEGATUS, *self._centuriones)
        owing = everyone if "all" in agents else agents or (LEGATUS,)
        return self._say(owing, *(f"@{agent}" for agent in agents), rule, "echo")

    def dispatch(self, *centuriones: str, rule: str = "") -> str:
        """`ask vorenus and pullo to echo m0018`: the Legatus alone owes an answer."""
        return self._say((LEGATUS,), "ask", " and ".join(centuriones), "to", rule, "echo")

    def anything(self, *, rule: str = "") -> str:
        """To nobody, one, two or everyone, or a dispatch, by chance: 1.5 answers owed on average."""
        two = self._random.sample(self._centuriones, min(2, len(self._centuriones)))
        match self._random.randrange(12):
            case 0 | 1 | 2:
                return self.say(rule=rule)
            case 3 | 4 | 5:
                return self.say(two[0], rule=rule)
            case 6 | 7 | 8:
                return self.say(*two, rule=rule)
            case 9:
                return self.say("all", rule=rule)
            case _:
                return self.dispatch(*two, rule=rule)

    def _say(self, owing: tuple[str, ...], *words: str) -> str:
        mark = f"m{len(self.said) + 1:04}"
        text = " ".join(word for word in (*words, mark) if word)
        update = self._site.telegram.say(text)
        self.said.append(Said(update["update_id"], update["message"]["message_id"], mark, text, owing))
        return mark

    # --- what came in the chat -----------------------------------------------------------------------------

    @property
    def owed(self) -> tuple[Owed, ...]:
        """Every answer that Caesar was ever owed, in the order of asking."""
        return tuple(Owed(said.message, agent) for said in self.said for agent in said.agents)

    @property
    def ends(self) -> tuple[End, ...]:
        """Every end in the chat, oldest first, that belongs to something owed."""
        marks, owed, foretold = {said.message: said.mark for said in self.said}, set(self.owed), set[int]()
        found = []
        for message in self._site.telegram.answers:
            asked = message.reply.message_id if message.reply else 0
            if message.text.plain == DUPLICATE:  # there was no room for it in the message that follows
                foretold.add(asked)
            elif asked in marks and (end := _end(message, asked, marks[asked], foretold)).owed in owed:
                foretold.discard(asked)
                found.append(end)
        return tuple(found)

    @property
    def open(self) -> tuple[Owed, ...]:
        """What is owed and has not come yet."""
        ended = {end.owed for end in self.ends}
        return tuple(owed for owed in self.owed if owed not in ended)

    async def settled(self, *, seconds: float = SECONDS) -> float:
        """Wait until nothing is open, at most `seconds`; returns how many it were."""
        begun = time.monotonic()
        with contextlib.suppress(TimeoutError):
            await self._site.telegram.wait_for(lambda: not self.open, seconds=seconds)
        return time.monotonic() - begun

    # --- what is counted -----------------------------------------------------------------------------------

    async def figures(self, *, tries: int, recovery: float, note: str = "") -> Figures:
        """Chat and record together, with Legio down. Raises `AssertionError` when the record is not sound."""
        async with open_praetorium(self._site.castra.database, SystemClock()) as praetorium:
            lost, doubled = await self._in_record(praetorium)
        unmarked = Counter(end.owed for end in self.ends if not end.marked)
        missing = set(self.open) | lost
        return Figures(
            tries=tries,
            received=len(self.owed),
            answered=len(self.owed) - len(missing),
            lost=len(missing),
            doubled=sum(count - 1 for count in unmarked.values() if count > 1) + doubled,
            recovery=recovery,
            note=note,
        )

    async def _in_record(self, praetorium: Praetorium) -> tuple[set[Owed], int]:
        """What no turn was ever ended for, and how many nuntii of Caesar's there are too many."""
        rows = praetorium.database.rows
        assert await praetorium.check() == ()
        tally = await praetorium.turns.tally()
        assert tally.holds, tally
        assert tally.pending == 0, tally
        became = {row["update_id"]: row["nuntius"] for row in await rows("SELECT * FROM inbox")}
        ended = {
            (row["nuntius"], row["agent"])
            for row in await rows("SELECT * FROM turns WHERE ended IS NOT NULL AND nuntius = root")
        }
        written = Counter(
            row["text"] for row in await rows("SELECT text FROM nuntii WHERE sender = 'caesar'")
        )
        lost = {
            Owed(said.message, agent)
            for said in self.said
            for agent in said.agents
            if (became.get(said.update), agent) not in ended
        }
        return lost, sum(max(0, written[said.text] - 1) for said in self.said)


def _end(message: Message, asked: int, mark: str, foretold: set[int]) -> End:
    """The end that a reply is; of nobody if it is none, or answers something else."""
    text = message.text.plain
    found = _END.match(text)
    others = set(_MARK.findall(text)) - {mark}
    agent = (found["speaker"] or found["told"]) if found and not others else ""
    marked = asked in foretold or bool(found and found["mark"])
    return End(Owed(asked, agent), message.date, marked, told=bool(found and found["told"]))
