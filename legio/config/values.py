"""The configuration as one frozen value, and the one table of its keys: name, default, rule and meaning.

A field that has a rule is a key; one whose value is made of such fields is a table of keys.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from legio.config.files import FileCommand, MediaTypes
from legio.config.places import HIGHEST_PORT, Address, Folder, Host, Listen, Site, Url
from legio.config.rules import Choice, Number, Rule, Switch, Text, Whole, Zone
from legio.config.servers import ServerConfig

Replies = Literal["addressed", "caesar", "all"]
Streaming = Literal["edit", "draft", "off"]

DAY_SECONDS = 86_400


def key(rule: Rule, meaning: str) -> Mapping[str, Any]:
    """What makes a field a key of the file: the rule for its value, and one line on what it is for."""
    return {"rule": rule, "meaning": meaning}


@dataclass(frozen=True, slots=True)
class TelegramConfig:
    """How Telegram is reached, and who Caesar is there. Both addresses end in `/bot`, as Telegram's do."""

    caesar_id: int | None = field(
        default=None,
        metadata=key(Whole(1, 2**52), "Caesar's numeric Telegram id: nobody else gets a byte back."),
    )
    topics: bool = field(
        default=False,
        metadata=key(Switch(), "Whether each centurio has a topic of his own in the chat."),
    )
    base_url: str = field(
        default="https://api.telegram.org/bot",
        metadata=key(Url("/bot"), "The Bot API server, if it is not Telegram's own."),
    )
    base_file_url: str = field(
        default="https://api.telegram.org/file/bot",
        metadata=key(
            Url("/file/bot"),
            "Where that server hands out files; follows base_url when that alone is given.",
        ),
    )
    webhook_url: str | None = field(
        default=None,
        metadata=key(
            Url(private=True), "The public address Telegram posts updates to; without it they are polled."
        ),
    )
    webhook_listen: Address = field(
        default=Address("127.0.0.1", 8443),
        metadata=key(Listen(), "Where the webhook listens, behind whatever serves webhook_url."),
    )
    streaming: Streaming = field(
        default="edit",
        metadata=key(
            Choice(("edit", "draft", "off")),
            "How an answer is shown while it is written: in the roll-call, as a draft of Telegram's, or not.",
        ),
    )
    gather_seconds: float = field(
        default=1.0,
        metadata=key(
            Number(60, off=True),
            "How quickly a message has to follow to belong to the one before, while that waits; 0 for never.",
        ),
    )
    transcribe: str | None = field(
        default=None,
        metadata=key(
            FileCommand(), "The command that puts a voice message into words, with {file} for its path."
        ),
    )


@dataclass(frozen=True, slots=True)
class AttachmentsConfig:
    """Which of Caesar's files are taken."""

    max_mb: int = field(
        default=20,
        metadata=key(Whole(1, 20), "How large a file may be; Telegram hands out none above 20 MB."),
    )
    types: str = field(
        default="*/*", metadata=key(MediaTypes(), "The media types that are taken, with spaces between them.")
    )


@dataclass(frozen=True, slots=True)
class ClaudeConfig:
    """How the model is reached, and how long it is waited for."""

    base_url: str | None = field(
        default=None, metadata=key(Url(), "A server that speaks the Messages API, if not Anthropic's own.")
    )
    max_retries: int = field(
        default=3, metadata=key(Whole(0, 20), "How often a failed model call is tried again.")
    )
    first_byte_seconds: float = field(
        default=60, metadata=key(Number(DAY_SECONDS), "How long a model call may take to begin.")
    )
    stall_seconds: float = field(
        default=120, metadata=key(Number(DAY_SECONDS), "How long a turn may be silent before it is ended.")
    )
    turn_seconds: float = field(
        default=1800, metadata=key(Number(DAY_SECONDS), "How long a whole turn may take.")
    )
    unsandboxed_bash: bool = field(
        default=False,
        metadata=key(
            Switch(), "Whether commands of agents may run where there is no sandbox, with all your rights."
        ),
    )


@dataclass(frozen=True, slots=True)
class LocalConfig:
    """The chat page of `legio local`."""

    port: int = field(
        default=8470,
        metadata=key(Whole(0, HIGHEST_PORT), "The page's port on 127.0.0.1; 0 takes a free one."),
    )


