"""What an agent is doing, in a few words for a phone. Pure, total: any event has its phrase or none.

The tools of Legio are named by what they touch, those of the CLI by their first argument; a tool that nobody
has heard of is named as it is. Nothing here is a promise to a program: only Caesar reads it.
"""

from collections.abc import Callable, Mapping
from pathlib import PurePosixPath
from typing import Final, assert_never
from urllib.parse import urlsplit

from legio.events import (
    Answered,
    Connected,
    Event,
    Failed,
    Retrying,
    Stopped,
    Thinking,
    ToolEnded,
    ToolStarted,
    Writing,
)

THINKING: Final = "Thinking…"

DRAFT_CHARACTERS: Final = 80
"""How much of the answer being written is shown."""

_ARGUMENT_CHARACTERS: Final = 40

Arguments = Mapping[str, object]

_PLAIN: Final[Mapping[str, str]] = {
    "list_edicta": "Reading edicta…",
    "read_edictum": "Reading edicta…",
    "list_acta": "Reading acta…",
    "read_actum": "Reading acta…",
    "list_commentarii": "Reading commentarii…",
    "read_commentarium": "Reading commentarii…",
    "publish_edictum": "Publishing an edictum…",
    "revoke_edictum": "Revoking an edictum…",
    "publish_actum": "Publishing an actum…",
    "write_commentarium": "Writing a commentarium…",
    "get_history": "Reading the history…",
    "list_centuriones": "Calling the roll…",
    "post_nuntius": "Posting a nuntius…",
}


def phrase(event: Event) -> str | None:
    """The words for a step; None for the end of a turn."""
    match event:
        case Connected() | Thinking() | ToolEnded():
            return THINKING
        case Writing(text):
            return _short(text, DRAFT_CHARACTERS) or THINKING
        case ToolStarted(name, arguments):
            return _using(name, arguments)
        case Retrying():
            return f"{_trouble(event.status)}, trying again in {event.seconds:.0f} s"
        case Answered() | Failed() | Stopped():
            return None
        case _:
            assert_never(event)


def _trouble(status: int | None) -> str:
    match status:
        case None:
            return "the model cannot be reached"
        case 429:
            return "the model's rate limit is reached"
        case 529:
            return "the model is overloaded"
        case _:
            return f"the model's server failed ({status})"


def _using(name: str, arguments: Arguments) -> str:
    if name in _PLAIN:
        return _PLAIN[name]
    verb, key, shown = _SPOKEN.get(name, ("", "", _short))
    value = arguments.get(key)
    what = shown(value, _ARGUMENT_CHARACTERS) if isinstance(value, str) else ""
    return f"{verb} {what}…" if what else f"Using {_short(name, _ARGUMENT_CHARACTERS)}…"


def _short(text: str, characters: int) -> str:
    """On one line, and cut with a sign that it was."""
    line = " ".join(text[: characters * 4].split())
    return line if len(line) <= characters else line[: characters - 1].rstrip() + "…"


def _file(path: str, characters: int) -> str:
    return _short(PurePosixPath(path).name, characters)


def _host(url: str, characters: int) -> str:
    try:
        return _short(urlsplit(url).hostname or "", characters)
    except ValueError:
        return ""


_SPOKEN: Final[Mapping[str, tuple[str, str, Callable[[str, int], str]]]] = {
    "dispatch_to_centurio": ("Dispatching to", "name", _short),
    "create_centurio": ("Creating", "name", _short),
    "remove_centurio": ("Removing", "name", _short),
    "Bash": ("Running", "command", _short),
    "Read": ("Reading", "file_path", _file),
    "Edit": ("Editing", "file_path", _file),
    "Write": ("Writing", "file_path", _file),
    "Glob": ("Looking for", "pattern", _short),
    "Grep": ("Searching for", "pattern", _short),
    "WebFetch": ("Reading", "url", _host),
    "WebSearch": ("Searching the web for", "query", _short),
}
