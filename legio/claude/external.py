"""The MCP servers beside Legio, as the CLI starts and calls them for one agent.

A secret never stands on a command line, where everybody on the machine can read it: the CLI is given it as a
variable, and told to put that in its place. No server is shown the model's credential.
"""

from collections.abc import Mapping

from claude_agent_sdk import Message, SystemMessage
from claude_agent_sdk.types import McpHttpServerConfig, McpServerConfig, McpStdioServerConfig

from legio.ports import Brief, Server

Credential = tuple[str, str] | None
"""The variable of the model's credential, and its value."""


def servers(brief: Brief, credential: Credential) -> Mapping[str, McpServerConfig]:
    """The agent's servers by name."""
    return {name: _server(server, credential) for name, server in brief.external.items()}


def variables(brief: Brief) -> Mapping[str, str]:
    """What the CLI has to know so that it can put it in its place."""
    return {name: value for server in brief.external.values() for name, value in server.variables.items()}


def secret_names(brief: Brief, credential: Credential) -> frozenset[str]:
    """The variables that no command of the agent's may see."""
    return frozenset((*variables(brief), *([credential[0]] if credential else [])))


def failed(message: Message) -> tuple[str, ...]:
    """The servers that the CLI could not start or reach, by what it says as a turn begins."""
    if not isinstance(message, SystemMessage) or message.subtype != "init":
        return ()
    return tuple(
        str(server.get("name", ""))
        for server in message.data.get("mcp_servers", ())
        if server.get("status") == "failed"
    )


def _server(server: Server, credential: Credential) -> McpServerConfig:
    if server.url:
        headers = {header: _put(variable) for header, variable in server.headers.items()}
        return McpHttpServerConfig(type="http", url=server.url, headers=headers)
    hidden = {credential[0]: ""} if credential else {}
    given = {name: _put(name) for name in server.variables}
    return McpStdioServerConfig(
        type="stdio", command=server.command, args=list(server.args), env={**hidden, **given}
    )


def _put(variable: str) -> str:
    """How the CLI is told to put a variable's value in this place."""
    return f"${{{variable}}}"
