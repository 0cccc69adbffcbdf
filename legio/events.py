"""What an agent does in a turn, as a closed union of frozen values.

The SDK gate translates every foreign message into one of these or drops it; everything after it matches
on them and ends with `assert_never`. A turn is any number of steps and then exactly one end.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum


@dataclass(frozen=True, slots=True)
class Usage:
    """What one turn took: differences, never session totals.

    Tokens are counts summed over the turn's model calls, `input_tokens` without cached ones. `cost_usd`
    is in US dollars. `context_tokens` is the size of the thread now: input, cached input and output of the
    last call alone.
    """

    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    cost_usd: float = 0.0
    context_tokens: int = 0
    model: str = ""


class Fault(StrEnum):
    """Why a turn failed, in as many kinds as Caesar can act on."""

    CREDENTIAL = "credential"
    FORBIDDEN = "forbidden"
    RATE_LIMIT = "rate_limit"
    OVERLOADED = "overloaded"
    UNREACHABLE = "unreachable"
    CONTEXT_FULL = "context_full"
    REFUSED = "refused"
    EMPTY = "empty"
    STALLED = "stalled"
    TOO_LONG = "too_long"
    CRASHED = "crashed"
    UNFIT = "unfit"
    INTERNAL = "internal"


ADVICE = {
    Fault.CREDENTIAL: "the model did not accept the credential. Renew it, then restart Legio.",
    Fault.FORBIDDEN: "the model's provider refused this account. Look at its billing and permissions.",
    Fault.RATE_LIMIT: "the model's rate limit is used up. Write again in some minutes.",
    Fault.OVERLOADED: "the model is overloaded. Write again in a moment.",
    Fault.UNREACHABLE: "the model could not be reached. Look at the network, then write again.",
    Fault.CONTEXT_FULL: "the conversation had outgrown the model. Write again: it goes on in a new thread.",
    Fault.REFUSED: "the model did not accept the request. Put it differently, or choose another by /model.",
    Fault.EMPTY: "the model ended without a word. Write again.",
    Fault.STALLED: "nothing was heard from the model for too long, so the turn was ended. Write again.",
    Fault.TOO_LONG: "the turn took longer than it may, so it was ended. Ask for less at once.",
    Fault.CRASHED: "its process ended in the middle of the turn. Write again: the thread is kept.",
    Fault.UNFIT: "it cannot be started as it is set up.",
    Fault.INTERNAL: "Legio itself failed; it is in the log. Write again.",
}
"""What Caesar is told of each fault: what it was, and what to do."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """The turn was given to its agent, who has not begun with it."""


@dataclass(frozen=True, slots=True)
class Held:
    """The turn may not begin before Caesar has said his word on `matter`."""

    matter: str


@dataclass(frozen=True, slots=True)
class Connected:
    """The thread that answers is known: its id, to be resumed by later."""

    thread: str


@dataclass(frozen=True, slots=True)
class Thinking:
    """The model was asked and has not said anything yet."""


@dataclass(frozen=True, slots=True)
class Writing:
    """The answer so far, whole and not as a difference; shorter again when a stream starts over."""

    text: str


@dataclass(frozen=True, slots=True)
class ToolStarted:
    """A tool was called. `name` is the plain name, without its server's prefix."""

    name: str
    arguments: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ToolEnded:
    """A tool returned, well or with an error; `result` is what it returned, 2,000 characters at most."""

    name: str
    failed: bool
    result: str = ""


@dataclass(frozen=True, slots=True)
class Retrying:
    """A model call failed and is tried again in `seconds`; `status` is the HTTP status, or None."""

    attempt: int
    attempts: int
    seconds: float
    status: int | None


@dataclass(frozen=True, slots=True)
class Answered:
    """The end of a turn that went well: the final assistant text is the reply.

    `mark` is the id of the thread's last message, to which a later failure can be taken back.
    """

    text: str
    usage: Usage
    mark: str = ""


@dataclass(frozen=True, slots=True)
class Failed:
    """The end of a turn that failed. `detail` is for the log, never for Caesar.

    `barren` says that nothing was said or done before it failed: the question alone stands in the thread.
    `until` is when a rate limit ends, aware and in UTC, where that was said.
    """

    fault: Fault
    detail: str
    usage: Usage = field(default_factory=Usage)
    barren: bool = False
    until: datetime | None = None


@dataclass(frozen=True, slots=True)
class Stopped:
    """The end of a turn that was interrupted."""

    usage: Usage = field(default_factory=Usage)


Step = Waiting | Held | Connected | Thinking | Writing | ToolStarted | ToolEnded | Retrying
End = Answered | Failed | Stopped
Event = Step | End
