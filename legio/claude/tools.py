"""Our plain tools as in-process MCP servers, and the plain names of tools that come back."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence

import structlog
from claude_agent_sdk import McpSdkServerConfig, SdkMcpTool, ToolAnnotations, create_sdk_mcp_server

from legio.errors import LegioError
from legio.ports import Tool

log = structlog.get_logger()

Handler = Callable[[dict[str, object]], Awaitable[dict[str, object]]]


def server(name: str, tools: Sequence[Tool]) -> McpSdkServerConfig:
    """An MCP server in this process that offers `tools` to one agent."""
    return create_sdk_mcp_server(name, tools=[_offered(tool) for tool in tools])


def plain_name(name: str) -> str:
    """`mcp__memoria_vorenus__list_acta` as `list_acta`; any other name as it is."""
    return name.split("__", 2)[2] if name.startswith("mcp__") and name.count("__") > 1 else name


def _offered(tool: Tool) -> SdkMcpTool[dict[str, object]]:
    # The CLI runs the calls of one message one after another, unless a tool says that it only reads.
    annotations = ToolAnnotations(readOnlyHint=True) if tool.together else None
    return SdkMcpTool(tool.name, tool.description, dict(tool.schema), _handler(tool), annotations=annotations)


def _handler(tool: Tool) -> Handler:
    async def handle(arguments: dict[str, object]) -> dict[str, object]:
        return await _call(tool, arguments)

    return handle


async def _call(tool: Tool, arguments: Mapping[str, object]) -> dict[str, object]:
    try:
        return _result(await tool.run(arguments))
    except LegioError as error:
        return _result(str(error), failed=True)
    except asyncio.CancelledError:
        # The SDK lets a cancelled handler take its whole server down for the rest of the session, so the
        # cancellation ends here and the model is told.
        return _result("the call was interrupted.", failed=True)
    except Exception:  # the border of one tool call: a bug in a tool must not end the agent's turn
        log.exception("tool.broke", tool=tool.name)
        return _result("the tool failed inside of Legio; it is in the log. Go on without it.", failed=True)


def _result(text: str, *, failed: bool = False) -> dict[str, object]:
    return {"content": [{"type": "text", "text": text}], "is_error": failed}
