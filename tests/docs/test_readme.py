import re
import shlex
import textwrap
from pathlib import Path

import pytest

from legio import __version__
from legio.cli import COMMANDS
from legio.config import load
from tests.docs.pages import PAGES, blocks, page, section
from tests.tree import ROOT

TARGETS = re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
ELSEWHERE = {"cd", "echo", "export", "git", "mkdir", "sudo", "sudoedit"}
"""Commands of the system, of which nothing here can be tested."""
COMPOSE = {"up", "logs", "exec", "down", "build"}


def commands(name: str) -> list[list[str]]:
    """The commands of a page's shell blocks, as words."""
    lines = "".join(blocks(name, "sh")).splitlines()
    return [words for line in lines if (words := shlex.split(line, comments=True))]


def exists(words: list[str]) -> bool:
    """Whether a command is one that a reader can type."""
    match words:
        case ["make", *targets]:
            return set(targets) <= set(TARGETS)
        case [".venv/bin/legio" | "legio", name, *_]:
            return name in {command.name for command in COMMANDS}
        case ["docker", "compose", "exec", "legio", *inner]:
            return exists(inner)
        case ["docker", "compose", "run", *options]:
            return exists(options[options.index("legio") :])
        case ["docker", "compose", name, *_]:
            return name in COMPOSE
        case [name, *_]:
            return name in ELSEWHERE
        case _:
            return False


@pytest.mark.parametrize("name", PAGES)
def test_every_command_in_a_code_block_exists(name: str) -> None:
    assert [words for words in commands(name) if not exists(words)] == []


def test_the_readme_begins_with_the_two_commands() -> None:
    assert commands("README.md")[:2] == [["make", "run"], ["make", "test"]]


def test_the_piece_of_configuration_can_be_loaded(tmp_path: Path) -> None:
    (block,) = blocks("README.md", "toml")
    path = tmp_path / "legio.toml"
    path.write_text(textwrap.dedent(block))

    assert load(path, {}).telegram.caesar_id == 123456789


def test_the_repositorys_own_configuration_can_be_loaded() -> None:
    assert load(ROOT / "legio.toml", {}).castra == ROOT / "castra"


def test_the_reading_order_names_the_modules_to_begin_with() -> None:
    named = re.findall(r"`legio/([\w/]+)(?:\.py|/)`", section("README.md", "## Reading the code"))
    assert named == ["nuntius", "events", "ports/__init__", "sessions/session", "legatus", "app"]


def test_the_changelog_begins_with_this_version() -> None:
    found = re.search(r"^## \[(.+?)\]", page("CHANGELOG.md"), re.MULTILINE)
    assert found
    assert found[1] == __version__
