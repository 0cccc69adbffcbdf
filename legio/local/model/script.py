"""What a model server shall do with one request, as a closed union of values: a script.

The recruit writes scripts, a test or a bench may write others, and the server performs them. Nothing here
knows how.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class ToolUse:
    """A tool to be called. `name` is the name as it was offered, with its server's prefix."""

    name: str
    arguments: Mapping[str, object] = field(default_factory=dict)


class Ending(StrEnum):
    """How an answer ends: whole, or in its middle in one of the ways that a network has."""

    WHOLE = "whole"
    STALL = "stall"
    CUT = "cut"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer with status 200: thinking, text and tool calls in this order, each left out when empty.

    `delay` is in seconds before the first byte, `pace` in seconds between two pieces of the stream; None
    takes the server's own.
    """

    text: str = ""
    thinking: str = ""
    calls: tuple[ToolUse, ...] = ()
    delay: float | None = None
    pace: float | None = None
    ending: Ending = Ending.WHOLE


@dataclass(frozen=True, slots=True)
class Failure:
    """An HTTP error in the API's own shape; `retry_after` is in seconds and sent only when given."""

    status: int
    message: str = "scripted failure"
    retry_after: int | None = None
    delay: float | None = None


@dataclass(frozen=True, slots=True)
class Silence:
    """The connection is kept open and not one byte is sent."""


@dataclass(frozen=True, slots=True)
class Verbatim:
    """Status 200 and exactly this body, streamed or not: what no well-behaved server sends."""

    body: bytes
    kind: str = "text/event-stream; charset=utf-8"


@dataclass(frozen=True, slots=True)
class Retried:
    """`first` for the first `times` tries of the same request, and `then` for those after them."""

    first: "Performed"
    times: int
    then: "Script"


Performed: TypeAlias = Answer | Failure | Silence | Verbatim
Script: TypeAlias = Performed | Retried


def on_try(script: Script, earlier: int) -> tuple[Performed, bool]:
    """What to do when a request has had `earlier` tries, and whether no later try would differ."""
    while isinstance(script, Retried):
        if earlier < script.times:
            return script.first, False
        earlier -= script.times
        script = script.then
    return script, True