@dataclass(frozen=True, slots=True)
class ConsoleConfig:
    """Where the running Legio can be looked at: the console's page, /healthz, /readyz and /metrics."""

    port: int = field(
        default=8471,
        metadata=key(Whole(0, HIGHEST_PORT), "The port of console, health and metrics; 0 serves none."),
    )
    host: str = field(
        default="127.0.0.1",
        metadata=key(Host(), "Where it listens; any address but this machine's own wants tls_in_front."),
    )
    public_url: str | None = field(
        default=None,
        metadata=key(
            Site(), "The address of the console from outside: for your phone, and for Telegram's menu button."
        ),
    )
    tls_in_front: bool = field(
        default=False,
        metadata=key(
            Switch(), "Whether a proxy of yours, which speaks TLS, is all that can reach host and port."
        ),
    )


@dataclass(frozen=True, slots=True)
class BackupConfig:
    """The nightly backups. `folder` is absolute once it was loaded."""

    keep: int = field(
        default=7, metadata=key(Whole(0, 1000), "How many nightly backups are kept; 0 makes none.")
    )
    hour: int = field(
        default=3, metadata=key(Whole(0, 23), "The hour of this machine's day from which one is due.")
    )
    folder: Path = field(
        default=Path("backups"),
        metadata=key(Folder(), "Where backups are written; starts from this file's folder."),
    )


@dataclass(frozen=True, slots=True)
class BudgetConfig:
    """What a day may cost, in US dollars, before Caesar is asked."""

    day_usd: float | None = field(
        default=None,
        metadata=key(Number(1_000_000), "What all agents together may cost a day; Caesar is asked above it."),
    )
    agent_day_usd: float | None = field(
        default=None,
        metadata=key(Number(1_000_000), "What each agent may cost a day; Caesar is asked above it."),
    )
    cheaper_model: str = field(
        default="haiku", metadata=key(Text(), "The model that Caesar is offered for a turn above the budget.")
    )

    @property
    def bounded(self) -> bool:
        """Whether there is any cap."""
        return self.day_usd is not None or self.agent_day_usd is not None


@dataclass(frozen=True, slots=True)
class VisibilityConfig:
    """Who hears what."""

    replies: Replies = field(
        default="addressed",
        metadata=key(
            Choice(("addressed", "caesar", "all")),
            "Who hears a reply beside Caesar: those addressed with the agent, nobody, or everyone.",
        ),
    )


@dataclass(frozen=True, slots=True)
class Config:
    """All that the owner decides. `castra` is absolute once it was loaded from `file`."""

    castra: Path = field(
        default=Path("castra"),
        metadata=key(Folder(), "The folder of all that is Caesar's; starts from this file's folder."),
    )
    model: str | None = field(
        default=None, metadata=key(Text(), "The model of every agent whose prompt names none.")
    )
    timezone: str | None = field(
        default=None,
        metadata=key(
            Zone(), "Where you live: the zone of all times that you read and write; else the machine's."
        ),
    )
    history_window: int = field(
        default=50, metadata=key(Whole(0, 500), "How many unseen nuntii an agent is told at most.")
    )
    session_idle_timeout_minutes: float = field(
        default=30, metadata=key(Number(10_080), "After how long an idle session sleeps.")
    )
    max_context_tokens: int = field(
        default=150_000,
        metadata=key(Whole(1_000, 10_000_000), "The size of a thread after which a new one is begun."),
    )
    max_centuriones: int = field(
        default=10, metadata=key(Whole(1, 100), "How many centuriones there may be.")
    )
    max_live_sessions: int = field(
        default=8,
        metadata=key(
            Whole(2, 100), "How many sessions live at once; 2 at least, as the Legatus waits for a centurio."
        ),
    )
    max_session_mb: int = field(
        default=800,
        metadata=key(
            Whole(100, 100_000), "The memory of a session's process above which it sleeps between two turns."
        ),
    )
    telegram: TelegramConfig = TelegramConfig()
    attachments: AttachmentsConfig = AttachmentsConfig()
    claude: ClaudeConfig = ClaudeConfig()
    local: LocalConfig = LocalConfig()
    console: ConsoleConfig = ConsoleConfig()
    visibility: VisibilityConfig = VisibilityConfig()
    backup: BackupConfig = BackupConfig()
    budget: BudgetConfig = BudgetConfig()
    mcp: Mapping[str, ServerConfig] = field(default_factory=dict, hash=False)
    file: Path | None = field(default=None, compare=False)
