"""Agents, their tools and their processes, as the core needs them."""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from legio.events import Event
from legio.ports.enclosures import Picture
from legio.ports.messenger import Block


@dataclass(frozen=True, slots=True)
class Tool:
    """Something an agent may call in this process.

    `schema` is a JSON Schema of type object. `run` takes the validated arguments and returns the text that
    the model reads; a `LegioError` becomes an error result with its message. `together` says that calls of
    one message may run at once; else each waits for the one before it.
    """

    name: str
    description: str
    schema: Mapping[str, object]
    run: Callable[[Mapping[str, object]], Awaitable[str]]
    together: bool = False


def takes(*, optional: Sequence[str] = (), **properties: Mapping[str, object]) -> Mapping[str, object]:
    """A tool's `schema`: these arguments and no others, all needed but the `optional` ones."""
    return {
        "type": "object",
        "properties": properties,
        "required": [name for name in properties if name not in optional],
        "additionalProperties": False,
    }


@dataclass(frozen=True, slots=True)
class Request:
    """A tool that an agent may use only at Caesar's word, in words fit to be shown to him.

    `text` says what would be done and `block` shows it. `thread` is the agent's thread, which is how long an
    allowance may last. Requests of one `scope` are covered by one allowance; `covers` says in words what that
    is.
    """

    agent: str
    thread: str
    tool: str
    text: str
    block: Block | None
    scope: str
    covers: str


Approve = Callable[[Request], Awaitable[bool]]
"""Asks Caesar whether a tool may run: his word out."""


@dataclass(frozen=True, slots=True)
class Server:
    """An MCP server beside Legio: a command with its arguments, or an address with its headers.

    `headers` maps a header to the variable that holds its value. `variables` are those that it needs, with
    their values; they are secrets, and the values stand nowhere else.
    """

    command: str = ""
    args: tuple[str, ...] = ()
    url: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    variables: Mapping[str, str] = field(default_factory=dict, repr=False)


@dataclass(frozen=True, slots=True)
class Brief:
    """All that an agent is started with. Two equal briefs make the same agent.

    `servers` maps an MCP server's name to its tools. `grants` are built-in tools that run unasked, `asks`
    those that need Caesar's word; `external` are the servers beside Legio whose tools are among them, by
    name. `workspace` is the agent's working folder, which no file tool leaves, and `home` its private CLI
    configuration; both exist. No command reads what is `closed`, and commands run without a sandbox only
    where `unsandboxed` allows that. `thread` is the id (a UUID) of the thread to resume, or, with `resume`
    false, the id that a new thread is given; `resume_at` is the last message of it that still counts, ""
    for all. `history_window` bounds what a turn is told, in nuntii.
    """

    name: str
    system_prompt: str
    servers: Mapping[str, tuple[Tool, ...]]
    workspace: Path
    home: Path
    approve: Approve
    history_window: int
    model: str | None = None
    effort: str | None = None
    grants: tuple[str, ...] = ()
    asks: tuple[str, ...] = ()
    external: Mapping[str, Server] = field(default_factory=dict)
    closed: tuple[Path, ...] = ()
    unsandboxed: bool = False
    thread: str = ""
    resume: bool = False
    resume_at: str = ""


@dataclass(frozen=True, slots=True)
class Process:
    """A process of the machine: its pid, and when it was started in seconds since the epoch.

    The two together name one process for ever; a pid alone may have come to an innocent one.
    """

    pid: int
    started: float


class Processes(Protocol):
    """The processes behind agents, beyond the life of whoever started them."""

    def end(self, process: Process) -> bool:
        """1. Kills it and all it has started; False, and nothing is done, if none of that lives any more."""

    async def megabytes(self, process: Process) -> float:
        """2. The resident memory of it and all it has started; 0.0 if it is gone."""


class Agent(Protocol):
    """One client over one thread. Connect, ask and close belong to one task; interrupt may come from any."""

    async def connect(self) -> Process:
        """1. Ready to be asked, or raises: `ThreadLost` if the thread is gone, else `AgentError`."""

    def ask(self, text: str, pictures: Sequence[Picture] = ()) -> AsyncIterator[Event]:
        """2. Yields steps and then exactly one end, whatever happens; never raises but CancelledError.

        One ask at a time. The text reaches the model as it is: no command, no file mention in it runs. The
        pictures stand before it, in their order.
        """

    async def interrupt(self) -> None:
        """3. Ends the running ask with `Stopped`; does nothing when none runs or the process is gone."""

    async def close(self) -> None:
        """4. Idempotent and bounded (10 s); afterwards no process of this agent lives."""

    async def recalls(self, mark: str) -> bool:
        """5. Whether the thread was ever given a text that holds `mark`, whichever process it was in."""


Enlist = Callable[[Brief], Agent]
"""Makes an agent from its brief; nothing is started before `connect`."""
