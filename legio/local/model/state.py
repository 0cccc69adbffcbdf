"""What a Messages API server holds while it runs, and the handles that tests and benches turn.

It decides which script a request gets: first what was scripted by hand, then what the recruit says; and it
counts the tries of a request, because a script may want the first ones to fail.
"""

import asyncio
import hmac
from collections import Counter, OrderedDict, deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from enum import StrEnum

from legio.local.model.recruit import recruit
from legio.local.model.request import ModelRequest
from legio.local.model.script import Performed, Script, on_try
from legio.local.model.usage import PromptCache

KEPT_REQUESTS = 200
MAX_TRIED = 1000

Recruit = Callable[[ModelRequest], Script]
Match = Callable[[ModelRequest], bool]


class Outcome(StrEnum):
    """How the server ended one request: the keys of its counters."""

    ANSWERED = "answered"
    FAILED = "failed"
    BROKEN = "broken"
    GONE = "gone"
    STOPPED = "stopped"
    REFUSED = "refused"
    COUNTED = "counted"


@dataclass(frozen=True, slots=True)
class _Order:
    script: Script
    match: Match


@dataclass(frozen=True, slots=True)
class _Tried:
    script: Script
    times: int


class ModelState:
    """One server's state, for one event loop.

    `latency` is in seconds before the first byte and `pace` in seconds between two pieces, both for scripts
    that say nothing of their own. With `key`, requests without that key or bearer token are refused. The
    last `keep` requests stand in `requests`, `counters` says how requests ended, `running` how many are
    being performed now.
    """

    def __init__(
        self,
        *,
        latency: float = 0.0,
        pace: float = 0.0,
        key: str | None = None,
        keep: int = KEPT_REQUESTS,
        answer: Recruit = recruit,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self.latency = latency
        self.pace = pace
        self.key = key
        self.requests: deque[ModelRequest] = deque(maxlen=keep)
        self.counters: Counter[Outcome] = Counter()
        self.running = 0
        self.cache = PromptCache()
        self.sleep = sleep
        self.stopping = asyncio.Event()
        self._answer = answer
        self._orders: deque[_Order] = deque()
        self._tried: OrderedDict[str, _Tried] = OrderedDict()

    def script_next(self, script: Script, *, match: Match = lambda _: True) -> None:
        """Give the next request that `match`es this script instead of the recruit's; once, in order."""
        self._orders.append(_Order(script, match))

    def admits(self, credential: str) -> bool:
        """Whether a request with that credential may come in."""
        return self.key is None or hmac.compare_digest(self.key.encode(), credential.encode())

    def decide(self, request: ModelRequest) -> Performed:
        """What is done about this try of `request`, which is now on record."""
        self.requests.append(request)
        earlier = self._tried.pop(request.fingerprint, None) if self._tried else None
        tried = earlier or _Tried(self._ordered(request) or self._answer(request), 0)
        script, final = on_try(tried.script, tried.times)
        if not final:
            self._tried[request.fingerprint] = replace(tried, times=tried.times + 1)
        while len(self._tried) > MAX_TRIED:
            self._tried.popitem(last=False)
        return script

    def _ordered(self, request: ModelRequest) -> Script | None:
        for order in self._orders:
            if order.match(request):
                self._orders.remove(order)
                return order.script
        return None
