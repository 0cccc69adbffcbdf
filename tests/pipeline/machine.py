"""Random interleavings of everything that can happen to Legio, with the laws looked at after each step.

Each step does one thing and lets the loop turn a few times, so that the next one finds Legio anywhere between
two awaits. Whatever was done, in the end everything has to be answered, told and sent.
"""

import tempfile
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from enum import Enum, auto
from pathlib import Path
from typing import Any, TypeVar, assert_never

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from telegram import Update

from legio.changes import CORRECTION
from legio.events import Answered, Failed, Fault
from legio.nuntius import LEGATUS
from legio.sessions.hearing import GRACE_SECONDS
from tests.bot.updates import message, update
from tests.camp import NAMES
from tests.pipeline.laws import Laws
from tests.pipeline.life import MOST_TOKENS, Manner, Mood, Stage
from tests.pipeline.transcripts import USAGE, Asked

T = TypeVar("T")

AGENTS = (LEGATUS, *NAMES)
CAESARS_MESSAGES = 1_000_000
ROUNDS = 400
ENDLESS = 10_000
"""A history window that holds all that is ever said here."""


class Caesar(Enum):
    """What Caesar does, and what his phone and Telegram make of it."""

    WRITES = auto()
    WRITES_AND_IT_COMES_LATE = auto()
    IS_REPEATED = auto()
    STOPS_ONE = auto()
    STOPS_ALL = auto()
    STOPS_WHO_DOES_NOT_HEAR = auto()
    WRITES_AND_STOPS = auto()
    RESETS = auto()


class Model(Enum):
    """What the model makes of a question."""

    ANSWERS = auto()
    ANSWERS_AT_THE_END_OF_ITS_CONTEXT = auto()
    FAILS_BEFORE_A_WORD = auto()
    FAILS_IN_ITS_MIDDLE = auto()
    CRASHES = auto()
    IS_FULL = auto()


class Trouble(Enum):
    """What goes wrong with the CLIs and with Telegram; some of it until it happens once more."""

    TRANSCRIPT_LOST = auto()
    DIES_BEFORE_IT_IS_TOLD = auto()
    CANNOT_BE_STARTED = auto()
    OUTGROWN = auto()
    PROMPTS_EDITED = auto()
    TELEGRAM = auto()


FAILURES = {
    Model.FAILS_BEFORE_A_WORD: Failed(Fault.OVERLOADED, "scripted", USAGE, barren=True),
    Model.FAILS_IN_ITS_MIDDLE: Failed(Fault.RATE_LIMIT, "scripted", USAGE),
    Model.CRASHES: Failed(Fault.CRASHED, "scripted", USAGE),
    Model.IS_FULL: Failed(Fault.CONTEXT_FULL, "scripted", USAGE),
}


def weighted(*often: T, kinds: type[Enum]) -> st.SearchStrategy[Any]:
    """One of `kinds`, some of them more `often`."""
    return st.sampled_from([*often, *kinds])


addresses = st.sampled_from(
    ["", "", "", "@vorenus", "@vorenus", "@pullo", "@vorenus @pullo", "@brutus @Vorenus", "@all", "@nobody"]
)
agents = st.sampled_from(AGENTS)
turns = st.integers(0, 8) | st.integers(0, 60)
anyone = st.integers(0, 1000)
"""Chooses one of however many there are."""


