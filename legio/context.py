"""What an agent is told: the system prompt it runs with, and the message that carries a turn.

Whatever people and agents wrote is escaped, so that no text can close a tag and pose as the system. Only a
`prompt.md` stands as it is: it is the system. Equal input gives equal text, byte for byte, and no clock is
read: prompt caching depends on it. When a new prompt or thread is due is the sessions' business.
"""

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC
from enum import StrEnum
from typing import Protocol
from xml.sax.saxutils import escape, quoteattr

from legio.nuntius import Attachment, Nuntius, Turn

EDICTA_CHARACTERS = 20_000
RECORD_CHARACTERS = 80_000
NUNTIUS_CHARACTERS = 40_000
"""What of the record is told at once, and of one nuntius in it: else one endless answer would fill every
thread that hears of it, and every new one that is begun because that one was full."""
QUOTE_CHARACTERS = 200
"""How much of the words that a nuntius is about is told where it is not asked but remembered."""
INTERRUPTED = "Legio was restarted before you could answer this."
RECALLED = (
    "Legio was restarted while you were answering this, which you were given before. Go on where you were:"
    " do not do again what is done, and give the whole answer."
)

_CONTROLS = re.compile("[\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f-\\x9f\\ud800-\\udfff\\ufffe\\uffff]")


class Order(Protocol):
    """As much of an edictum as is told."""

    @property
    def name(self) -> str:
        """Its id, by which it can be read."""

    @property
    def title(self) -> str:
        """Its title."""

    @property
    def text(self) -> str:
        """What it orders."""


@dataclass(frozen=True, slots=True)
class AgentStatus:
    """How a centurio is: his state in a word, for how many seconds, and how many turns wait for him."""

    name: str
    state: str
    seconds: int = 0
    waiting: int = 0


@dataclass(frozen=True, slots=True)
class Told:
    """What goes with a turn beside the record.

    `status` is for the Legatus, and None for all others. A notice is one sentence of Legio's own. `texts` is
    what stands in the text files that came with the nuntius, `flaws` why a file is not shown, or not whole,
    `lent` where one lies in the agent's workspace, all by the attachment's path. `now` is what the owner's
    clock shows, for whoever has to know.
    """

    status: tuple[AgentStatus, ...] | None = None
    notices: tuple[str, ...] = ()
    texts: Mapping[str, str] = field(default_factory=dict)
    flaws: Mapping[str, str] = field(default_factory=dict)
    lent: Mapping[str, str] = field(default_factory=dict)
    now: str = ""


class Source(StrEnum):
    """Where a part of a system prompt comes from."""

    LEGIO = "legio"
    PROMPT = "prompt"
    EDICTA = "edicta"
    ROSTER = "roster"


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a system prompt, as it is told."""

    source: Source
    text: str


def prompt_parts(
    name: str,
    prompt: str,
    edicta: Sequence[Order],
    roster: Sequence[tuple[str, str]] | None = None,
    *,
    edicta_bound: int = EDICTA_CHARACTERS,
) -> tuple[Part, ...]:
    """What the agent `name` is told, whose `prompt.md` has the body `prompt`, in its order.

    The edicta stand in the order given, with their full text as long as all of it together keeps within
    `edicta_bound` characters. `roster` is for the Legatus: name and description of each centurio.
    """
    parts = [Part(Source.LEGIO, f"<agent name={_attribute(name)}/>"), Part(Source.PROMPT, prompt.strip())]
    if edicta:
        parts.append(Part(Source.EDICTA, _edicta(edicta, edicta_bound)))
    if roster is not None:
        parts.append(Part(Source.ROSTER, _block("centuriones", [_centurio(*entry) for entry in roster])))
    return tuple(parts)


def system_prompt(parts: Sequence[Part]) -> str:
    """The parts as one text."""
    return "\n\n".join(part.text for part in parts) + "\n"


def prompt_hash(text: str) -> str:
    """SHA-256 of a system prompt, in hexadecimal."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def message(
    turn: Turn, unseen: Sequence[Nuntius], told: Told, *, new: str = "", recalled: bool = False
) -> str:
    """What the agent is asked in `turn`: what it has to know first, and last of all the nuntius to answer.

    `unseen` are nuntii its thread has not been given, oldest first. `new` is empty where the thread goes on,
    else the reason why it is a new one, in words that follow "because". `recalled` says that the thread was
    given this very message before it was interrupted.
    """
    parts = []
    if new:
        parts.append(_context_notice(new, recorded=bool(unseen)))
    if unseen:
        parts.append(praetorium(turn.agent, unseen))
    if told.status is not None:
        parts.append(_block("centurio_status", [_status(status) for status in told.status]))
    if told.now:
        parts.append(_element("local_time", told.now))
    if turn.interrupted:
        parts.append(_element("interrupted", RECALLED if recalled else INTERRUPTED))
    parts += [_element("notice", notice) for notice in told.notices]
    if turn.nuntius.quote is not None:
        parts.append(_element("quote", turn.nuntius.quote.text, of=turn.nuntius.quote.sender))
    if turn.nuntius.attachments:
        lines = [_attachment(it, told) for it in turn.nuntius.attachments]
        parts.append(_block("attachments", lines))
    return "\n\n".join([*parts, _question(turn.nuntius)])


def praetorium(viewer: str, nuntii: Sequence[Nuntius]) -> str:
    """Nuntii of the record, oldest first, as `viewer` is shown them: the newest that keep the bounds."""
    shown = told_of(nuntii)
    attributes = {"recent": "true", "viewer": viewer}
    if len(shown) < len(nuntii):
        attributes["older_left_out"] = str(len(nuntii) - len(shown))
    return _block("praetorium", [_nuntius(nuntius) for nuntius in shown], **attributes)


