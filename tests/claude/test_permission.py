"""The grants as the CLI is told them, and as it asks call by call."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from claude_agent_sdk import HookContext, PermissionResultAllow, PermissionResultDeny, ToolPermissionContext
from claude_agent_sdk.types import PreToolUseHookInput

from legio.claude.permission import Permission
from legio.ports import Brief, Request
from tests.claude.line import brief
from tests.scenes import scene

CONTEXT = cast("HookContext", {"signal": None})


def agent(folder: Path, *, grants: tuple[str, ...] = (), asks: tuple[str, ...] = ()) -> Brief:
    return replace(brief(folder, name="pullo"), grants=grants, asks=asks)


async def before(ordered: Brief, tool: str, *, lacking: str = "", **arguments: object) -> Mapping[str, Any]:
    called = {"hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": arguments}
    given = cast("PreToolUseHookInput", called | {"cwd": str(ordered.workspace)})
    said = cast("Mapping[str, Any]", await Permission(ordered, lacking).before(given, "1", CONTEXT))
    return cast("Mapping[str, Any]", said.get("hookSpecificOutput", {}))


async def word(ordered: Brief, tool: str, **arguments: object) -> str:
    result = await Permission(ordered, "").may_use(tool, arguments, ToolPermissionContext())
    match result:
        case PermissionResultAllow():
            return "allowed"
        case PermissionResultDeny(message=message):
            return message


def test_an_agent_without_grants_is_watched_by_no_hook(tmp_path: Path) -> None:
    permission = Permission(agent(tmp_path), "")
    assert permission.hooks() is None
    assert (permission.builtin(), permission.unasked()) == ([], ["mcp__memoria_pullo"])


def test_a_hook_that_fails_blocks(tmp_path: Path) -> None:
    hooks = Permission(agent(tmp_path, grants=("Read",)), "").hooks()
    assert hooks is not None
    (matcher,) = hooks["PreToolUse"]
    assert (matcher.matcher, matcher.on_failure) == (None, "block")


def test_servers_are_granted_beside_built_in_tools(tmp_path: Path) -> None:
    permission = Permission(agent(tmp_path, grants=("Read", "mcp__github", "mcp__search__find")), "")
    assert permission.builtin() == ["Read"]
    assert permission.unasked() == ["mcp__memoria_pullo", "Read", "mcp__github", "mcp__search__find"]
    assert Permission(agent(tmp_path, grants=("Read",), asks=("Bash",)), "").unasked() == []


@scene
async def test_before_each_call_it_is_refused_made_a_question_or_left_to_the_grants(tmp_path: Path) -> None:
    ordered = agent(tmp_path, grants=("Read", "mcp__hub__look"), asks=("Bash", "Write", "mcp__hub"))
    assert await before(ordered, "Read", file_path="a.txt") == {}
    assert "outside" in (await before(ordered, "Read", file_path="/etc/passwd"))["permissionDecisionReason"]
    assert (await before(ordered, "Write", file_path="a.txt"))["permissionDecision"] == "ask"
    assert (await before(ordered, "Write", file_path="../a.txt"))["permissionDecision"] == "deny"
    assert (await before(ordered, "Bash", command="ls"))["permissionDecision"] == "ask"
    refused = await before(ordered, "Bash", command="ls", lacking="bwrap is not installed.")
    assert refused["permissionDecision"] == "deny"
    assert (await before(ordered, "mcp__hub__write", path="/theirs"))["permissionDecision"] == "ask"
    assert await before(ordered, "mcp__hub__look") == {}
    assert await before(ordered, "mcp__memoria_pullo__list_acta") == {}


@scene
async def test_caesar_is_asked_for_what_is_granted_so_and_for_nothing_else(tmp_path: Path) -> None:
    asked: list[Request] = []

    async def approve(request: Request) -> bool:
        asked.append(request)
        return request.tool != "Bash"

    ordered = agent(tmp_path, grants=("Read", "mcp__hub__look"), asks=("Bash", "Write", "mcp__hub"))
    ordered = replace(ordered, approve=approve)
    assert await word(ordered, "Read", file_path="a.txt") == "allowed"
    assert await word(ordered, "mcp__memoria_pullo__list_acta") == "allowed"
    assert await word(ordered, "mcp__hub__look") == "allowed"
    assert await word(ordered, "WebFetch", url="https://a.org") == "This tool is not granted to you."
    assert await word(ordered, "mcp__hubris__write") == "This tool is not granted to you."
    assert asked == []
    assert await word(ordered, "Write", file_path="a.txt", content="new") == "allowed"
    assert await word(ordered, "Bash", command="ls") == "Caesar did not allow it."
    assert await word(ordered, "mcp__hub__write") == "allowed"
    assert await word(ordered, "SandboxNetworkAccess", host="a.org") == "allowed"
    assert [request.tool for request in asked] == ["Write", "Bash", "write", "SandboxNetworkAccess"]
    assert {request.agent for request in asked} == {"pullo"}
