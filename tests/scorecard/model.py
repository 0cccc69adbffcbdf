"""The model and the way to it fail, in each way that they have: Caesar is told soon, and in plain words.

The fault meets one agent, each time it asks the model about one message of Caesar's; another agent is asked
meanwhile and must not notice. It is over when Caesar was told of it, and then the next message is answered.
"""

import json
import time
from dataclasses import dataclass, field
from pathlib import Path

from legio.local.model import (
    Answer,
    Ending,
    Failure,
    ModelRequest,
    Retried,
    Script,
    Silence,
    Verbatim,
)
from legio.local.model.conversation import read_conversation
from legio.local.model.script import Performed
from legio.local.model.stream import Envelope, Event, encoded, events
from legio.local.model.usage import Weight
from tests.scorecard.scenario import Figures, Scenario
from tests.scorecard.wired import Wired, wired

GROUP = "Model"
BYSTANDER_SECONDS = 4.0
"""How long an agent may take whose model is well, while another's is not."""
RECOVERY_SECONDS = 5.0
MANY = 20
HEAVIEST = 200_000
"""Characters of a request, prompt and tools among them, that no answer in the record may drive it beyond."""
WORDS = "quot homines tot sententiae " * 20

BOUNDS = {
    "LEGIO_CLAUDE_FIRST_BYTE_SECONDS": "1",
    "LEGIO_CLAUDE_STALL_SECONDS": "4",
    "LEGIO_CLAUDE_TURN_SECONDS": "12",
    "LEGIO_CLAUDE_MAX_RETRIES": "1",
}

CREDENTIAL = "⛔ vorenus: the model did not accept the credential. Renew it, then restart Legio."
FORBIDDEN = "⛔ vorenus: the model's provider refused this account. Look at its billing and permissions."
RATE_LIMIT = "⛔ vorenus: the model's rate limit is used up. Write again in some minutes."
OVERLOADED = "⛔ vorenus: the model is overloaded. Write again in a moment."
UNREACHABLE = "⛔ vorenus: the model could not be reached. Look at the network, then write again."
STALLED = "⛔ vorenus: nothing was heard from the model for too long, so the turn was ended. Write again."
EMPTY = "⛔ vorenus: the model ended without a word. Write again."
CONTEXT_FULL = "⛔ vorenus: the conversation had outgrown the model. Write again: it goes on in a new thread."


@dataclass(frozen=True, slots=True)
class Case:
    """What the model does with every try of a request, and what Caesar is told then.

    `told` is the whole text, or its beginning and its end; "" when he gets his answer after all. `within` is
    in seconds. `times` is how often it is done to one request before the model is well again.
    """

    name: str
    does: Performed
    told: tuple[str, str] | str
    within: float
    times: int = 99
    tries: int = 2
    environment: dict[str, str] = field(default_factory=dict)
    quick: bool = False

    @property
    def failing(self) -> bool:
        """Whether the turn ends without an answer."""
        return "".join(self.told).startswith("⛔")

    async def run(self, folder: Path) -> Figures:
        """Make it so some times; the rest of the law is counted at the end."""
        told = recovery = 0.0
        async with wired(folder) as site:
            async with site.legio("vorenus", "pullo", **(BOUNDS | self.environment)):
                for _ in range(self.tries):
                    mark = site.load.say("vorenus")
                    scripted(site, mark, Retried(self.does, self.times, Answer(f"Well again: {mark}")))
                    told = max(told, await self._told(site, mark))
                    recovery = max(recovery, await next_answered(site, failed=mark if self.failing else ""))
            note = (
                f"told after {told:.1f} s of {self.within:g}" if self.told else f"answered after {told:.1f} s"
            )
            return await site.load.figures(tries=self.tries, recovery=recovery, note=note)

    async def _told(self, site: Wired, mark: str) -> float:
        """How long it took until Caesar was told, in exactly these words; the bystander has answered."""
        begun = time.monotonic()
        await site.replied(site.load.say("pullo"), seconds=BYSTANDER_SECONDS)
        await site.replied(mark, seconds=self.within)
        took = time.monotonic() - begun
        (said,) = texts(site, mark)
        match self.told:
            case "":
                assert said.startswith("⚔️ vorenus"), said
                assert mark in said, said
            case str():
                assert said == self.told
            case (first, last):
                assert said.startswith(first), said
                assert said.endswith(last), said
        return took


def scripted(site: Wired, mark: str, script: Script, *, deeds: int | None = None) -> None:
    """Whenever the model is asked this very message, and has made so many tool calls for it, it does that."""

    def asks(request: ModelRequest) -> bool:
        conversation = read_conversation(request)
        return conversation.asked.endswith(mark) and deeds in {None, len(conversation.deeds)}

    for _ in range(MANY):  # a client that asks again in other words makes another request of it
        site.station.model.script_next(script, match=asks)


async def next_answered(site: Wired, *, failed: str) -> float:
    """Seconds until the next message is answered; the one that failed is not asked again with it."""
    mark = site.load.say("vorenus")
    took = await site.settled()
    (request, *_) = requests(site, mark)
    # At most once: it is told from the record, or stands in the thread; never both, and never as a question.
    count = json.dumps(request.body).count(failed) if failed else 0
    assert count <= 1, f"{failed} stands in the next request {count} times"
    return took


def requests(site: Wired, mark: str, *, of: str = "") -> list[ModelRequest]:
    """What the model was asked about one message, by all agents or by one."""
    talks = [(each, read_conversation(each)) for each in site.station.model.requests]
    return [each for each, talk in talks if talk.asked.endswith(mark) and talk.agent.startswith(of)]


