"""What the owner decides: `legio.toml`, its overrides in the environment, and the secrets beside it.

Everything is read once, at the start, into frozen values; whatever is wrong is told at once, all of it. The
keys are written down in one place, `values`, from which the checks and the documentation both come.
"""

from legio.config.keys import KEYS, Key
from legio.config.loading import load, read
from legio.config.places import Address
from legio.config.secrets import Credential, Secrets, take
from legio.config.values import (
    BackupConfig,
    ClaudeConfig,
    Config,
    ConsoleConfig,
    LocalConfig,
    Replies,
    TelegramConfig,
    VisibilityConfig,
)

__all__ = [
    "KEYS",
    "Address",
    "BackupConfig",
    "ClaudeConfig",
    "Config",
    "ConsoleConfig",
    "Credential",
    "Key",
    "LocalConfig",
    "Replies",
    "Secrets",
    "TelegramConfig",
    "VisibilityConfig",
    "load",
    "read",
    "take",
]
