"""Whether there is a sandbox, what it is told, and what is refused without one."""

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from legio.claude.sandbox import HINT, PROGRAMS, missing, refusal, settings
from legio.ports import Brief
from tests.claude.line import brief


@pytest.fixture
def path_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """A search path of programs that do as they are told, which is this process's too."""

    def make(**programs: str) -> str:
        folder = tmp_path / "bin"
        folder.mkdir()
        for name, body in programs.items():
            (folder / name).write_text(f"#!/bin/sh\n{body}\n")
            (folder / name).chmod(0o700)
        monkeypatch.setenv("PATH", str(folder))
        return str(folder)

    return make


def runner(folder: Path, *, closed: tuple[Path, ...] = (), unsandboxed: bool = False) -> Brief:
    return replace(brief(folder), grants=("Bash",), closed=closed, unsandboxed=unsandboxed)


def test_a_sandbox_is_found_by_trying_it(path_of: Callable[..., str]) -> None:
    assert missing("linux", path_of(bwrap="exit 0", socat="exit 0")) == ""


def test_what_is_not_installed_is_named(path_of: Callable[..., str]) -> None:
    assert missing("linux", path_of()) == f"{' and '.join(PROGRAMS)} is not installed."


def test_one_that_may_not_work_counts_as_none(path_of: Callable[..., str]) -> None:
    said = missing(
        "linux", path_of(bwrap="echo 'No permissions to create a namespace' >&2; exit 1", socat="")
    )
    assert said == "bubblewrap does not work (No permissions to create a namespace)."


def test_one_that_says_nothing_or_cannot_be_started_counts_as_none(path_of: Callable[..., str]) -> None:
    path = path_of(bwrap="exit 1", socat="")
    assert missing("linux2", path) == "bubblewrap does not work (it says nothing)."
    (Path(path) / "bwrap").write_text("no program")
    os.chmod(Path(path) / "bwrap", 0o700)  # noqa: PTH101
    assert missing("linux3", path).startswith("bubblewrap does not work (")


def test_macos_brings_one_and_other_systems_have_none() -> None:
    assert missing("darwin") == ""
    assert missing("win32") == "there is no sandbox on win32."


def test_without_a_sandbox_no_command_is_run_unless_that_is_allowed(tmp_path: Path) -> None:
    refused = refusal("Bash", runner(tmp_path), "bwrap is not installed.")
    assert refused == f"no command can be run: bwrap is not installed. Tell Caesar: {HINT}"
    assert refusal("Bash", runner(tmp_path), "") == ""
    assert refusal("Bash", runner(tmp_path, unsandboxed=True), "bwrap is not installed.") == ""
    assert refusal("Read", runner(tmp_path), "bwrap is not installed.") == ""
    assert refusal("Monitor", runner(tmp_path), "").startswith("Monitor runs outside of the sandbox")
    assert refusal("Monitor", runner(tmp_path, unsandboxed=True), "") == ""


def test_the_sandbox_closes_what_is_not_the_agents(tmp_path: Path) -> None:
    closed = (tmp_path, tmp_path / "not there", Path("/"))
    chosen = settings(runner(tmp_path, closed=closed), "", {"B_KEY", "A_KEY"})
    workspace = str(tmp_path / "workspace")
    assert chosen == {
        "enabled": True,
        "failIfUnavailable": True,
        "autoAllowBashIfSandboxed": False,
        "allowUnsandboxedCommands": False,
        "filesystem": {"denyRead": [str(tmp_path)], "allowRead": [workspace], "allowWrite": [workspace]},
        "credentials": {"envVars": [{"name": "A_KEY", "mode": "deny"}, {"name": "B_KEY", "mode": "deny"}]},
    }


def test_an_agent_without_commands_and_a_machine_without_sandbox_are_told_of_none(tmp_path: Path) -> None:
    assert settings(brief(tmp_path), "", ()) is None
    assert settings(runner(tmp_path), "bwrap is not installed.", ()) is None
