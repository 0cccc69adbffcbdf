"""What the owner decides: `legio.toml`, its overrides in the environment, and the secrets beside it.

Everything is read once, at the start, into frozen values; whatever is wrong is told at once, all of it. The
keys are written down in one place, `values`, from which the checks and the documentation both come.
"""

from legio.config.keys import KEYS, Key
from legio.config.loading import load, read
from legio.config.places import Address
from legio.config.secrets import Credential, Secrets, take
from legio.config.servers import ServerConfig
from legio.config.values import (
    AttachmentsConfig,
    BackupConfig,
    BudgetConfig,
    ClaudeConfig,
    Config,
    ConsoleConfig,
    LocalConfig,
    Replies,
    Streaming,
    TelegramConfig,
    VisibilityConfig,
)

__all__ = [
    "KEYS",
    "Address",
    "AttachmentsConfig",
    "BackupConfig",
    "BudgetConfig",
    "ClaudeConfig",
    "Config",
    "ConsoleConfig",
    "Credential",
    "Key",
    "LocalConfig",
    "Replies",
    "Secrets",
    "ServerConfig",
    "Streaming",
    "TelegramConfig",
    "VisibilityConfig",
    "load",
    "read",
    "take",
]
