"""Trouble on request: what Telegram and the network do now and then, done when a test wants it.

Nothing is armed unless somebody asks. The flood limit is the one standing rule, and it too is off by default.
"""

import math
from collections import deque
from dataclasses import dataclass, field
from enum import StrEnum

from legio.local.botapi.wire import Refusal, too_many_requests
from legio.ports import Clock


class Trouble(StrEnum):
    """What happens to a call instead of, or after, what it asks for."""

    FLOOD = "flood"
    SERVER_ERROR = "server_error"
    BAD_GATEWAY = "bad_gateway"
    RESET_BEFORE = "reset_before"
    """The connection breaks, and nothing was done."""
    RESET_AFTER = "reset_after"
    """It was done, and the connection breaks before the answer."""
    HANG = "hang"
    """Nothing is done and nothing is answered until the caller goes away."""
    HANG_AFTER = "hang_after"
    """It was done, and nothing is answered until the caller goes away."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One armed trouble; `retry_after` belongs to a flood."""

    trouble: Trouble
    retry_after: int = 1

    @property
    def done_first(self) -> bool:
        """Whether what was asked for is done before the trouble comes."""
        return self.trouble in {Trouble.RESET_AFTER, Trouble.HANG_AFTER}

    @property
    def at_once(self) -> bool:
        """Whether a connection that gets no answer is broken at once, and not held in silence."""
        return self.trouble in {Trouble.RESET_BEFORE, Trouble.RESET_AFTER}

    def refusal(self) -> Refusal | None:
        """The answer that it gives, if it gives one."""
        match self.trouble:
            case Trouble.FLOOD:
                return too_many_requests(self.retry_after)
            case Trouble.SERVER_ERROR:
                return Refusal(500, "Internal Server Error")
            case Trouble.BAD_GATEWAY:
                return Refusal(502, "Bad Gateway")
            case _:
                return None


class Faults:
    """What is armed, by method."""

    def __init__(self) -> None:
        self._armed: dict[str, deque[Fault]] = {}

    def arm(self, method: str, trouble: Trouble, *, times: int = 1, retry_after: int = 1) -> None:
        """The next `times` calls of `method` meet this, after what was armed before."""
        armed = self._armed.setdefault(method.lower(), deque())
        armed.extend([Fault(trouble, retry_after)] * times)

    def disarm(self) -> None:
        """All is well again."""
        self._armed.clear()

    @property
    def armed(self) -> int:
        """How many troubles have not been met yet."""
        return sum(len(waiting) for waiting in self._armed.values())

    def take(self, method: str) -> Fault | None:
        """What this call meets."""
        armed = self._armed.get(method.lower())
        return armed.popleft() if armed else None


@dataclass(frozen=True, slots=True)
class Allowance:
    """So many at once, and then so many a second."""

    burst: float
    per_second: float = 1.0


@dataclass(slots=True)
class _Bucket:
    level: float
    filled: float


BURST = 10
"""Telegram names no figure for its short bursts. So few are what a careful bot can count on."""


@dataclass(slots=True)
class FloodLimit:
    """Telegram's limits within one chat, enforced with 429; who goes on regardless waits no longer for it.

    Drafts count as edits.
    """

    clock: Clock
    messages: Allowance = Allowance(burst=BURST)
    edits: Allowance = Allowance(burst=BURST)
    _buckets: dict[tuple[int, str], _Bucket] = field(default_factory=dict)

    def message(self, chat: int, count: int = 1) -> None:
        """`count` new messages. Raises `Refusal` 429."""
        self._spend(chat, "messages", self.messages, count)

    def edit(self, chat: int) -> None:
        """One edit or draft. Raises `Refusal` 429."""
        self._spend(chat, "edits", self.edits, 1)

    def _spend(self, chat: int, kind: str, allowance: Allowance, count: int) -> None:
        now = self.clock.monotonic()
        bucket = self._buckets.setdefault((chat, kind), _Bucket(allowance.burst, now))
        bucket.level = min(allowance.burst, bucket.level + (now - bucket.filled) * allowance.per_second)
        bucket.filled = now
        # An album may be larger than the burst: it needs a full bucket and leaves a debt.
        needed = min(count, allowance.burst)
        if bucket.level < needed:
            raise too_many_requests(max(1, math.ceil((needed - bucket.level) / allowance.per_second)))
        bucket.level -= count
