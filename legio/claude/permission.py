"""What an agent may do beyond his own tools, as the CLI is told it and as it is asked of us call by call.

Every call of a granted tool passes a hook first: what leaves the workspace, or would run a command where none
may run, is refused there, and what is granted at Caesar's word alone is made a question, which the CLI would
not ask for everything by itself. A hook that fails blocks the call.
"""

import asyncio
from collections.abc import Iterable
from typing import Any, cast

from claude_agent_sdk import (
    HookContext,
    HookInput,
    HookJSONOutput,
    HookMatcher,
    PermissionResult,
    PermissionResultAllow,
    PermissionResultDeny,
    ToolPermissionContext,
)

from legio.claude import sandbox
from legio.claude.confinement import outside
from legio.claude.proposal import proposal
from legio.ports import Brief

MCP = "mcp__"
"""How the names of tools from MCP servers begin."""
NETWORK = "SandboxNetworkAccess"
"""What the CLI calls the wish of a sandboxed command to reach a host."""

DENIED = "Caesar did not allow it."
UNGRANTED = "This tool is not granted to you."


class Permission:
    """One agent's grants. `lacking` says why no command can be sandboxed here, "" where it can."""

    def __init__(self, brief: Brief, lacking: str) -> None:
        self._brief = brief
        self._lacking = lacking

    @property
    def granted(self) -> bool:
        """Whether there is anything to watch over."""
        return bool(self._brief.grants or self._brief.asks)

    def builtin(self) -> list[str]:
        """The CLI's own tools that the agent is offered."""
        return [tool for tool in (*self._brief.grants, *self._brief.asks) if not tool.startswith(MCP)]

    def unasked(self) -> list[str]:
        """What runs without a question. With a callback for the rest the SDK wants this list left empty."""
        if self._brief.asks:
            return []
        return [*self._ours(), *self._brief.grants]

    def hooks(self) -> dict[Any, list[HookMatcher]] | None:
        """The hook before each call; none where only our own tools are offered."""
        return (
            {"PreToolUse": [HookMatcher(hooks=[self.before], on_failure="block")]} if self.granted else None
        )

    async def before(self, called: HookInput, _id: str | None, _context: HookContext) -> HookJSONOutput:
        """Refuse the call, make it a question, or leave it to the grants."""
        given = cast("dict[str, Any]", called)
        tool, arguments = str(given["tool_name"]), dict(given["tool_input"])
        cwd = str(given.get("cwd") or "")
        if refused := "" if tool.startswith(MCP) else self._refusal(tool, arguments, cwd):
            return _decision("deny", refused)
        return _decision("ask", "granted at Caesar's word") if self._asked(tool) else {}

    async def may_use(
        self, tool: str, arguments: dict[str, Any], _context: ToolPermissionContext
    ) -> PermissionResult:
        """The CLI's question whether a call may be made."""
        asked = self._asked(tool)
        if not asked and _covered(tool, (*self._ours(), *self._brief.grants)):
            return PermissionResultAllow()
        if not asked and tool != NETWORK:
            return PermissionResultDeny(message=UNGRANTED)
        request = await asyncio.to_thread(proposal, self._brief, tool, arguments)
        if await self._brief.approve(request):
            return PermissionResultAllow()
        return PermissionResultDeny(message=DENIED)

    def _refusal(self, tool: str, arguments: dict[str, Any], cwd: str) -> str:
        refused = sandbox.refusal(tool, self._brief, self._lacking)
        return refused or outside(arguments, tool=tool, cwd=cwd, workspace=self._brief.workspace)

    def _asked(self, tool: str) -> bool:
        """Whether Caesar's word is needed; a grant of the very tool goes before one of its server."""
        return tool not in self._brief.grants and _covered(tool, self._brief.asks)

    def _ours(self) -> list[str]:
        return [f"{MCP}{name}" for name in self._brief.servers]


def _covered(tool: str, names: Iterable[str]) -> bool:
    """Whether a tool is among the names: by its own, or by that of the MCP server it comes from."""
    return any(tool == name or (name.startswith(MCP) and tool.startswith(f"{name}__")) for name in names)


def _decision(decision: str, reason: str) -> HookJSONOutput:
    said = {"hookEventName": "PreToolUse", "permissionDecision": decision, "permissionDecisionReason": reason}
    return cast("HookJSONOutput", {"hookSpecificOutput": said})
