"""What an agent is doing, and what became of it, in a few words that follow his name. Pure and total.

The tools of Legio are named by what they touch, those of the CLI by their first argument; a tool that nobody
has heard of is named as it is. Nothing here is a promise to a program: only Caesar reads it.
"""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import PurePosixPath
from typing import Final, assert_never
from urllib.parse import urlsplit

from legio.brevity import on_one_line
from legio.events import (
    Answered,
    Connected,
    Event,
    Failed,
    Fault,
    Held,
    Retrying,
    Stopped,
    Thinking,
    ToolEnded,
    ToolStarted,
    Waiting,
    Writing,
)

WAITING: Final = "waiting"
THINKING: Final = "thinking"
WRITING: Final = "writing"

_ARGUMENT_CHARACTERS: Final = 40

Arguments = Mapping[str, object]

_PLAIN: Final[Mapping[str, str]] = {
    "list_edicta": "reading edicta",
    "read_edictum": "reading edicta",
    "list_acta": "reading acta",
    "read_actum": "reading acta",
    "list_commentarii": "reading commentarii",
    "read_commentarium": "reading commentarii",
    "publish_edictum": "publishing an edictum",
    "revoke_edictum": "revoking an edictum",
    "publish_actum": "publishing an actum",
    "write_commentarium": "writing a commentarium",
    "get_history": "reading the history",
    "search_praetorium": "searching the record",
    "list_centuriones": "calling the roll",
    "post_nuntius": "posting a nuntius",
    "schedule": "setting up a schedule",
    "list_schedules": "reading the schedules",
    "unschedule": "taking away a schedule",
}

_FATES: Final[Mapping[Fault, str]] = {
    Fault.CREDENTIAL: "credential refused",
    Fault.FORBIDDEN: "account refused",
    Fault.RATE_LIMIT: "rate limit",
    Fault.OVERLOADED: "model overloaded",
    Fault.UNREACHABLE: "model not reached",
    Fault.CONTEXT_FULL: "conversation too long",
    Fault.REFUSED: "request refused",
    Fault.EMPTY: "said nothing",
    Fault.STALLED: "went silent",
    Fault.TOO_LONG: "took too long",
    Fault.CRASHED: "process ended",
    Fault.UNFIT: "cannot be started",
    Fault.INTERNAL: "Legio failed",
}

_TO_THE_MINUTE: Final = timedelta(seconds=59, microseconds=999_999)
"""A limit that ends within a minute is over at the next one."""


def phrase(event: Event) -> str | None:
    """The words for a step; None for the end of a turn."""
    match event:
        case Waiting():
            return WAITING
        case Held(matter):
            return f"waiting for your word on {matter}"
        case Connected() | Thinking() | ToolEnded():
            return THINKING
        case Writing(text):
            return WRITING if text.strip() else THINKING
        case ToolStarted(name, arguments):
            return _using(name, arguments)
        case Retrying():
            return f"{_trouble(event.status)}, trying again ({event.attempt} of {event.attempts})"
        case Answered() | Failed() | Stopped():
            return None
        case _:
            assert_never(event)


def fate(end: Answered | Failed | Stopped) -> str:
    """What became of a turn, as far as its sign does not say it."""
    match end:
        case Answered():
            return ""
        case Failed(fault=Fault.RATE_LIMIT, until=datetime() as until):
            return f"rate limit until {until.astimezone(UTC) + _TO_THE_MINUTE:%H:%M} UTC"
        case Failed(fault=fault):
            return _FATES[fault]
        case Stopped():
            return "stopped"
        case _:
            assert_never(end)


def _trouble(status: int | None) -> str:
    match status:
        case None:
            return "model not reached"
        case 429:
            return "rate limit"
        case 529:
            return "model overloaded"
        case _:
            return f"model failed ({status})"


def _using(name: str, arguments: Arguments) -> str:
    if name in _PLAIN:
        return _PLAIN[name]
    verb, key, shown = _SPOKEN.get(name, ("", "", on_one_line))
    value = arguments.get(key)
    what = shown(value, _ARGUMENT_CHARACTERS) if isinstance(value, str) else ""
    return f"{verb} {what}" if what else f"using {on_one_line(name, _ARGUMENT_CHARACTERS)}"


def _file(path: str, characters: int) -> str:
    return on_one_line(PurePosixPath(path).name, characters)


def _host(url: str, characters: int) -> str:
    try:
        return on_one_line(urlsplit(url).hostname or "", characters)
    except ValueError:
        return ""


_SPOKEN: Final[Mapping[str, tuple[str, str, Callable[[str, int], str]]]] = {
    "dispatch_to_centurio": ("dispatching to", "name", on_one_line),
    "create_centurio": ("creating", "name", on_one_line),
    "remove_centurio": ("removing", "name", on_one_line),
    "send_file": ("sending", "path", _file),
    "Bash": ("running", "command", on_one_line),
    "Read": ("reading", "file_path", _file),
    "Edit": ("editing", "file_path", _file),
    "Write": ("writing", "file_path", _file),
    "Glob": ("looking for", "pattern", on_one_line),
    "Grep": ("searching for", "pattern", on_one_line),
    "WebFetch": ("reading", "url", _host),
    "WebSearch": ("searching the web for", "query", on_one_line),
}
