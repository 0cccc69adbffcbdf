"""What agents do in their turns, kept for the feed: tools and what came of them, retries, waits for Caesar.

It is noticed at once and written soon after, many steps in one transaction, so that no turn waits for it. How
a turn begins and ends is not written here: the record makes those entries itself. Text is written without
secrets, as a tool may return anything.
"""

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from typing import assert_never

import structlog

from legio.brevity import cut
from legio.errors import LegioError
from legio.events import (
    Answered,
    Connected,
    Event,
    Failed,
    Held,
    Retrying,
    Stopped,
    Thinking,
    ToolEnded,
    ToolStarted,
    Waiting,
    Writing,
)
from legio.logs import redacted
from legio.nuntius import Turn
from legio.ports import Clock, Entry, EntryKind, Feed

log = structlog.get_logger()

PAUSE_SECONDS = 0.2
"""Between two writings, of whatever has come together meanwhile."""
AGAIN_SECONDS = 5.0
"""Between two tries while nothing can be written."""
SHOWN_CHARACTERS = 1500
"""So much of what a tool was given or has returned: less than is noticed, so that no secret is cut in two."""
NOTICED_CHARACTERS = 2000
MOST_WAITING = 2000
"""So many steps wait for a disk that cannot be written; then the oldest are given up."""


class Steps:
    """The steps not written yet. `run` is the body of a guarded task; `clean` takes secrets out of a text."""

    def __init__(self, feed: Feed, clock: Clock, clean: Callable[[str], str] = redacted) -> None:
        self._feed = feed
        self._clock = clock
        self._clean = clean
        self._waiting: list[Entry] = []
        self._at_work: Sequence[Entry] = ()
        self._one_at_a_time = asyncio.Lock()
        self._news = asyncio.Event()
        self._trouble = False

    def notice(self, turn: Turn, event: Event) -> None:
        """One step of a turn; most are none of the feed's business."""
        told = _told(event)
        if told is not None:
            kind, text = told
            self._waiting.append(Entry(kind, turn.agent, text, self._clock.now(), turn=turn.id))
            self._news.set()

    async def written(self, agent: str) -> None:
        """Returns once what was noticed of `agent` is written; at once, where nothing was.

        What an agent did stands before what came of it, unless it cannot be written now.
        """
        if not self._trouble and any(entry.agent == agent for entry in (*self._at_work, *self._waiting)):
            await self.flush()

    async def flush(self) -> None:
        """Write all that waits. Never raises: what cannot be written now waits for the next time."""
        async with self._one_at_a_time:
            self._at_work, self._waiting = self._waiting, []
            try:
                if self._at_work:
                    await self._feed.add([self._cleaned(entry) for entry in self._at_work])
                    self._trouble = False
            except LegioError as error:
                self._keep(self._at_work, error)
            except Exception:  # a border: the end of a turn waits for this, and no step may cost it
                log.exception("feed.broke")
            finally:
                self._at_work = ()

    async def run(self) -> None:
        """Write what comes, for ever."""
        while True:
            await self._news.wait()
            self._news.clear()
            await self.flush()
            await self._clock.sleep(AGAIN_SECONDS if self._trouble else PAUSE_SECONDS)

    def _keep(self, unwritten: Sequence[Entry], error: LegioError) -> None:
        """They come first again, and the task that writes has to look again."""
        if not self._trouble:
            log.warning("feed.unwritten", error=str(error), again_in=AGAIN_SECONDS)
        self._trouble = True
        self._waiting = [*unwritten, *self._waiting][-MOST_WAITING:]
        self._news.set()

    def _cleaned(self, entry: Entry) -> Entry:
        name, _, words = entry.text.partition("\n")
        shown = cut(self._clean(words), SHOWN_CHARACTERS)
        text = f"{self._clean(name)}\n{shown}".removesuffix("\n")
        return Entry(entry.kind, entry.agent, text, entry.at, turn=entry.turn)


def _told(event: Event) -> tuple[EntryKind, str] | None:
    """What the feed tells of an event, of a tool its name on the first line; None for what it leaves out."""
    match event:
        case ToolStarted(name=name, arguments=arguments):
            return EntryKind.TOOL, f"{name}\n{_compact(arguments)}"
        case ToolEnded(name=name, failed=failed, result=result):
            return EntryKind.TOOL_ERROR if failed else EntryKind.TOOL_SUCCESS, f"{name}\n{result}"
        case Held(matter=matter):
            return EntryKind.EVENT, f"Waits for Caesar's word on {matter}."
        case Retrying(attempt=attempt, attempts=attempts, seconds=seconds, status=status):
            why = "was not reached" if status is None else f"answered {status}"
            again = f"try {attempt} of {attempts} follows in {seconds:.1f} s"
            return EntryKind.EVENT, f"The model {why}; {again}."
        case Waiting() | Connected() | Thinking() | Writing() | Answered() | Failed() | Stopped():
            return None
        case _:
            assert_never(event)


def _compact(arguments: Mapping[str, object]) -> str:
    """The arguments as JSON on one line, and not all of long ones."""
    short = {
        name: value[:NOTICED_CHARACTERS] if isinstance(value, str) else value
        for name, value in arguments.items()
    }
    if not short:
        return ""
    return json.dumps(short, ensure_ascii=False, separators=(",", ":"), default=str)[:NOTICED_CHARACTERS]