class Campaign(RuleBasedStateMachine):
    """Caesar, the model, fate and time, each doing what it likes."""

    @initialize(
        max_live=st.integers(2, 4),
        window=st.sampled_from([3, ENDLESS, ENDLESS]),
        replies=st.sampled_from(["addressed", "caesar", "all"]),
        gather=st.sampled_from([0.0, 1.0, 60.0]),
        to=st.lists(addresses, min_size=1, max_size=4),
    )
    def begin(self, max_live: int, window: int, replies: str, gather: float, to: list[str]) -> None:
        self.folder = tempfile.TemporaryDirectory(prefix="legio-")
        self.stage = Stage(Path(self.folder.name), Manner(max_live, window, replies, gather))
        self.laws = Laws(self.stage.world, windowed=window < ENDLESS)
        self.max_live = max_live
        self.written: list[Update] = []
        self.late: list[Update] = []
        self.says: dict[int, str] = {}
        self.answers = self.looked = self.ends = self.received = 0
        for each in to:
            self._write(each, None, self.stage.world.undelivered)
        self.stage.do(_nothing, turns=30)

    @rule(
        act=weighted(Caesar.WRITES, Caesar.WRITES, Caesar.WRITES, kinds=Caesar),
        to=addresses,
        reply=st.none() | anyone,
        name=agents,
        turns=turns,
    )
    def caesar(self, act: Caesar, to: str, reply: int | None, name: str, turns: int) -> None:
        legatus = self.stage.life.legatus
        match act:
            case Caesar.WRITES:
                self._write(to, reply, self.stage.world.undelivered)
            case Caesar.WRITES_AND_IT_COMES_LATE:
                self.stage.world.undelivered.extend(self.late)
                self.late = []
                self._write(to, reply, self.late)
            case Caesar.IS_REPEATED:
                self.stage.world.undelivered.extend(it for it in self.written[-2:] if it not in self.late)
            case Caesar.STOPS_ONE:
                self.stage.do(lambda: legatus.stop(name))
            case Caesar.STOPS_ALL:
                self.stage.do(legatus.stop)
            case Caesar.STOPS_WHO_DOES_NOT_HEAR:
                self.stage.life.theatre.deaf = True
                self.stage.do(legatus.stop)
                self.stage.pass_time(GRACE_SECONDS + 1)
                self.stage.life.theatre.deaf = False
            case Caesar.WRITES_AND_STOPS:
                self._write(to, reply, self.stage.world.undelivered)
                self.stage.do(_nothing, turns=turns)
                self.stage.do(legatus.stop)
            case Caesar.RESETS:
                self.stage.do(lambda: legatus.reset(name))
            case _:
                assert_never(act)
        self.stage.do(_nothing, turns=turns)

    @rule(edits=st.booleans(), to=addresses, which=anyone, turns=turns)
    def caesar_changes_his_mind(self, edits: bool, to: str, which: int, turns: int) -> None:  # noqa: FBT001
        """He edits what he wrote, or writes something else that cannot wait."""
        if edits:
            self._edit(to, which)
        else:
            self._write(f"!{to}", None, self.stage.world.undelivered)
        self.stage.do(_nothing, turns=turns)

    @precondition(lambda self: self.stage.life.theatre.open)
    @rule(
        act=weighted(*[Model.ANSWERS] * 3, kinds=Model),
        which=anyone,
        turns=turns,
    )
    def model(self, act: Model, which: int, turns: int) -> None:
        waiting = self.stage.life.theatre.open
        asked = waiting[which % len(waiting)]
        match act:
            case Model.ANSWERS:
                self._answer(asked)
            case Model.ANSWERS_AT_THE_END_OF_ITS_CONTEXT:
                self._answer(asked, tokens=MOST_TOKENS + 1)
            case _:
                self.stage.do(lambda: asked.end(FAILURES[act]))
        self.stage.do(_nothing, turns=turns)

    @rule(
        to=st.sampled_from([*NAMES, "caesar", "all"]),
        posted=st.booleans(),
        stopped=st.none() | st.integers(0, 12),
        turns=turns,
    )
    def the_legatus_acts(self, to: str, posted: bool, stopped: int | None, turns: int) -> None:  # noqa: FBT001
        """He dispatches or posts, perhaps while he is stopped; if nobody asks him, Caesar does."""
        if not self._of_the_legatus():
            self._write("", None, self.stage.world.undelivered)
            self.stage.do(_nothing, turns=40)
        legatus = self.stage.life.legatus
        if stopped is not None:
            self.stage.do(lambda: legatus.stop(LEGATUS), turns=stopped)
        for asked in self._of_the_legatus():
            if posted or to not in NAMES:
                self._use(asked, lambda: legatus.dispatches.post("hear this", [to]))
            else:
                self._use(asked, lambda: legatus.dispatches.ask(to, "do this"))
        self.stage.do(_nothing, turns=turns)

    @rule(
        what=weighted(Trouble.TELEGRAM, Trouble.TELEGRAM, kinds=Trouble),
        name=agents,
        moods=st.lists(st.sampled_from(list(Mood)), min_size=1, max_size=3),
    )
    def fate(self, what: Trouble, name: str, moods: list[Mood]) -> None:
        theatre = self.stage.life.theatre
        match what:
            case Trouble.TRANSCRIPT_LOST:
                theatre.shelf.lost = True
            case Trouble.DIES_BEFORE_IT_IS_TOLD:
                theatre.dying = True
            case Trouble.CANNOT_BE_STARTED:
                theatre.broken ^= {name}
            case Trouble.OUTGROWN:
                theatre.outgrown = not theatre.outgrown
            case Trouble.PROMPTS_EDITED:
                for agent in AGENTS:
                    path = self.stage.world.castra.prompt(agent)
                    path.write_text(path.read_text() + "And more.\n")
            case Trouble.TELEGRAM:
                self.stage.world.chat.moods.extend(moods)
            case _:
                assert_never(what)

    @rule(killed=st.booleans(), hours=st.sampled_from([0] * 8 + [1, 30]), turns=turns)
    def legio_ends_and_begins(self, killed: bool, hours: int, turns: int) -> None:  # noqa: FBT001
        self.stage.life.clock.shift += timedelta(hours=hours)
        if killed:
            self.stage.crash()
        else:
            self.stage.restart()
        self.looked = 0
        self.ends += 1
        self.stage.do(_nothing, turns=turns)

    @rule(
        seconds=st.sampled_from([0.0, 0.5, 3.0, 31.0, 130.0, 700.0, 2000.0]),
        hours=st.sampled_from([0, 0, 0, -1, 1]),
        turns=turns,
    )
    def time_passes(self, seconds: float, hours: int, turns: int) -> None:
        """And somebody may set the wall clock."""
        self.stage.life.clock.shift += timedelta(hours=hours)
        self.stage.pass_time(seconds)
        self.stage.do(_nothing, turns=turns)

    @rule(to=addresses, seconds=st.sampled_from([0.0, 5.0]))
    def all_is_well_for_a_while(self, to: str, seconds: float) -> None:
        """Without this nobody would come far enough for anything to be broken."""
        self.stage.life.theatre.broken.clear()
        self._write(to, None, self.stage.world.undelivered)
        self.stage.do(_nothing, turns=40)
        for asked in self.stage.life.theatre.open:
            self._answer(asked)
        self.stage.do(_nothing, turns=40)
        self.stage.pass_time(seconds)

    @invariant()
    def the_laws_hold(self) -> None:
        asked = self.stage.life.theatre.asked
        self.laws.look(asked[self.looked :])
        self.looked = len(asked)

    # --- the end -------------------------------------------------------------------------------------------

    def teardown(self) -> None:
        if not hasattr(self, "stage"):
            return
        try:
            self._all_is_answered_in_the_end()
            self.received = len(self.stage.world.rows("SELECT id FROM turns"))
        finally:
            self.stage.close()
            self.folder.cleanup()

    def _all_is_answered_in_the_end(self) -> None:
        world, theatre = self.stage.world, self.stage.life.theatre
        world.chat.moods.clear()
        theatre.broken.clear()
        theatre.deaf = theatre.dying = False
        world.undelivered.extend(self.late)
        for _ in range(ROUNDS):
            self.stage.do(_nothing, turns=20)
            for asked in theatre.open:
                self._answer(asked)
            self.stage.pass_time(1.0)
            self.the_laws_hold()
            if not self._owed():
                break
        assert not self._owed(), f"left in the end: {self._owed()}"
        self._nothing_is_lost_or_doubled()
        assert theatre.most_live <= self.max_live

    def _nothing_is_lost_or_doubled(self) -> None:
        """Each of Caesar's messages leads to what it says now; what was put right is said twice, once so."""
        rows = self.stage.world.rows
        query = "SELECT nuntii.text FROM messages JOIN nuntii ON nuntii.seq = messages.seq WHERE message = ?"
        for number, text in self.says.items():
            ((said,),) = rows(query, number)
            assert text in _lines(said), f"{number} says {text!r}, and led to {said!r}"
        texts = [row["text"] for row in rows("SELECT text FROM nuntii WHERE sender = 'caesar'")]
        lines = Counter(line for text in texts if not text.startswith(CORRECTION) for line in _lines(text))
        assert set(lines.values()) <= {1}, f"said twice: {lines}"
        ever = {_text(each).removeprefix("!").strip() for each in self.written}
        assert set(lines) <= ever, f"nobody said: {set(lines) - ever}"

    def _owed(self) -> dict[str, int]:
        """What is still to be done, by kind."""
        rows = self.stage.world.rows
        counts = {
            "turns": rows("SELECT count(*) FROM turns WHERE ended IS NULL")[0][0],
            "letters": rows("SELECT count(*) FROM inbox WHERE ended IS NULL")[0][0],
            "parcels": rows("SELECT count(*) FROM outbox WHERE state IN ('pending', 'sending')")[0][0],
            "updates": len(self.stage.world.undelivered),
            "asks": len([asked for asked in self.stage.life.theatre.asked if not asked.over]),
        }
        return {what: count for what, count in counts.items() if count}

    # --- hands ---------------------------------------------------------------------------------------------

    def _write(self, to: str, reply: int | None, where: list[Update]) -> None:
        number = len(self.written) + 1
        more: dict[str, Any] = {}
        if reply is not None:
            more["reply_to_message"] = message("(earlier)", message_id=self._message(reply))
        body = message(f"{to} order {number}.", message_id=CAESARS_MESSAGES + number, **more)
        self.written.append(update("message", body, number=number))
        self.says[CAESARS_MESSAGES + number] = _text(self.written[-1]).removeprefix("!").strip()
        where.append(self.written[-1])

    def _edit(self, to: str, which: int) -> None:
        """Telegram brings no edit before the message that was edited."""
        late = {each.message.message_id for each in self.late if each.message}
        messages = [each for each in self.says if each not in late]
        if messages:
            number, edited = len(self.written) + 1, messages[which % len(messages)]
            body = message(f"{to} order {number}.", message_id=edited, edit_date=1_790_000_001)
            self.written.append(update("edited_message", body, number=number))
            self.says[edited] = _text(self.written[-1]).strip()
            self.stage.world.undelivered.append(self.written[-1])

    def _message(self, which: int) -> int:
        """The Telegram id of any message in the chat, Caesar's own or one of Legio's."""
        rows = self.stage.world.rows("SELECT message FROM messages ORDER BY message")
        ids = [*(row["message"] for row in rows), CAESARS_MESSAGES]
        return int(ids[which % len(ids)])

    def _answer(self, asked: Asked, *, tokens: int = 100) -> None:
        self.answers += 1
        answer = Answered(f"answer {self.answers}.", replace(USAGE, context_tokens=tokens))
        self.stage.do(lambda: asked.end(answer))

    def _of_the_legatus(self) -> list[Asked]:
        return [asked for asked in self.stage.life.theatre.asked if asked.agent == LEGATUS and not asked.over]

    def _use(self, asked: Asked, tool: Callable[[], Any]) -> None:
        self.stage.do(lambda: asked.use("tool", tool))


def _text(update: Update) -> str:
    message = update.message or update.edited_message
    return str(message.text) if message else ""


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.split("\n")]


def _nothing() -> None: ...
