"""What a prompt grants, told apart: tools of the CLI's own, and servers of `legio.toml` by `mcp__NAME`.

A server that nobody configured is refused: the grant can mean nothing. A tool that is not known here is only
doubted, as the next CLI may know it.
"""

from collections.abc import Collection, Iterator, Mapping

from legio.config.spelling import suggestion
from legio.errors import ProfileError
from legio.roster.profile import Profile

SERVER = "mcp__"
"""How a grant of a server begins; one of a single tool of it is `mcp__NAME__TOOL`."""

KNOWN: Mapping[str, str] = {
    "AskUserQuestion": "asks Caesar a question with choices",
    "Bash": "runs commands, in a sandbox around his own folder",
    "CronCreate": "sets up work of the CLI's own for later",
    "CronDelete": "takes such work away",
    "CronList": "lists such work",
    "Edit": "changes files in his own folder",
    "EnterPlanMode": "plans before he acts",
    "EnterWorktree": "works in a copy of a git repository",
    "ExitPlanMode": "ends his plan",
    "ExitWorktree": "leaves the copy",
    "Glob": "finds files in his own folder by name",
    "Grep": "finds words in files of his own folder",
    "ListAgents": "lists the helpers that he started",
    "Monitor": "watches a command that runs",
    "NotebookEdit": "changes notebooks in his own folder",
    "Read": "reads files in his own folder",
    "ReportFindings": "reports what he found",
    "ScheduleWakeup": "wakes himself later",
    "SendMessage": "speaks with the helpers that he started",
    "Skill": "uses a skill of the CLI's",
    "Task": "starts a helper for a part of his work",
    "TaskCreate": "writes a list of what is to be done",
    "TaskGet": "reads one entry of it",
    "TaskList": "reads all of it",
    "TaskStop": "ends what runs in the background",
    "TaskUpdate": "changes one entry of it",
    "ToolSearch": "looks for tools that he is not shown at once",
    "WebFetch": "reads pages of the web",
    "WebSearch": "searches the web",
    "Workflow": "runs a workflow of the CLI's",
    "Write": "writes files in his own folder",
}
"""The tools of the bundled CLI 2.1.329, as it lists them itself when a session of it begins, and what each
allows the agent."""


def allows(grant: str) -> str:
    """What a grant lets an agent do, in words that follow his name."""
    server, _, tool = grant.removeprefix(SERVER).partition("__")
    if not grant.startswith(SERVER):
        return KNOWN.get(grant, "is not known to do anything with it")
    return f"uses {tool} of the server {server}" if tool else f"uses every tool of the server {server}"


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
