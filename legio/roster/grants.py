"""What a prompt grants, told apart: tools of the CLI's own, and servers of `legio.toml` by `mcp__NAME`.

A server that nobody configured is refused: the grant can mean nothing. A tool that is not known here is only
doubted, as the next CLI may know it.
"""

from collections.abc import Collection, Iterator

from legio.config.spelling import suggestion
from legio.errors import ProfileError
from legio.roster.profile import Profile

SERVER = "mcp__"
"""How a grant of a server begins; one of a single tool of it is `mcp__NAME__TOOL`."""

KNOWN = frozenset(
    {
        *("AskUserQuestion", "Bash", "CronCreate", "CronDelete", "CronList", "Edit", "EnterPlanMode"),
        *("EnterWorktree", "ExitPlanMode", "ExitWorktree", "Glob", "Grep", "ListAgents", "Monitor"),
        *("NotebookEdit", "Read", "ReportFindings", "ScheduleWakeup", "SendMessage", "Skill", "Task"),
        *("TaskCreate", "TaskGet", "TaskList", "TaskStop", "TaskUpdate", "ToolSearch", "WebFetch"),
        *("WebSearch", "Workflow", "Write"),
    }
)
"""The tools of the bundled CLI 2.1.329, as it lists them itself when a session of it begins."""


def servers(profile: Profile, configured: Collection[str]) -> tuple[str, ...]:
    """The servers whose tools the profile grants; raises `ProfileError` for one that is not configured."""
    named = dict.fromkeys(
        grant.removeprefix(SERVER).split("__")[0]
        for grant in (*profile.tools, *profile.asks)
        if grant.startswith(SERVER)
    )
    for name in named:
        if name not in configured:
            remedy = suggestion(name, configured) if configured else f"Write a table [mcp.{name}]."
            raise ProfileError(
                f"there is no MCP server '{name}' in legio.toml.", where=profile.name, remedy=remedy
            )
    return tuple(named)


def doubts(profile: Profile) -> Iterator[str]:
    """A word on each granted tool that the CLI is not known to have."""
    for grant in (*profile.tools, *profile.asks):
        if not grant.startswith(SERVER) and grant not in KNOWN:
            yield f"{profile.name}: the CLI is not known to have a tool '{grant}'. {suggestion(grant, KNOWN)}"