def found(viewer: str, nuntii: Sequence[Nuntius]) -> str:
    """Nuntii of the record that `viewer` looked for, the best first: those that keep the bounds."""
    shown = _newest_within(nuntii[::-1], RECORD_CHARACTERS)[::-1]
    attributes = {"found": "true", "viewer": viewer}
    if len(shown) < len(nuntii):
        attributes["left_out"] = str(len(nuntii) - len(shown))
    return _block("praetorium", [_nuntius(nuntius) for nuntius in shown], **attributes)


def probe(new: str) -> str:
    """What a thread is asked that was just begun afresh, to see that it answers; `new` as in `message`."""
    return "\n\n".join(
        [
            _context_notice(new, recorded=False),
            _element("notice", "Answer this with the one word: ready. Wait for Caesar's next message then."),
        ]
    )


# --- the parts ----------------------------------------------------------------------------------------


def told_of(nuntii: Sequence[Nuntius]) -> Sequence[Nuntius]:
    """Those of `nuntii` that are shown at once: the newest, as far as their texts keep the bound."""
    return _newest_within(nuntii, RECORD_CHARACTERS)


def _newest_within(nuntii: Sequence[Nuntius], characters: int) -> Sequence[Nuntius]:
    for index in reversed(range(len(nuntii))):
        characters -= min(len(nuntii[index].text), NUNTIUS_CHARACTERS)
        if characters < 0:
            return nuntii[index + 1 :]
    return nuntii


def _nuntius(nuntius: Nuntius) -> str:
    left_out = len(nuntius.text) - NUNTIUS_CHARACTERS
    return _element(
        "nuntius",
        nuntius.text[:NUNTIUS_CHARACTERS],
        id=nuntius.id,
        sender=nuntius.sender,
        timestamp=nuntius.timestamp.astimezone(UTC).isoformat(timespec="seconds"),
        audience=" ".join(nuntius.audience),
        **({"characters_left_out": str(left_out)} if left_out > 0 else {}),
        **_beside(nuntius),
    )


def _beside(nuntius: Nuntius) -> dict[str, str]:
    """What belongs to a nuntius of the record beside its text, in short."""
    beside = {"origin": nuntius.origin} if nuntius.origin else {}
    if nuntius.quote is not None:
        beside["quote"] = " ".join(nuntius.quote.text.split())[:QUOTE_CHARACTERS]
    if nuntius.attachments:
        beside["attachments"] = ", ".join(it.name for it in nuntius.attachments)
    return beside


def _attachment(attachment: Attachment, told: Told) -> str:
    note = "; ".join(filter(None, (attachment.note, told.flaws.get(attachment.path))))
    return _element(
        "attachment",
        told.texts.get(attachment.path, ""),
        name=attachment.name,
        kind=attachment.kind,
        type=attachment.media_type,
        bytes=str(attachment.size),
        **({"file": told.lent[attachment.path]} if attachment.path in told.lent else {}),
        **({"note": note} if note else {}),
    )


def _edicta(edicta: Sequence[Order], bound: int) -> str:
    """Each edictum that still fits with its text, the others by name: a long one hides none after it."""
    left = bound
    lines = []
    for edictum in edicta:
        if len(edictum.text) <= left:
            left -= len(edictum.text)
            lines.append(_element("edictum", edictum.text, name=edictum.name, title=edictum.title))
        else:
            advice = "Too long to stand here, and in force all the same: read it with read_edictum."
            lines.append(_element("unread_edictum", advice, name=edictum.name, title=edictum.title))
    return _block("edicta", lines)


def _centurio(name: str, description: str) -> str:
    return _element("centurio", description, name=name)


def _context_notice(reason: str, *, recorded: bool) -> str:
    record = (
        "The praetorium is the record: what follows is the newest of what was said that you may see. "
        "Take it as your memory."
        if recorded
        else "The praetorium is the record, and nothing that you may see was said before."
    )
    return _element("context_notice", f"This thread is new, because {reason}. {record}")


def _status(status: AgentStatus) -> str:
    return _element(
        "centurio",
        status.state,
        name=status.name,
        seconds=str(status.seconds),
        waiting=str(status.waiting),
    )


def _question(nuntius: Nuntius) -> str:
    audience = " ".join(nuntius.audience)
    attributes = {"from": nuntius.sender, "id": nuntius.id, "audience": audience}
    if nuntius.origin:
        attributes["origin"] = nuntius.origin
    return _element("message", nuntius.text, **attributes)


# --- XML ----------------------------------------------------------------------------------------------


def _block(tag: str, lines: Sequence[str], **attributes: str) -> str:
    return "\n".join([_opening(tag, attributes), *lines, f"</{tag}>"])


def _element(tag: str, text: str, **attributes: str) -> str:
    return f"{_opening(tag, attributes)}{escape(without_controls(text))}</{tag}>"


def _opening(tag: str, attributes: dict[str, str]) -> str:
    return f"<{' '.join([tag, *(f'{name}={_attribute(value)}' for name, value in attributes.items())])}>"


def _attribute(value: str) -> str:
    return quoteattr(without_controls(value), {'"': "&quot;"})


def without_controls(text: str) -> str:
    """`text` as it is told: one kind of line end, and no sign that a reader does not see and XML forbids."""
    return _CONTROLS.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))
