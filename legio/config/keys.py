"""Every key of the configuration in one tuple, taken from the values themselves so that nothing can drift."""

from collections.abc import Iterator
from dataclasses import Field, dataclass, fields, is_dataclass
from pathlib import Path
from typing import Any

from legio.config.places import Address
from legio.config.rules import Rule
from legio.config.values import Config

TOP = ""
"""The table of the keys that stand before the first table's head."""


@dataclass(frozen=True, slots=True)
class Key:
    """One key: where it stands, what it may be, and what it is for.

    `table` is "" for the top level. `default` is as TOML would write it, None where the key is absent by
    default. `type` and `help` are for people. `variable` overrides it in the environment.
    """

    table: str
    name: str
    type: str
    default: str | int | float | None
    variable: str
    help: str
    rule: Rule

    def __str__(self) -> str:
        return f"[{self.table}] {self.name}" if self.table else self.name


def _keys() -> Iterator[Key]:
    for part in fields(Config):
        if "rule" in part.metadata:
            yield _key(TOP, part)
    for table in TABLES:
        yield from (_key(table, part) for part in fields(TABLES[table]))


def _key(table: str, part: "Field[Any]") -> Key:
    rule: Rule = part.metadata["rule"]
    variable = "_".join(word for word in ("LEGIO", table, part.name) if word).upper()
    return Key(table, part.name, rule.name, _written(part.default), variable, part.metadata["meaning"], rule)


def _written(default: object) -> str | int | float | None:
    match default:
        case Path() | Address():
            return str(default)
        case str() | int() | float():
            return default
        case _:
            return None


TABLES: dict[str, Any] = {
    part.name: type(part.default)
    for part in fields(Config)
    if "rule" not in part.metadata and is_dataclass(part.default)
}
"""The tables by name, each with the class of its value."""

KEYS: tuple[Key, ...] = tuple(_keys())
"""The keys in the order in which a file has them."""
