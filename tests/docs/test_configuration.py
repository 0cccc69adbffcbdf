import json

import pytest

from legio.config import KEYS, Key, servers
from legio.config.secrets import FILE, MODEL, TELEGRAM, TOTP
from legio.roster.profile import FIELDS
from tests.docs.pages import page, rows, section

PAGE = "docs/configuration.md"
TABLES = list(dict.fromkeys(key.table for key in KEYS))


def heading(table: str) -> str:
    return f"## `[{table}]`" if table else "## Before the first table"


def row(key: Key) -> tuple[str, ...]:
    default = "none" if key.default is None else f"`{json.dumps(key.default)}`"
    return (f"`{key.name}`", default, key.type, f"`{key.variable}`", key.help)


@pytest.mark.parametrize("table", TABLES)
def test_every_key_is_documented_as_it_is_and_no_other(table: str) -> None:
    documented = rows(section(PAGE, heading(table)))
    assert documented == [row(key) for key in KEYS if key.table == table]


def test_no_table_is_documented_that_does_not_exist() -> None:
    documented = [line for line in page(PAGE).splitlines() if line.startswith("## `[")]
    assert documented == [heading(table) for table in TABLES if table]


def test_every_secret_is_documented_with_its_file() -> None:
    documented = [(variable, file) for variable, file, _ in rows(section(PAGE, "## Secrets"))]
    assert documented == [(f"`{name}`", f"`{name}{FILE}`") for name in (TELEGRAM, *MODEL, TOTP)]


def test_every_key_of_the_front_matter_is_documented() -> None:
    documented = [(key, form) for key, form, _ in rows(section(PAGE, "## An agent's `prompt.md`"))]
    assert documented == [(f"`{name}`", rule.name) for name, rule in FIELDS.items()]


def test_every_key_of_a_server_is_documented() -> None:
    documented = rows(section(PAGE, "## Servers of tools: `[mcp.NAME]`"))
    written = [
        (f"`{name}`", part.metadata["rule"].name, part.metadata["meaning"])
        for name, part in servers.KEYS.items()
    ]
    assert documented == written