def texts(site: Wired, mark: str) -> list[str]:
    return [message.text.plain for message in site.replies(mark)]


# --- answers that no well-behaved server gives ---------------------------------------------------------


def stream(*sent: Event) -> Verbatim:
    return Verbatim(b"".join(map(encoded, sent)))


def whole(text: str = "Hello.") -> list[Event]:
    return list(events(Answer(text), Envelope("ab12", "scripted", Weight(10))))


def unknown_message() -> Verbatim:
    first, *rest = whole()
    return stream(first, {"type": "message_hologram", "hologram": {"depth": 3}}, *rest)


def without_field() -> Verbatim:
    """A `message_start` without the message that it starts."""
    _, *rest = whole()
    return stream({"type": "message_start"}, *rest)


CASES = (
    Case("401", Failure(401, "invalid x-api-key"), CREDENTIAL, 4),
    Case("403", Failure(403, "no permission"), FORBIDDEN, 4),
    Case("429 without retry_after", Failure(429, "This request would exceed your rate limit"), RATE_LIMIT, 4),
    Case(
        "429 with retry_after 2",
        Failure(429, "slow down", retry_after=2),
        ("⛔ vorenus: the model's rate limit is used up until ", ". Write again then."),
        6,
    ),
    Case(
        "429 with retry_after 30, longer than a turn may take",
        Failure(429, "slow down", retry_after=30),
        RATE_LIMIT,
        14,
        tries=1,
    ),
    Case(
        "429 with retry_after 600, longer than the CLI waits",
        Failure(429, "slow down", retry_after=600),
        RATE_LIMIT,
        4,
    ),
    Case("500", Failure(500), OVERLOADED, 4),
    Case("529 always", Failure(529), OVERLOADED, 4),
    Case(
        "529 three times, then success",
        Failure(529),
        "",
        12,
        times=3,
        tries=1,
        environment={"LEGIO_CLAUDE_MAX_RETRIES": "3", "LEGIO_MODEL": "claude-sonnet-4-5"},
        quick=True,
    ),
    Case(
        # Whatever it was told of retries, CLI 2.1.329 gives up on Opus at the third 529 in a row.
        "529 three times on Opus, where the CLI tries no more",
        Failure(529),
        OVERLOADED,
        12,
        times=3,
        environment={"LEGIO_CLAUDE_MAX_RETRIES": "3", "LEGIO_MODEL": "claude-opus-4-5"},
    ),
    Case("no headers for ever", Silence(), UNREACHABLE, 6, quick=True),
    Case("silence in mid-stream", Answer(WORDS, ending=Ending.STALL), STALLED, 8),
    Case("closed in mid-stream", Answer(WORDS, ending=Ending.CUT), UNREACHABLE, 6, quick=True),
    Case("an error in mid-stream", Answer(WORDS, ending=Ending.ERROR), OVERLOADED, 6),
    Case("an unknown message type", unknown_message(), ("⚔️ vorenus", "Hello."), 4),
    Case("a missing field", without_field(), UNREACHABLE, 4),
    Case("not even a stream", Verbatim(b"<html>Log in</html>", "text/html"), UNREACHABLE, 4),
    Case("an empty answer", Answer(), EMPTY, 6),
    Case(
        '"prompt is too long"',
        Failure(400, "prompt is too long: 214748 tokens > 200000 maximum"),
        CONTEXT_FULL,
        6,
    ),
)


# --- the wire, and an answer without end ---------------------------------------------------------------


async def refused(folder: Path) -> Figures:
    """Nobody listens where the model was: a process that lives is told so, and one that has to be started."""
    told = recovery = 0.0
    async with wired(folder) as site:
        async with site.legio("vorenus", **BOUNDS):
            for agent in ("vorenus", "brutus"):
                await site.model_wire.down()
                mark = site.load.say(agent)
                told = max(told, await site.settled(seconds=10))
                assert texts(site, mark) == [UNREACHABLE.replace("vorenus", agent)]
                await site.model_wire.up()
                site.load.say(agent)
                recovery = max(recovery, await site.settled())
        return await site.load.figures(tries=2, recovery=recovery, note=f"told after {told:.1f} s of 10")


async def endless(folder: Path) -> Figures:
    """An answer of 2 MB comes as a message and a document; it holds up nobody, and fills nobody's thread."""
    text = "gallia est omnis divisa; " * 84_000
    async with wired(folder) as site:
        async with site.legio(**(BOUNDS | {"LEGIO_CLAUDE_STALL_SECONDS": "30"})):
            mark = site.load.say("vorenus")
            scripted(site, mark, Answer(text))
            bystander = 0.0
            while not site.replies(mark):
                bystander = max(bystander, await site.replied(site.load.say("pullo")))
            (document,) = [message for message in site.station.telegram.answers if message.media]
            assert document.text.plain == f"The whole answer: {len(text):,} characters."
            assert (first := texts(site, mark)[0]).startswith("⚔️ vorenus"), first
            next_mark = site.load.say("all")
            recovery = await site.settled()
        heavy = max(len(json.dumps(each.body)) for each in requests(site, next_mark))
        assert heavy < HEAVIEST, f"a request of {heavy:,} characters"
        note = f"another agent answered within {bystander:.1f} s; the next requests hold {heavy:,} characters"
        return await site.load.figures(tries=1, recovery=recovery, note=note)


SCENARIOS: tuple[Scenario, ...] = (
    *(Scenario(GROUP, case.name, case.run, RECOVERY_SECONDS, quick=case.quick) for case in CASES),
    Scenario(GROUP, "connections refused", refused, RECOVERY_SECONDS),
    Scenario(GROUP, "an answer of 2 MB", endless, 5),
)
