"""Every error Legio raises on purpose, as one tree.

    LegioError                      what, where, and what to do next
    ├── ConfigurationError          legio.toml, the environment or a secret is wrong: all problems at once
    ├── CastraError                 a file or folder of the castra cannot be used
    │   ├── ProfileError            a prompt.md, a name or a roster entry is wrong
    │   └── DocumentError           an edictum, actum or commentarium is wrong, missing or refused
    ├── PraetoriumError             the database cannot be opened or trusted
    │   └── PraetoriumBusy          another Legio holds this castra
    ├── AgentError                  the SDK or its CLI failed outside of a turn
    │   └── ThreadLost              the thread to resume is not there any more
    ├── Outdated                    what was about to be told has been amended meanwhile
    └── Refused                     a tool or a command was asked for what it may not or cannot do

A message is meant for a person: it says what went wrong, where, and what to do. Only the CLI and the
borders named in the house style catch `Exception`; everything expected is one of these.
"""

from dataclasses import dataclass


class LegioError(Exception):
    """An expected failure. `str(error)` is fit to be shown to Caesar as it is."""

    def __init__(self, what: str, *, where: str = "", remedy: str = "") -> None:
        self.what = what
        self.where = where
        self.remedy = remedy
        super().__init__(what)

    def __str__(self) -> str:
        place = f"{self.where}: " if self.where else ""
        advice = f" {self.remedy}" if self.remedy else ""
        return f"{place}{self.what}{advice}"


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong with the configuration: the key (or variable), what, and the remedy."""

    key: str
    what: str
    remedy: str

    def __str__(self) -> str:
        return f"{self.key}: {self.what} {self.remedy}"


class ConfigurationError(LegioError):
    """The configuration cannot be used. `problems` holds every one of them, never the first alone."""

    def __init__(self, problems: tuple[Problem, ...], *, where: str) -> None:
        self.problems = problems
        lines = "\n".join(f"  - {problem}" for problem in problems)
        super().__init__(f"the configuration cannot be used:\n{lines}", where=where)


class CastraError(LegioError):
    """A file or folder of the castra is missing, unwritable, unreadable or outside of it."""


class ProfileError(CastraError):
    """A `prompt.md` or an agent's name cannot be used."""


class DocumentError(CastraError):
    """A document of the memoria is broken, missing, too large, or not this agent's to touch."""


class PraetoriumError(LegioError):
    """The database is corrupt, newer than this program, or cannot be opened."""


class PraetoriumBusy(PraetoriumError):
    """Another Legio works in this castra; the message names its process id."""


class AgentError(LegioError):
    """The Agent SDK or its CLI could not be started, or broke outside of a turn."""


class ThreadLost(AgentError):
    """The thread to resume is unknown to the CLI; a new one has to be bootstrapped."""


class Outdated(LegioError):
    """What was read of the record does not stand there any more: it is to be read once more."""


class Refused(LegioError):
    """What was asked for is not allowed, or makes no sense now. Told to whoever asked, and no more."""
