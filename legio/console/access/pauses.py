"""How often one may try, and how fast one may write: it counts and tells times, and refuses nothing."""

from collections import OrderedDict
from dataclasses import dataclass
from typing import Final

from legio.ports import Clock

FREE_TRIES: Final = 5
FREE_TRIES_OF_ALL: Final = 20
FIRST_SECONDS: Final = 30.0
LONGEST_SECONDS: Final = 3600.0
"""At most 24 guesses a day for ever: one of a million codes, three of which are good at a time."""
FORGOTTEN_SECONDS: Final = 86_400.0
MOST_KEPT: Final = 1000
"""So many addresses are remembered; whoever has more than that is held by what all of them may."""

WRITES: Final = 120
WRITES_A_SECOND: Final = 4.0


@dataclass(slots=True)
class _Failures:
    count: int = 0
    until: float = 0.0
    last: float = 0.0


class Pauses:
    """After `free` failures of one name each further one doubles how long it has to wait."""

    def __init__(self, clock: Clock, *, free: int = FREE_TRIES) -> None:
        self._clock = clock
        self._free = free
        self._failures: OrderedDict[str, _Failures] = OrderedDict()

    def left(self, name: str) -> float:
        """For how many seconds the name still has to wait; 0 when it may try."""
        failures = self._failures.get(name)
        return 0.0 if failures is None else max(0.0, failures.until - self._clock.monotonic())

    def failed(self, name: str) -> None:
        """One more failure."""
        now = self._clock.monotonic()
        failures = self._failures.setdefault(name, _Failures())
        self._failures.move_to_end(name)
        if now - failures.last > FORGOTTEN_SECONDS:
            failures.count = 0
        failures.count += 1
        failures.last = now
        if failures.count >= self._free:
            # The exponent is bounded: a float has no room for a patient attacker's.
            doubled = FIRST_SECONDS * 2.0 ** min(failures.count - self._free, 20)
            failures.until = now + min(doubled, LONGEST_SECONDS)
        while len(self._failures) > MOST_KEPT:
            self._failures.popitem(last=False)

    def forgive(self, name: str) -> None:
        """What the name did is forgotten."""
        self._failures.pop(name, None)

    def take_back(self, name: str) -> None:
        """The last failure was none."""
        failures = self._failures.get(name)
        if failures is not None:
            failures.count -= 1
            failures.until = 0.0  # it could not have been tried before the pause was over


class Tries:
    """The failures of each address, and of all together: an attacker may have many addresses."""

    def __init__(self, clock: Clock) -> None:
        self._of_each = Pauses(clock)
        self._of_all = Pauses(clock, free=FREE_TRIES_OF_ALL)

    def left(self, address: str) -> float:
        """For how many seconds that address may not try."""
        return max(self._of_each.left(address), self._of_all.left(""))

    def begun(self, address: str) -> None:
        """A try counts as a failure from its beginning: a thousand at once are a thousand."""
        self._of_each.failed(address)
        self._of_all.failed("")

    def went_well(self, address: str) -> None:
        """The try that was begun was none of an attacker's."""
        self._of_each.forgive(address)
        self._of_all.take_back("")


class Quota:
    """So many writes at once, and so many a second for ever; for each name."""

    def __init__(self, clock: Clock, *, most: int = WRITES, a_second: float = WRITES_A_SECOND) -> None:
        self._clock = clock
        self._most = float(most)
        self._a_second = a_second
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, name: str) -> float:
        """Take one; returns 0, or how many seconds there is none."""
        now = self._clock.monotonic()
        left, since = self._left.get(name, (self._most, now))
        left = min(self._most, left + (now - since) * self._a_second)
        granted = left >= 1.0
        self._left[name] = (left - 1.0 if granted else left, now)
        self._left.move_to_end(name)
        while len(self._left) > MOST_KEPT:
            self._left.popitem(last=False)
        return 0.0 if granted else (1.0 - left) / self._a_second
