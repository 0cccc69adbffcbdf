"""The requests of each visit that are being answered: an endless answer is told when its visit is over."""

import asyncio
import contextlib
from collections import defaultdict
from collections.abc import Iterator

from starlette.types import Scope

from legio.loopback import ENDING


class Streams:
    """Belongs to one event loop."""

    def __init__(self) -> None:
        self._open: defaultdict[str, set[asyncio.Event]] = defaultdict(set)

    def end(self, key: str) -> None:
        """That visit is over."""
        for event in self._open.get(key, ()):
            event.set()

    @contextlib.contextmanager
    def of(self, key: str, scope: Scope) -> Iterator[Scope]:
        """While inside, what it yields says when the answer has to end: with visit or server."""
        over, opened = asyncio.Event(), self._open[key]
        opened.add(over)
        try:
            yield {**scope, ENDING: Ending(over, scope.get(ENDING, over))}
        finally:
            opened.discard(over)
            if not opened:
                self._open.pop(key, None)


class Ending:
    """Waits as an event does, for the first of two."""

    def __init__(self, one: asyncio.Event, other: asyncio.Event) -> None:
        self._events = (one, other)

    def is_set(self) -> bool:
        """Whether one of them is."""
        return any(event.is_set() for event in self._events)

    async def wait(self) -> bool:
        """Returns when the first of them is set."""
        waits = [asyncio.ensure_future(event.wait()) for event in self._events]
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for each in waits:
                each.cancel()
            await asyncio.gather(*waits, return_exceptions=True)
        return True
