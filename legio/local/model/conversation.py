"""What the recruit understands of a request: who he is, what he was asked, what he did, what he heard.

The place where the client's reminders and Legio's wrapping are told from the owner's own words, because
the last text of a request is often not what was asked. What to do about it is the rules' business.
"""

import html
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from legio.local.model.request import Call, Image, Message, ModelRequest, Result, Text
from legio.nuntius import CAESAR

NOTICE = "I am a scripted recruit, not a model: I follow a few plain rules. Say `help` to see them."

_AGENT = re.compile(r'<agent name="([^"]*)"')
_REMINDER = re.compile(r"<system-reminder>.*?</system-reminder>", re.DOTALL)
_NOTES = ("[Request interrupted by user", "[Your previous response had no visible output")
"""How the client's own notes in the thread begin: they are not the owner's words."""
_SUMMARY = "This session is being continued from a previous conversation"
"""How the client begins to say what stood in a thread before it was cut."""
_COMPACTION = "CRITICAL: Respond with TEXT ONLY"
"""How the client begins to ask for such a summary; it may stand in one message with what the owner said."""

_SAID = re.compile(
    r'<(?P<element>nuntius|message)\b[^<>]*?\b(?:sender|from)="(?P<sender>[^"]*)"[^<>]*>(?P<text>[^<]*)</(?P=element)>'
)
_FILE = re.compile(r'<attachment name="([^"]*)"[^<>]*>([^<]*)</attachment>')
_QUOTE = re.compile(r'<quote of="([^"]*)">([^<]*)</quote>')
_MENTIONS = re.compile(r"^(?:@[\w-]+[\s,:]+)+")


@dataclass(frozen=True, slots=True)
class Heard:
    """Something that was said to the recruit, or that he was told about."""

    sender: str
    text: str


@dataclass(frozen=True, slots=True)
class File:
    """A file that came with what was asked; `text` is what he is told of its content."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Deed:
    """A tool he called since he was asked, by its plain name, and what came of it."""

    tool: str
    arguments: Mapping[str, object]
    text: str
    failed: bool


@dataclass(frozen=True, slots=True)
class Conversation:
    """All that a rule may look at.

    `asked` is the last thing said, without the mentions in front; `before` everything heard until then,
    oldest first. `tools` maps plain names to offered ones. `introduced` is true when the thread already
    says that its author is scripted. `depth` counts the rules that stand in front of this one. `images`,
    `files` and `quote` came with what was asked: pictures that can be seen, files of which he is told, and
    the words that it is about.
    """

    agent: str
    asked: str
    before: tuple[Heard, ...]
    deeds: tuple[Deed, ...]
    tools: Mapping[str, str]
    introduced: bool
    depth: int = 0
    images: tuple[Image, ...] = ()
    files: tuple[File, ...] = ()
    quote: Heard | None = None


def read_conversation(request: ModelRequest) -> Conversation:
    """What `request` means to the recruit."""
    told = [(index, heard) for index, message in enumerate(request.messages) for heard in _heard(message)]
    asked_at, asked = told[-1] if told else (0, Heard(CAESAR, ""))
    name = _AGENT.search(request.system)
    blocks = request.messages[asked_at].blocks
    wrapped = "\n".join(block.text for block in blocks if isinstance(block, Text))
    return Conversation(
        agent=html.unescape(name[1]) if name else "recruit",
        asked=_MENTIONS.sub("", asked.text.strip()),
        before=tuple(heard for _, heard in told[:-1]),
        deeds=tuple(_deeds(request.messages[asked_at + 1 :])),
        tools={plain_name(tool): tool for tool in request.tools},
        images=tuple(block for block in blocks if isinstance(block, Image)),
        files=tuple(File(*map(html.unescape, found)) for found in _FILE.findall(wrapped)),
        quote=next((Heard(*map(html.unescape, found)) for found in _QUOTE.findall(wrapped)), None),
        introduced=any(NOTICE in text for message in request.messages for text in _written(message)),
    )


def plain_name(tool: str) -> str:
    """A tool's own name, without the `mcp__<server>__` that the client puts in front."""
    return tool.split("__", 2)[-1] if tool.startswith("mcp__") else tool


def _written(message: Message) -> Iterator[str]:
    if message.role == "assistant":
        yield from (block.text for block in message.blocks if isinstance(block, Text))


def _heard(message: Message) -> list[Heard]:
    """What a user message says, in the order of what it is about."""
    if message.role != "user":
        return []
    texts = [_REMINDER.sub("", block.text) for block in message.blocks if isinstance(block, Text)]
    summaries = [Heard("summary", text) for text in texts if text.startswith(_SUMMARY)]
    orders = [Heard("client", text) for text in texts if text.startswith(_COMPACTION)]
    own = [text for text in texts if text.strip() and not text.startswith((*_NOTES, _SUMMARY, _COMPACTION))]
    return summaries + _unwrapped(own) + orders


def _unwrapped(texts: list[str]) -> list[Heard]:
    """What Legio's elements hold, in their order; where none is a message, the bare texts as they are.

    A client joins the text of a failed or interrupted turn and the next one into one message.
    """
    elements = [match for text in texts for match in _SAID.finditer(text)]
    said = [Heard(html.unescape(match["sender"]), html.unescape(match["text"])) for match in elements]
    if not any(match["element"] == "message" for match in elements):
        bare = [text for text in texts[:-1] if not _SAID.search(text)]
        said += [Heard(CAESAR, text.strip()) for text in (*bare, *texts[-1:])]
    return said


def _deeds(messages: tuple[Message, ...]) -> Iterator[Deed]:
    blocks = [block for message in messages for block in message.blocks]
    calls = {block.id: block for block in blocks if isinstance(block, Call)}
    for block in blocks:
        if isinstance(block, Result) and (call := calls.get(block.call)):
            yield Deed(plain_name(call.name), call.arguments, block.text, block.failed)
