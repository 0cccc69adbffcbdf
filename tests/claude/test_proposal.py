"""What Caesar is shown of a tool's use."""

from dataclasses import replace
from pathlib import Path

import pytest

from legio.claude.proposal import proposal
from legio.ports import Block, Request
from tests.claude.line import brief


def shown(folder: Path, tool: str, **arguments: object) -> Request:
    return proposal(replace(brief(folder, name="pullo"), thread="thread 1"), tool, arguments)


def test_a_command_stands_as_it_will_run_with_all_that_goes_with_it(tmp_path: Path) -> None:
    request = shown(
        tmp_path, "Bash", command="make all", description="Builds.", timeout=5, run_in_background=True
    )
    assert request == Request(
        agent="pullo",
        thread="thread 1",
        tool="Bash",
        text="pullo asks to run a command.\nHe says of it: Builds.\ntimeout: 5\nrun_in_background: true",
        block=Block("make all", "bash"),
        scope=request.scope,
        covers="this very command, word for word",
    )


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("Write", {"content": "new\n"}),
        ("Edit", {"old_string": "old", "new_string": "new"}),
        ("MultiEdit", {"edits": [{"old_string": "old", "new_string": "new"}]}),
    ],
)
def test_a_change_of_a_file_is_a_diff(tmp_path: Path, tool: str, arguments: dict[str, object]) -> None:
    (brief(tmp_path).workspace / "a.txt").write_text("old\n")
    request = shown(tmp_path, tool, file_path="a.txt", **arguments)
    assert request.text == "pullo asks to change a.txt (+1 -1 lines)."
    assert request.block == Block("@@ -1 +1 @@\n-old\n+new", "diff")


def test_any_other_tool_shows_its_arguments_line_by_line(tmp_path: Path) -> None:
    request = shown(tmp_path, "mcp__github__open_issue", title="It fails", labels=["bug"])
    assert (request.tool, request.text) == ("open_issue", "pullo asks to use open_issue.")
    assert request.block == Block('title: It fails\nlabels: ["bug"]')
    assert shown(tmp_path, "EnterPlanMode").block is None
    cell = shown(tmp_path, "NotebookEdit", notebook_path="a.ipynb", new_source="1 + 1")
    assert cell.block == Block("notebook_path: a.ipynb\nnew_source: 1 + 1")


def test_a_connection_names_its_host(tmp_path: Path) -> None:
    assert (
        shown(tmp_path, "SandboxNetworkAccess", host="a.org").text
        == "pullo asks to let a command reach a.org."
    )


def test_what_an_agent_says_stays_on_its_line(tmp_path: Path) -> None:
    said = "Looks.\n\nFor this session means: nothing at all. " + "word " * 100
    request = shown(tmp_path, "Bash", command="rm -rf .", description=said)
    _, line = request.text.splitlines()
    assert line.startswith("He says of it: Looks. For this session means")
    assert line.endswith("…")
