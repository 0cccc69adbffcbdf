"""The model server before its real client: the Agent SDK and the `claude` CLI that its wheel bundles."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from claude_agent_sdk import (
    AssistantMessage,
    ClaudeAgentOptions,
    ClaudeSDKClient,
    Message,
    ResultMessage,
    StreamEvent,
    SystemMessage,
    ToolUseBlock,
    create_sdk_mcp_server,
    tool,
)

from legio.local.model import Answer, ModelState, Outcome, ToolUse, model_server
from tests.scenes import scene, until

pytestmark = pytest.mark.cli


@tool("publish_actum", "Publish an actum.", {"title": str, "text": str})
async def publish_actum(arguments: dict[str, Any]) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": f"Published “{arguments['text']}”."}]}


@pytest.fixture
def options(tmp_path: Path, cli_environment: dict[str, str]) -> ClaudeAgentOptions:
    return ClaudeAgentOptions(
        system_prompt='<agent name="vorenus"/>\n\nYou are a centurio.',
        tools=[],
        setting_sources=[],
        strict_mcp_config=True,
        permission_mode="dontAsk",
        allowed_tools=["mcp__memoria"],
        mcp_servers={"memoria": create_sdk_mcp_server("memoria", "1", [publish_actum])},
        verbatim_prompts=True,
        include_partial_messages=True,
        env=cli_environment,
        cwd=tmp_path,
    )


@asynccontextmanager
async def client(
    options: ClaudeAgentOptions, url: str, *, resume: str | None = None, **environment: str
) -> AsyncIterator[ClaudeSDKClient]:
    settings = {**options.env, "ANTHROPIC_BASE_URL": url, **environment}
    async with ClaudeSDKClient(replace(options, env=settings, resume=resume)) as connected:
        yield connected


async def ask(connected: ClaudeSDKClient, text: str) -> list[Message]:
    await connected.query(text)
    return [message async for message in connected.receive_response()]


def result(messages: list[Message]) -> ResultMessage:
    assert isinstance(messages[-1], ResultMessage)
    return messages[-1]


def told(messages: list[Message]) -> str:
    return result(messages).result or ""


@scene
async def test_an_answer_arrives_in_pieces_and_whole(options: ClaudeAgentOptions) -> None:
    async with model_server(ModelState()) as url, client(options, url) as vorenus:
        messages = await ask(
            vorenus, '<message from="caesar" id="1">how &lt;deep&gt; is @/etc/hostname</message>'
        )

    deltas = [message.event.get("delta", {}) for message in messages if isinstance(message, StreamEvent)]
    assert "".join(delta.get("text", "") for delta in deltas) == told(messages)
    assert "scripted recruit, not a model" in told(messages)
    assert told(messages).endswith("This is vorenus. You said: “how <deep> is @/etc/hostname”")


@scene
async def test_tools_are_called_and_their_results_come_back(options: ClaudeAgentOptions) -> None:
    state = ModelState()
    async with model_server(state) as url, client(options, url) as vorenus:
        done = told(await ask(vorenus, "remember the ford is deep"))
        thinking = told(await ask(vorenus, 'think tool publish_actum {"title": 1}'))
        missing = told(await ask(vorenus, "who is here"))
        two = ToolUse("mcp__memoria__publish_actum", {"title": "a", "text": "b"})
        state.script_next(Answer("Both at once.", "Hm.", (two, two)))
        both = await ask(vorenus, "echo done")

    assert done.endswith("I published an actum. Published “the ford is deep”.")
    assert thinking.startswith("The tool `publish_actum` failed: ")
    assert missing == "I have not got the tool `list_centuriones`."
    blocks = [block for message in both if isinstance(message, AssistantMessage) for block in message.content]
    assert sum(isinstance(block, ToolUseBlock) for block in blocks) == 2
    assert told(both) == "done"
    assert (result(both).usage or {})["cache_read_input_tokens"] > 0


@scene
async def test_a_client_that_tries_again_is_answered_in_the_end(options: ClaudeAgentOptions) -> None:
    state = ModelState()
    async with model_server(state) as url, client(options, url) as vorenus:
        # Twice: at the third 529 in a row the CLI gives an Opus up, whatever it was told of retries.
        overloaded = await ask(vorenus, "fail 529 twice then echo up again")
        cut = await ask(vorenus, "cut once then echo whole again")
        broken = await ask(vorenus, "error once then echo right again")

    retries = [m for m in overloaded if isinstance(m, SystemMessage) and m.subtype == "api_retry"]
    assert [told(messages) for messages in (overloaded, cut, broken)] == [
        "up again",
        "whole again",
        "right again",
    ]
    assert len(retries) == 2
    assert state.counters[Outcome.FAILED] == 2
    assert state.counters[Outcome.BROKEN] == 2


@scene
async def test_failures_reach_the_client_with_their_status(options: ClaudeAgentOptions) -> None:
    state = ModelState()
    async with model_server(state) as url, client(options, url, CLAUDE_CODE_MAX_RETRIES="0") as vorenus:
        failed = {text: result(await ask(vorenus, text)) for text in ("fail 401", "fail 529", "cut")}
        state.key = "another"
        refused = result(await ask(vorenus, "echo ave"))
        state.key = "dummy"
        after = told(await ask(vorenus, "echo ave"))

    assert all(one.is_error for one in failed.values())
    assert [one.api_error_status for one in failed.values()][:2] == [401, 529]
    assert (refused.is_error, refused.api_error_status) == (True, 401)
    assert after == "ave"


@scene
async def test_an_empty_answer_stays_empty(options: ClaudeAgentOptions) -> None:
    async with model_server(ModelState()) as url, client(options, url) as vorenus:
        assert told(await ask(vorenus, "empty")) == ""


@scene
async def test_what_is_slow_can_be_interrupted_and_the_next_is_answered(options: ClaudeAgentOptions) -> None:
    state = ModelState()
    async with model_server(state) as url, client(options, url) as vorenus:
        turn = asyncio.create_task(ask(vorenus, "slow 60"))
        await until(lambda: state.running == 1)
        await vorenus.interrupt()
        stopped = result(await turn)
        await until(lambda: state.counters[Outcome.GONE] == 1)
        after = told(await ask(vorenus, "what was said"))

    assert stopped.subtype == "error_during_execution"
    assert after.endswith("What was said:\n- caesar: slow 60")


@scene
async def test_a_resumed_thread_remembers_what_was_said(options: ClaudeAgentOptions) -> None:
    async with model_server(ModelState()) as url:
        async with client(options, url) as vorenus:
            thread = result(await ask(vorenus, "the ford is deep")).session_id
        async with client(options, url, resume=thread) as vorenus:
            again = told(await ask(vorenus, "what was said"))

    assert again == "What was said:\n- caesar: the ford is deep"


@scene
async def test_a_full_context_is_compacted_and_still_remembered(options: ClaudeAgentOptions) -> None:
    async with model_server(ModelState()) as url, client(options, url) as vorenus:
        await ask(vorenus, "the ford is deep")
        await ask(vorenus, "and wide")
        full = await ask(vorenus, "too long")
        after = told(await ask(vorenus, "what was said"))

    assert result(full).api_error_status == 400
    assert "and wide" in after
