"""What is said, who hears it, and who owes an answer.

A nuntius is one message with an explicit audience; a turn is one agent's duty to answer one nuntius. This
module holds the values and the visibility rule. It does no I/O and knows no clock: ids and times come in.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

CAESAR = "caesar"
LEGATUS = "legatus"
ALL = "all"
RESERVED = frozenset({CAESAR, LEGATUS, ALL})

NAME = re.compile(r"[a-z][a-z0-9_-]{0,31}")
"""A centurio's name, matched whole and case-sensitive; mentions are folded to lower case first."""


PHOTO = "photo"
"""The kind of an attachment that is a picture to be looked at."""


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file that came or went with a nuntius.

    `path` is where it lies, relative to the castra and with "/", and "" where it was not kept; `name` is what
    its sender called it. `size` is in bytes, `kind` in a word what it was sent as: photo, voice, document.
    `note` is what else there is to say of it, such as why it was not kept.
    """

    path: str
    name: str
    media_type: str
    size: int
    kind: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class Quote:
    """The words that a nuntius is about, and who said them: a name of the legion's, or as Telegram has it."""

    sender: str
    text: str


@dataclass(frozen=True, slots=True)
class Nuntius:
    """One message, as it stands in the praetorium.

    `id` is a UUID; `timestamp` is aware and in UTC; `audience` holds exact names in order, or `("all",)`;
    `reply_to` is the id of the nuntius that this one answers. `seq` is given by the praetorium when the
    nuntius is written, counts up without reuse, and is 0 before that. `origin` says what made it where its
    sender did not write it just then, such as a schedule of his; else it is empty.
    """

    id: str
    sender: str
    text: str
    audience: tuple[str, ...]
    timestamp: datetime
    reply_to: str | None = None
    seq: int = 0
    attachments: tuple[Attachment, ...] = ()
    quote: Quote | None = None
    origin: str = ""

    @property
    def gist(self) -> str:
        """What it says; where it says nothing, the names of what came with it."""
        return self.text or ", ".join(each.name for each in self.attachments)


def visible(viewer: str, nuntius: Nuntius) -> bool:
    """Whether `viewer` may see `nuntius`: the one rule, which the praetorium asks again in SQL."""
    return (
        viewer in (CAESAR, LEGATUS, nuntius.sender)
        or viewer in nuntius.audience
        or nuntius.audience == (ALL,)
    )


def viewers(nuntius: Nuntius) -> tuple[str, ...]:
    """Everybody who may see it by `visible`, in words: each with the part of the rule that lets him."""
    if nuntius.audience == (ALL,):
        return ("everyone",)
    reasons = {CAESAR: "sees everything", LEGATUS: "sees everything"}
    reasons.setdefault(nuntius.sender, "said it")
    for name in nuntius.audience:
        reasons.setdefault(name, "named")
    return tuple(f"{name} ({reason})" for name, reason in reasons.items() if name != ALL)


class TurnState(StrEnum):
    """Where a turn stands. Every turn ends in exactly one of the last four, never in silence."""

    PENDING = "pending"
    RUNNING = "running"
    ANSWERED = "answered"
    FAILED = "failed"
    STOPPED = "stopped"
    EXPIRED = "expired"

    @property
    def ended(self) -> bool:
        """Whether this is an end; a running turn counts as pending in the conservation law."""
        return self not in (TurnState.PENDING, TurnState.RUNNING)


@dataclass(frozen=True, slots=True)
class Turn:
    """One agent's duty to answer `nuntius`.

    `root` is the seq of Caesar's nuntius at the start of it all: for a dispatch it differs from
    `nuntius.seq`. `message` is Telegram's id of Caesar's message, to reply to, or None. `interrupted` is
    true when an earlier process died while this turn ran.
    """

    id: int
    agent: str
    nuntius: Nuntius
    root: int
    message: int | None = None
    state: TurnState = TurnState.PENDING
    interrupted: bool = False


@dataclass(frozen=True, slots=True)
class Tally:
    """The conservation law in figures, counted in turns."""

    received: int
    answered: int
    failed: int
    stopped: int
    expired: int
    pending: int

    @property
    def holds(self) -> bool:
        """received = answered + failed + stopped + expired + pending."""
        ends = self.answered + self.failed + self.stopped + self.expired
        return self.received == ends + self.pending


def reply_audience(agent: str, question: Nuntius, policy: str) -> tuple[str, ...]:
    """Who hears `agent`'s reply to `question` under `[visibility] replies`.

    "addressed": whoever asked and the others who were asked; "caesar": whoever asked; "all": everyone.
    """
    if policy == "all":
        return (ALL,)
    if policy == "addressed" and question.audience == (ALL,):
        return (ALL,)
    heard = [question.sender]
    if policy == "addressed":
        heard += [name for name in question.audience if name != agent]
    return distinct(heard)


def distinct(names: Iterable[str]) -> tuple[str, ...]:
    """The names without repetition, in the order of their first occurrence."""
    return tuple(dict.fromkeys(names))
