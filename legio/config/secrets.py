"""The secrets: taken from the environment or from files it names, and then taken out of the environment.

They come from nowhere else, and whatever is started later inherits none of them, nor any variable that would
send it to another model or account.
"""

import base64
import binascii
import re
from collections.abc import Collection, Mapping, MutableMapping
from dataclasses import dataclass, field
from pathlib import Path

from legio.errors import ConfigurationError, Problem

TELEGRAM = "TELEGRAM_BOT_TOKEN"
MODEL = ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN")
TOTP = "LEGIO_TOTP_SECRET"
FILE = "_FILE"

TOTP_BITS = 128
"""The least that RFC 4226 allows (section 4, R6)."""

INHERITED = (
    "LEGIO_",
    "ANTHROPIC_",
    "CLAUDE",
    "AWS_",
    "AZURE_",
    "GOOGLE_",
    "GCLOUD_",
    "CLOUDSDK_",
    "CLOUD_ML_",
    "VERTEX_",
    "BEDROCK_",
    "API_TIMEOUT_MS",
    "MAX_THINKING_TOKENS",
    "DISABLE_PROMPT_CACHING",
    TELEGRAM,
)
"""How the variables begin that no child process may inherit: ours, and those that the claude CLI reads."""

_SECRET_TEXT = re.compile(r"\d{6,}:[A-Za-z0-9_-]{30,}|.*sk-ant-.*|\s*otpauth:.*", re.DOTALL)
_SECRET_NAME = re.compile(r"(.*_)?(token|secret|password|api_?key|apikey)(_file)?")


@dataclass(frozen=True, slots=True)
class Credential:
    """A model credential: the variable that the CLI reads it from, and its value, which is never shown."""

    variable: str
    value: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Secrets:
    """What must never be shown: neither `str` nor `repr` does."""

    telegram_bot_token: str | None = field(default=None, repr=False)
    model_credential: Credential | None = None
    totp_secret: str | None = field(default=None, repr=False)
    of_servers: Mapping[str, str] = field(default_factory=dict, repr=False)

    def values(self) -> tuple[str, ...]:
        """Every secret there is, for the redaction of logs."""
        credential = self.model_credential.value if self.model_credential else None
        ours = (self.telegram_bot_token, credential, self.totp_secret)
        return tuple(value for value in (*ours, *self.of_servers.values()) if value)


def take(environ: MutableMapping[str, str], named: Collection[str] = ()) -> Secrets:
    """The secrets; afterwards `environ` holds no variable of ours and none that the CLI obeys.

    Call it after `load`, which needs the overrides. Raises `ConfigurationError` when a file that should hold
    a secret cannot be read or is empty, or when a secret is given twice; `environ` is cleaned then too.
    """
    problems: list[Problem] = []
    try:
        token = _secret(TELEGRAM, environ, problems)
        credentials = [(name, _secret(name, environ, problems)) for name in MODEL]
        totp = _totp(_secret(TOTP, environ, problems), problems)
        of_servers = _of_servers(named, environ, problems)
    finally:
        taken = {*named, *(name + FILE for name in named)}
        for name in [name for name in environ if name.startswith(INHERITED) or name in taken]:
            del environ[name]
    usable = [Credential(name, value) for name, value in credentials if value]
    if len(usable) > 1:
        names = " and ".join(credential.variable for credential in usable)
        problems.append(Problem(names, "more than one model credential is set.", "Unset all but one."))
    if problems:
        raise ConfigurationError(tuple(problems), where="environment")
    return Secrets(token, usable[0] if usable else None, totp, of_servers)


def looks_secret(text: str) -> bool:
    """Whether a text has the shape of a bot token or of a model credential."""
    return _SECRET_TEXT.fullmatch(text.strip()) is not None


def named_secret(name: str) -> bool:
    """Whether a key's name says that it would hold a secret."""
    return _SECRET_NAME.fullmatch(name.lower().replace("-", "_")) is not None


def holds_secret(raw: object) -> bool:
    """Whether a value of the file is a secret, or has one anywhere within."""
    match raw:
        case str():
            return looks_secret(raw)
        case list():
            return any(holds_secret(item) for item in raw)
        case dict():
            return any(named_secret(name) or holds_secret(item) for name, item in raw.items())
        case _:
            return False


def _secret(name: str, environ: Mapping[str, str], problems: list[Problem]) -> str | None:
    value = environ.get(name, "").strip()
    file = environ.get(name + FILE, "").strip()
    if value and file:
        problems.append(Problem(name, f"{name}{FILE} is set as well.", "Unset one of the two."))
        return None
    if file:
        value = _content(name + FILE, Path(file), problems)
    if any(not character.isprintable() or character.isspace() for character in value):
        problems.append(Problem(name, "it holds space or control characters.", "Give the secret alone."))
        return None
    return value or None


def _of_servers(
    named: Collection[str], environ: Mapping[str, str], problems: list[Problem]
) -> dict[str, str]:
    """What the servers of `[mcp.NAME]` need, by variable, as far as it is set.

    A value may hold spaces, as a header's does. One that is missing concerns those agents alone that are
    granted the server, and no `legio backup` in another environment.
    """
    values = {}
    for name in dict.fromkeys(named):
        file = environ.get(name + FILE, "").strip()
        value = _content(name + FILE, Path(file), problems) if file else environ.get(name, "").strip()
        if not value.isprintable():
            problems.append(Problem(name, "it holds line ends or control characters.", "Give it alone."))
        elif value:
            values[name] = value
    return values


def _totp(value: str | None, problems: list[Problem]) -> str | None:
    """The secret as authenticators write it, whichever way it was typed."""
    if value is None:
        return None
    secret = value.rstrip("=").upper()
    try:
        bits = 8 * len(base64.b32decode(secret + "=" * (-len(secret) % 8)))
    except (binascii.Error, ValueError):
        what = "it is not written in base 32 (A to Z and 2 to 7)."
    else:
        if bits >= TOTP_BITS:
            return secret
        what = f"it has {bits} bits, and {TOTP_BITS} at least are safe."
    problems.append(Problem(TOTP, what, "Make one with `legio totp`."))
    return None


def _content(variable: str, path: Path, problems: list[Problem]) -> str:
    try:
        value = path.read_text(encoding="utf-8").strip()
    except OSError as error:
        reason = f"{path} cannot be read ({error.strerror})."
    except UnicodeDecodeError:
        reason = f"{path} is no text file."
    else:
        if value:
            return value
        reason = f"{path} is empty."
    problems.append(Problem(variable, reason, "Name a file that holds the secret alone."))
    return ""
