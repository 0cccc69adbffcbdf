"""How often a chat may be written to: one allowance, of which the answers have the first claim.

Telegram bears about a message a second in a chat, and short bursts; an edit counts as a message. So answers,
edits and drafts draw on one budget a chat. What is passing leaves enough in it that an answer never has to
wait for it, and it is silent for as long as Telegram asks. Nothing here waits or sends.
"""

from typing import Final

from legio.ports import Clock

PER_SECOND: Final = 1.0
BURST: Final = 9
"""What Telegram bears in one chat in the long run, and at once. It names no figure for its short bursts: this
is one less than the embedded server enforces, as what is sent a second apart may arrive closer together."""

KEPT_FOR_AN_ANSWER: Final = 4
"""While somebody is at work, room is left for one answer of four messages."""

TYPING_BURST: Final = 3
"""Typing is no message; this keeps it from becoming a flood of its own."""

_ALMOST: Final = 1 - 1e-9
"""A token counts as whole when only the rounding of floats is missing: else a waiter would wait for ever."""


def kept(at_work: int) -> int:
    """How much room what is passing leaves for the answers of so many, who may all answer at once."""
    return min(max(at_work, KEPT_FOR_AN_ANSWER), BURST - 1) if at_work else 0


class Pace:
    """A token bucket: `burst` at once, and `per_second` in the long run. One loop; nothing here waits."""

    def __init__(self, clock: Clock, *, per_second: float, burst: int) -> None:
        self._clock = clock
        self._per_second = per_second
        self._burst = float(burst)
        self._tokens = self._burst
        self._counted = clock.monotonic()

    def take(self, *, keep: int = 0) -> bool:
        """Take a token if there is one beside the `keep` that are left for others."""
        self._refill()
        if self._tokens - keep < _ALMOST:
            return False
        self._tokens = max(self._tokens - 1, 0.0)
        return True

    def delay(self, *, keep: int = 0) -> float:
        """Seconds until there is a token beside those kept; 0 if there is one."""
        self._refill()
        missing = 1 + keep - self._tokens
        return 0.0 if missing <= 1 - _ALMOST else missing / self._per_second

    def drain(self) -> None:
        """Forget what was saved up: whoever keeps the true count has none left."""
        self._refill()
        self._tokens = 0.0

    def _refill(self) -> None:
        now = self._clock.monotonic()
        self._tokens = min(self._burst, self._tokens + (now - self._counted) * self._per_second)
        self._counted = now


class Budget:
    """What one chat bears. `messages` is for whoever must send; the rest is for what is passing.

    `owed` is how many messages wait to be sent: they go first.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._typing = Pace(clock, per_second=PER_SECOND, burst=TYPING_BURST)
        self._quiet_until = 0.0
        self.messages = Pace(clock, per_second=PER_SECOND, burst=BURST)
        self.owed = 0

    def spare(self, keep: int) -> bool:
        """Take room for an edit or a draft, if there is any beside what is kept and Telegram bears it now."""
        return not self.quiet and self.messages.take(keep=keep + self.owed)

    def spare_delay(self, keep: int) -> float:
        """Seconds until `spare` may succeed."""
        return max(
            self._quiet_until - self._clock.monotonic(), self.messages.delay(keep=keep + self.owed), 0.0
        )

    def typing(self) -> bool:
        """Whether typing may be shown now."""
        return not self.quiet and self._typing.take()

    def flooded(self, seconds: float) -> None:
        """Telegram asked to be left alone for so long: nothing was saved up there."""
        self.messages.drain()
        self.hush(seconds)

    def hush(self, seconds: float) -> None:
        """Nothing passing for so long."""
        self._quiet_until = max(self._quiet_until, self._clock.monotonic() + seconds)

    @property
    def quiet(self) -> bool:
        """Whether nothing passing is to be sent."""
        return self._clock.monotonic() < self._quiet_until


class Budgets:
    """The budget of each chat, made on first use."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._chats: dict[int, Budget] = {}

    def of(self, chat: int) -> Budget:
        """The chat's."""
        return self._chats.setdefault(chat, Budget(self._clock))
