"""From `legio.toml` and the environment to one `Config`, or to every problem at once.

The environment wins over the file; what the file says is checked all the same.
"""

import tomllib
from collections.abc import Mapping, MutableMapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from legio.config import servers
from legio.config.exposure import exposed
from legio.config.keys import KEYS, TABLES, TOP, Key
from legio.config.rules import Wrong, found, of_text
from legio.config.secrets import FILE, MODEL, TELEGRAM, TOTP, Secrets, holds_secret, named_secret, take
from legio.config.servers import ServerConfig
from legio.config.spelling import suggestion
from legio.config.values import Config
from legio.errors import ConfigurationError, Problem

PREFIX = "LEGIO_"
OTHER_VARIABLES = (TOTP, TOTP + FILE, "LEGIO_CHROMIUM")
"""Variables that begin like an override and are none."""


def read(path: Path, environ: MutableMapping[str, str]) -> tuple[Config, Secrets]:
    """`load` and `take` in one, with the problems of both in one error; `environ` is cleaned in any case."""
    problems: list[Problem] = []
    config, secrets = Config(), Secrets()
    try:
        config = load(path, environ)
    except ConfigurationError as error:
        problems.extend(error.problems)
    try:
        secrets = take(environ, _variables(config))
    except ConfigurationError as error:
        problems.extend(error.problems)
    if problems:
        raise ConfigurationError(tuple(problems), where=str(path))
    return config, secrets


def _variables(config: Config) -> tuple[str, ...]:
    """The variables that the configured servers need."""
    return tuple(name for server in config.mcp.values() for name in server.variables)


def load(path: Path, environ: Mapping[str, str]) -> Config:
    """The configuration; raises `ConfigurationError` with all that is wrong in the file and the overrides."""
    given = _Given()
    given.file(_document(path, given.problems))
    given.environment(environ)
    if given.problems:
        raise ConfigurationError(tuple(given.problems), where=str(path))
    config = _built(path, given)
    if problems := exposed(config.console):
        raise ConfigurationError(problems, where=str(path))
    return config


def _document(path: Path, problems: list[Problem]) -> dict[str, Any]:
    try:
        # utf-8-sig: some editors put a byte order mark in front, which TOML refuses.
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except FileNotFoundError:
        what, remedy = "there is no such file.", "Write one with `legio init`, or name yours with --config."
    except OSError as error:
        what, remedy = f"it cannot be read ({error.strerror}).", "Name a file that this user may read."
    except UnicodeDecodeError as error:
        what, remedy = f"byte {error.start} is not UTF-8.", "Save it as UTF-8."
    except tomllib.TOMLDecodeError as error:
        what, remedy = f"this is not TOML: {error}.", "Mend the line; texts stand in quotes."
    except RecursionError:
        what, remedy = "it is nested too deeply.", "Write keys and tables only."
    problems.append(Problem(path.name, what, remedy))
    return {}


@dataclass(slots=True)
class _Given:
    """What file and environment give, by key, and all that is wrong with it."""

    values: dict[tuple[str, str], object] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    servers: dict[str, ServerConfig] = field(default_factory=dict)

    def file(self, document: Mapping[str, Any]) -> None:
        """Take in the file."""
        for name, raw in document.items():
            if name == servers.TABLE:
                self.servers = servers.servers(raw, self._refuse)
            elif name not in TABLES:
                self._entry(TOP, name, raw)
            elif isinstance(raw, dict):
                for inner, value in raw.items():
                    self._entry(name, inner, value)
            else:
                self._refuse(name, f"found {found(raw)}.", f"It is a table: begin it with [{name}].")

    def environment(self, environ: Mapping[str, str]) -> None:
        """Take in the overrides; an empty variable counts as unset, as compose files write it so."""
        keys = {key.variable: key for key in KEYS}
        for variable in sorted(name for name in environ if name.startswith(PREFIX)):
            if variable in OTHER_VARIABLES:
                continue
            text = environ[variable]
            if variable not in keys:
                advice = suggestion(variable, [*keys, *OTHER_VARIABLES, TELEGRAM, *MODEL])
                self._refuse(variable, "there is no such variable.", advice)
            elif text.strip():
                self._value(variable, keys[variable], of_text(keys[variable].rule, text))

    def _entry(self, table: str, name: str, raw: object) -> None:
        place = f"[{table}] {name}" if table else name
        key = next((key for key in KEYS if (key.table, key.name) == (table, name)), None)
        if key is not None:
            self._value(place, key, raw)
        elif named_secret(name) or holds_secret(raw):
            self._secret(place)
        else:
            self._refuse(place, "there is no such key.", _advice(table, name, is_table=isinstance(raw, dict)))

    def _value(self, place: str, key: Key, raw: object) -> None:
        if holds_secret(raw):
            self._secret(place)
            return
        value = key.rule.read(raw)
        if isinstance(value, Wrong):
            self._refuse(place, value.what, value.remedy)
        else:
            self.values[key.table, key.name] = value

    def _secret(self, place: str) -> None:
        names = TOTP if "totp" in place.lower() else f"{TELEGRAM} or {MODEL[0]}"
        self._refuse(place, "a secret does not belong here.", f"Move it to the environment: {names}.")

    def _refuse(self, place: str, what: str, remedy: str) -> None:
        self.problems.append(Problem(place, what, remedy))


def _advice(table: str, name: str, *, is_table: bool) -> str:
    if is_table:
        return suggestion(name, (*TABLES, servers.TABLE))
    homes = [key for key in KEYS if key.name == name]
    if homes:
        places = " or ".join(f"in [{key.table}]" if key.table else "before the first table" for key in homes)
        return f"It belongs {places}."
    return suggestion(name, [key.name for key in KEYS if key.table == table])


def _built(path: Path, given: _Given) -> Config:
    values = given.values
    base = values.get(("telegram", "base_url"))
    if isinstance(base, str) and ("telegram", "base_file_url") not in values:
        values["telegram", "base_file_url"] = base.removesuffix("/bot") + "/file/bot"
    tables = {
        table: kind(**{name: value for (home, name), value in values.items() if home == table})
        for table, kind in TABLES.items()
    }
    top: dict[str, Any] = {name: value for (home, name), value in values.items() if home == TOP}
    config, file = Config(**top, **tables), path.resolve()
    backup = replace(config.backup, folder=(file.parent / config.backup.folder).resolve())
    mcp = {name: servers.settled(server, file.parent) for name, server in given.servers.items()}
    castra = (file.parent / config.castra).resolve()
    return replace(config, castra=castra, backup=backup, mcp=mcp, file=file)
