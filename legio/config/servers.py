"""The tables `[mcp.NAME]`: servers of tools beside Legio, which a prompt may grant by their name.

Each is a command with its arguments or an address. What such a server needs to be let in is a secret: the
table names the variable, and the variable, or a file that it names, holds it.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, field, fields
from pathlib import Path
from typing import Any

from legio.config.places import Url
from legio.config.rules import Rule, Text, Wrong, found
from legio.config.secrets import FILE, INHERITED, holds_secret
from legio.config.spelling import suggestion

TABLE = "mcp"
LONGEST_PART = 1000

_NAME = re.compile(r"(?!.*__)(?!(memoria|files|praetorium)_|legatus$)[a-z][a-z0-9_-]{0,31}")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,99}")
_HEADER = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}")  # a token: RFC 9110, section 5.6.2

Refuse = Callable[[str, str, str], None]
"""Told what is wrong: where, what, and what to do."""


@dataclass(frozen=True, slots=True)
class Parts:
    """A list of texts."""

    @property
    def name(self) -> str:
        """What it looks like."""
        return 'a list of texts such as ["--port", "7"]'

    def read(self, raw: object) -> tuple[str, ...] | Wrong:
        """The texts in their order."""
        read = [Text(LONGEST_PART).read(item) for item in raw] if isinstance(raw, list) else [Wrong("", "")]
        parts = tuple(item for item in read if isinstance(item, str))
        return (
            parts if len(parts) == len(read) else Wrong(f"found {found(raw)}.", f"Expected is {self.name}.")
        )


@dataclass(frozen=True, slots=True)
class Variables:
    """A list of variables' names. What was found is never shown: it may be the secret itself."""

    @property
    def name(self) -> str:
        """What it looks like."""
        return 'a list of variables such as ["GITHUB_TOKEN"]'

    def read(self, raw: object) -> tuple[str, ...] | Wrong:
        """The names, each once."""
        if isinstance(raw, list) and all(_variable(item) for item in raw):
            return tuple(dict.fromkeys(raw))
        return Wrong("it does not hold names of variables alone.", f"Expected is {self.name}.")


@dataclass(frozen=True, slots=True)
class Headers:
    """A table of headers, each with the variable that holds its value."""

    @property
    def name(self) -> str:
        """What it looks like."""
        return 'a table such as { Authorization = "SEARCH_AUTHORIZATION" }, of headers and variables'

    def read(self, raw: object) -> Mapping[str, str] | Wrong:
        """The variables by header."""
        if isinstance(raw, dict) and all(_HEADER.fullmatch(key) and _variable(raw[key]) for key in raw):
            return dict(raw)
        return Wrong("it does not map headers to names of variables.", f"Expected is {self.name}.")


def key(rule: Rule, meaning: str) -> Mapping[str, Any]:
    """As in `values`: what makes a field a key."""
    return {"rule": rule, "meaning": meaning}


@dataclass(frozen=True, slots=True)
class ServerConfig:
    """One server: a command or an address. A command that is a path is absolute once it was loaded."""

    command: str = field(
        default="",
        metadata=key(Text(LONGEST_PART), "The program to start; a path starts from this file's folder."),
    )
    args: tuple[str, ...] = field(default=(), metadata=key(Parts(), "Its arguments."))
    env: tuple[str, ...] = field(
        default=(), metadata=key(Variables(), "The variables it is given, read as secrets are.")
    )
    url: str = field(default="", metadata=key(Url(private=True), "Its address, in place of a command."))
    headers: Mapping[str, str] = field(
        default_factory=dict, metadata=key(Headers(), "What is sent to the address: header and variable.")
    )

    @property
    def variables(self) -> tuple[str, ...]:
        """The variables that it needs."""
        return tuple(dict.fromkeys((*self.env, *self.headers.values())))


KEYS = {part.name: part for part in fields(ServerConfig)}
"""The keys of such a table."""


def servers(raw: object, refuse: Refuse) -> dict[str, ServerConfig]:
    """The servers by name; `refuse` is told all that is wrong."""
    if not isinstance(raw, dict):
        refuse(TABLE, f"found {found(raw)}.", f"Begin a table for each server: [{TABLE}.NAME].")
        return {}
    made = {name: _server(name, table, refuse) for name, table in raw.items()}
    return {name: server for name, server in made.items() if server is not None}


def settled(server: ServerConfig, folder: Path) -> ServerConfig:
    """The server with its command found from `folder`, never from an agent's own workspace."""
    if "/" not in server.command:
        return server
    # Links stay as they are: the python of a virtual environment is one, and knows by it where it is.
    command = str(folder / Path(server.command).expanduser())
    return ServerConfig(command, server.args, server.env, server.url, server.headers)


def _server(name: str, table: object, refuse: Refuse) -> ServerConfig | None:
    place = f"[{TABLE}.{name}]"
    if not isinstance(table, dict):
        refuse(
            f"[{TABLE}] {name}", f"found {found(table)}.", f"Begin a table for each server: [{TABLE}.NAME]."
        )
        return None
    if not _NAME.fullmatch(name):
        refuse(place, "no server can bear this name.", "Use 1 to 32 of a-z, 0-9, '-' and single '_'.")
    values: dict[str, Any] = {}
    for inner, given in table.items():
        _entry(place, inner, given, values, refuse)
    _fit(place, values, table, refuse)
    return ServerConfig(**values)


def _entry(place: str, name: str, given: object, values: dict[str, Any], refuse: Refuse) -> None:
    part = KEYS.get(name)
    if part is None:
        refuse(f"{place} {name}", "there is no such key.", suggestion(name, tuple(KEYS)))
    elif name != "headers" and holds_secret(given):
        refuse(
            f"{place} {name}", "a secret does not belong here.", "Name a variable in env, and set it there."
        )
    else:
        value = part.metadata["rule"].read(given)
        if isinstance(value, Wrong):
            refuse(f"{place} {name}", value.what, value.remedy)
            value = part.default if part.default is not MISSING else {}
        values[name] = value


def _fit(place: str, values: Mapping[str, Any], table: Mapping[str, object], refuse: Refuse) -> None:
    if ("command" in table) == ("url" in table):
        refuse(place, "it needs either a command or a url.", "Give one of the two.")
    elif "url" in table and ("args" in values or "env" in values):
        refuse(place, "args and env are for a command.", "Give what an address needs by headers.")
    elif "command" in table and "headers" in values:
        refuse(place, "headers are for a url.", "Give what a command needs by env.")


def _variable(raw: object) -> bool:
    return (
        isinstance(raw, str)
        and _VARIABLE.fullmatch(raw) is not None
        and not raw.startswith(INHERITED)
        and not raw.endswith(FILE)
    )
