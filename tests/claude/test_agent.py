"""The `Agent` port's promises, asked of the real agent and of the fake alike; then the real one's own."""

import asyncio
import json
import os
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from legio.claude.agent import ClaudeAgent, Line
from legio.errors import AgentError, LegioError, ThreadLost
from legio.events import (
    Answered,
    Connected,
    End,
    Event,
    Failed,
    Fault,
    Retrying,
    Stopped,
    Thinking,
    ToolEnded,
    ToolStarted,
    Writing,
)
from legio.local.model import Failure, ModelState, model_server
from legio.local.model.request import Image
from legio.ports import Agent, Brief, Picture, Request, Server, Tool
from tests.attachments.pictures import picture
from tests.claude.line import asked, brief, line
from tests.fakes import Stage
from tests.scenes import scene, until


@dataclass(frozen=True, slots=True)
class World:
    """Where agents of one kind are made, and how one is made to be slow."""

    enlist: Callable[[Brief], Agent]
    slow: str


@asynccontextmanager
async def real() -> AsyncIterator[World]:
    async with model_server(ModelState()) as url:
        yield World(lambda ordered: ClaudeAgent(ordered, line(url)), asked("slow 60"))


@asynccontextmanager
async def fake() -> AsyncIterator[World]:
    async def say(text: str) -> str:
        if "slow" in text:
            await asyncio.Event().wait()
        return "heard"

    stage = Stage(say=say)

    def enlist(ordered: Brief) -> Agent:
        # The stage knows no transcripts: a thread that nobody was given before cannot be resumed.
        if ordered.resume and ordered.thread not in {given.thread for given in stage.briefs}:
            stage.lost.add(ordered.thread)
        return stage.enlist(ordered)

    yield World(enlist, "slow")


worlds = pytest.mark.parametrize("world", [pytest.param(real, marks=pytest.mark.cli), fake])


async def heard(agent: Agent, text: str) -> list[Event]:
    return [event async for event in agent.ask(text)]


def is_end(event: Event) -> bool:
    return isinstance(event, Answered | Failed | Stopped)


@worlds
@scene
async def test_an_ask_yields_steps_and_then_exactly_one_end(
    tmp_path: Path, world: Callable[[], AbstractAsyncContextManager[World]]
) -> None:
    async with world() as made:
        ordered = brief(tmp_path)
        agent = made.enlist(ordered)
        await agent.connect()
        events = await heard(agent, asked("hello"))
        await agent.close()
    *steps, end = events
    assert isinstance(end, Answered)
    assert not any(is_end(step) for step in steps)
    assert Connected(ordered.thread) in steps
    assert steps[0] == Thinking()


@worlds
@scene
async def test_an_interrupt_ends_the_ask_and_the_next_one_gets_its_own_answer(
    tmp_path: Path, world: Callable[[], AbstractAsyncContextManager[World]]
) -> None:
    async with world() as made:
        agent = made.enlist(brief(tmp_path))
        await agent.connect()
        await agent.interrupt()  # nothing runs: nothing happens
        asking = asyncio.create_task(heard(agent, made.slow))
        await asyncio.sleep(0.3)
        await agent.interrupt()
        assert isinstance((await asking)[-1], Stopped)
        assert isinstance((await heard(agent, asked("hello")))[-1], Answered)
        await agent.close()


@worlds
@scene
async def test_closing_is_idempotent_even_in_mid_ask(
    tmp_path: Path, world: Callable[[], AbstractAsyncContextManager[World]]
) -> None:
    async with world() as made:
        agent = made.enlist(brief(tmp_path))
        await agent.close()
        await agent.connect()
        asking = asyncio.create_task(heard(agent, made.slow))
        await asyncio.sleep(0.3)
        async with asyncio.timeout(10):
            await agent.close()
            await agent.close()
        asking.cancel()
        await asyncio.gather(asking, return_exceptions=True)


@worlds
@scene
async def test_pictures_go_with_the_text_and_the_next_question_is_asked_without(
    tmp_path: Path, world: Callable[[], AbstractAsyncContextManager[World]]
) -> None:
    drawn = Picture("image/png", picture(40, 30))
    async with world() as made:
        agent = made.enlist(brief(tmp_path))
        await agent.connect()
        first = [event async for event in agent.ask(asked("look at this"), (drawn, drawn))]
        second = await heard(agent, asked("hello"))
        recalled = await agent.recalls("look at this")
        await agent.close()
    assert isinstance(first[-1], Answered)
    assert isinstance(second[-1], Answered)
    assert recalled


@pytest.mark.cli
@scene
async def test_the_model_is_shown_a_picture_as_it_is_and_the_text_with_it_stays_inert(tmp_path: Path) -> None:
    state = ModelState()
    async with model_server(state) as url:
        agent = ClaudeAgent(brief(tmp_path), line(url))
        await agent.connect()
        drawn = Picture("image/png", picture(40, 30))
        events = [event async for event in agent.ask(asked("/model @/etc/hostname"), (drawn,))]
        await agent.close()
    (request,) = state.requests
    shown = [block for message in request.messages for block in message.blocks if isinstance(block, Image)]
    assert shown == [Image("image/png", 40, 30)]
    assert isinstance(events[-1], Answered)
    assert "You said: “/model @/etc/hostname”" in events[-1].text


@worlds
@scene
async def test_a_thread_that_nobody_knows_is_lost(
    tmp_path: Path, world: Callable[[], AbstractAsyncContextManager[World]]
) -> None:
    async with world() as made:
        agent = made.enlist(replace(brief(tmp_path), resume=True))
        with pytest.raises(ThreadLost):
            await agent.connect()
        await agent.close()


# --- what only the real one has -----------------------------------------------------------------------


@dataclass
class Real:
    """A connected agent, the model behind it, and its brief."""

    agent: ClaudeAgent
    model: ModelState
    brief: Brief
    url: str

    async def end(self, text: str) -> End:
        events = await heard(self.agent, asked(text))
        assert isinstance(events[-1], Answered | Failed | Stopped)
        return events[-1]


@asynccontextmanager
async def connected(
    folder: Path, *tools: Tool, max_retries: int = 0, **changes: object
) -> AsyncIterator[Real]:
    model = ModelState()
    async with model_server(model) as url:
        ordered = replace(brief(folder, *tools), **changes)  # type: ignore[arg-type]
        agent = ClaudeAgent(ordered, line(url, max_retries=max_retries))
        await agent.connect()
        try:
            yield Real(agent, model, ordered, url)
        finally:
            await agent.close()


@pytest.mark.cli
@scene
async def test_no_text_runs_as_a_command_or_pulls_in_a_file(tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("the words of the file")
    async with connected(tmp_path) as real:
        for text in (f"@{secret}", "/clear", "/model opus"):
            end = await real.end(text)
            assert isinstance(end, Answered)
            assert text in end.text
        assert "the words of the file" not in json.dumps([request.body for request in real.model.requests])


@pytest.mark.cli
@scene
async def test_the_answer_is_written_before_our_eyes_and_ends_whole(tmp_path: Path) -> None:
    async with connected(tmp_path) as real:
        events = await heard(real.agent, asked("echo one two three four five six seven"))
    drafts = [event.text for event in events if isinstance(event, Writing)]
    end = events[-1]
    assert isinstance(end, Answered)
    assert end.text == "one two three four five six seven"
    assert drafts[-1] == end.text
    assert all(end.text.startswith(draft) for draft in drafts)


@pytest.mark.cli
@scene
async def test_tools_are_called_and_their_failures_are_told_to_the_model(tmp_path: Path) -> None:
    async def act(arguments: Mapping[str, object]) -> str:
        match arguments["how"]:
            case "well":
                return "all is well"
            case "refused":
                raise LegioError("not allowed.")
            case "cancelled":
                raise asyncio.CancelledError
            case _:
                raise RuntimeError("the inside of the house")

    schema = {"type": "object", "properties": {"how": {"type": "string"}}, "required": ["how"]}
    async with connected(tmp_path, Tool("act", "Acts.", schema, act)) as real:
        said = {}
        for how in ("refused", "broken", "cancelled", "well"):
            events = await heard(real.agent, asked(f'tool act {{"how": "{how}"}}'))
            assert isinstance(events[-1], Answered)
            said[how] = events[-1].text
            assert ToolStarted("act", {"how": how}) in events
            (ended,) = [event for event in events if isinstance(event, ToolEnded)]
            assert (ended.name, ended.failed) == ("act", how != "well")
            assert ended.result in said[how], "what it returned is what the model was told"
    assert "not allowed." in said["refused"]
    assert "inside of the house" not in said["broken"], "a bug's text is for the log"
    assert "interrupted" in said["cancelled"]
    assert "all is well" in said["well"], "a cancelled tool does not take its server down"


@pytest.mark.cli
@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("fail 401", Fault.CREDENTIAL),
        ("fail 403", Fault.FORBIDDEN),
        ("fail 429", Fault.RATE_LIMIT),
        ("fail 529", Fault.OVERLOADED),
        ("fail 400", Fault.REFUSED),
        ("empty", Fault.EMPTY),
    ],
)
@scene
async def test_a_failure_has_its_kind_and_the_next_message_is_answered(
    tmp_path: Path, text: str, fault: Fault
) -> None:
    async with connected(tmp_path) as real:
        failed = await real.end(text)
        answered = await real.end("echo again")
    assert isinstance(failed, Failed)
    assert failed.fault is fault
    assert isinstance(answered, Answered)
    assert answered.text == "again"


@pytest.mark.cli
@scene
async def test_retries_are_shown_and_bounded(tmp_path: Path) -> None:
    async with connected(tmp_path, max_retries=2) as real:
        events = await heard(real.agent, asked("fail 529 once then better"))
    retries = [event for event in events if isinstance(event, Retrying)]
    assert isinstance(events[-1], Answered)
    assert [(retry.attempt, retry.attempts, retry.status) for retry in retries] == [(1, 2, 529)]
    assert retries[0].seconds > 0


@pytest.mark.cli
@scene
async def test_a_model_that_cannot_be_reached_is_said_to_be_unreachable(tmp_path: Path) -> None:
    async with connected(tmp_path) as real:
        unreachable = ClaudeAgent(real.brief, line("http://127.0.0.1:9"))
        await real.agent.close()
        await unreachable.connect()
        end = (await heard(unreachable, asked("hello")))[-1]
        await unreachable.close()
    assert isinstance(end, Failed)
    assert end.fault is Fault.UNREACHABLE


@pytest.mark.cli
@scene
async def test_a_resumed_thread_remembers_has_the_new_prompt_and_counts_its_cost_once(tmp_path: Path) -> None:
    async with connected(tmp_path) as real:
        first = await real.end("the bridge is down")
        await real.agent.close()
        changed = replace(real.brief, resume=True, system_prompt='<agent name="vorenus"/>\n\nA new prompt.\n')
        resumed = ClaudeAgent(changed, line(real.url))
        await resumed.connect()
        second = (await heard(resumed, asked("echo again")))[-1]
        await resumed.close()
        request = real.model.requests[-1].body
        total = _total_cost(real.brief)
    assert isinstance(first, Answered)
    assert isinstance(second, Answered)
    assert "the bridge is down" in json.dumps(request["messages"])
    assert "A new prompt." in json.dumps(request["system"])
    assert "You serve." not in json.dumps(request["system"])
    assert first.usage.cost_usd + second.usage.cost_usd == pytest.approx(total)
    assert second.usage.context_tokens > first.usage.context_tokens > 0


@pytest.mark.cli
@scene
async def test_a_cli_that_is_killed_in_mid_turn_fails_that_turn(tmp_path: Path) -> None:
    async with connected(tmp_path) as real:
        asking = asyncio.create_task(heard(real.agent, asked("slow 60")))
        await until(lambda: real.model.running)
        os.kill(_pid(real.agent), 9)
        end = (await asking)[-1]
        assert isinstance(end, Failed)
        assert end.fault is Fault.CRASHED
        assert isinstance((await heard(real.agent, asked("hello")))[-1], Failed)


@pytest.mark.cli
@scene
async def test_a_question_that_failed_can_be_taken_back(tmp_path: Path) -> None:
    async with connected(tmp_path) as real:
        good = await real.end("hello")
        assert isinstance(good, Answered)
        failed = await real.end("fail 529")
        assert isinstance(failed, Failed)
        assert failed.barren
        await real.agent.close()
        rewound = ClaudeAgent(replace(real.brief, resume=True, resume_at=good.mark), line(real.url))
        process = await rewound.connect()
        answered = (await heard(rewound, asked("what was said")))[-1]
        recalls = [await rewound.recalls("hello"), await rewound.recalls("never said")]
        await rewound.close()
        request = json.dumps(real.model.requests[-1].body["messages"])
    assert isinstance(answered, Answered)
    assert "hello" in answered.text
    assert "fail 529" not in request
    assert recalls == [True, False]
    assert process.pid > 0


@pytest.mark.cli
@scene
async def test_a_failure_after_something_was_done_is_not_barren(tmp_path: Path) -> None:
    models: list[ModelState] = []

    async def act(_: Mapping[str, object]) -> str:
        models[0].script_next(Failure(529))
        return "done"

    tool = Tool("act", "Acts.", {"type": "object", "properties": {}}, act)
    async with connected(tmp_path, tool) as made:
        models.append(made.model)
        failed = await made.end("tool act {}")
    assert isinstance(failed, Failed)
    assert not failed.barren


@pytest.mark.cli
@scene
async def test_nothing_of_a_closed_agent_lives(tmp_path: Path) -> None:
    async with connected(tmp_path) as real:
        pid = _pid(real.agent)
        os.kill(pid, 0)
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


@pytest.mark.cli
@pytest.mark.parametrize("allowed", [True, False])
@scene
async def test_a_tool_that_asks_waits_for_caesars_word(tmp_path: Path, allowed: bool) -> None:  # noqa: FBT001
    asked_for: list[tuple[str, object]] = []

    async def approve(request: Request) -> bool:
        asked_for.append((request.tool, request.block and request.block.text))
        return allowed

    made = tmp_path / "workspace" / "made.txt"
    command = json.dumps({"command": "touch made.txt"})
    async with connected(tmp_path, asks=("Bash",), approve=approve, unsandboxed=True) as real:
        await real.end(f"tool Bash {command}")
    assert asked_for == [("Bash", "touch made.txt")]
    assert made.exists() is allowed


@pytest.mark.cli
@scene
async def test_a_question_that_cannot_be_put_to_caesar_is_answered_with_no(tmp_path: Path) -> None:
    async def approve(_: Request) -> bool:
        raise LegioError("the praetorium is gone.")

    async with connected(tmp_path, asks=("Write",), approve=approve) as real:
        end = await real.end('tool Write {"file_path": "made.txt", "content": "x"}')
    assert isinstance(end, Answered)
    assert "The tool `Write` failed" in end.text
    assert not (tmp_path / "workspace" / "made.txt").exists()


@pytest.mark.cli
@scene
async def test_a_server_that_does_not_start_is_logged_and_the_agent_answers(tmp_path: Path) -> None:
    servers = {"hub": Server(command=str(tmp_path / "no such program"))}
    with capture_logs() as logs:
        async with connected(tmp_path, grants=("mcp__hub",), external=servers) as real:
            end = await real.end("echo here")
    assert isinstance(end, Answered)
    (said,) = [entry for entry in logs if entry["event"] == "agent.server.failed"]
    assert (said["agent"], said["server"], said["log_level"]) == ("vorenus", "hub", "warning")


@pytest.mark.cli
@scene
async def test_no_built_in_tool_is_offered_unless_it_is_granted(tmp_path: Path) -> None:
    async with connected(tmp_path) as real:
        await real.end("hello")
        offered = set(real.model.requests[-1].tools)
    assert not offered & {"Bash", "Read", "Write", "Edit", "WebFetch", "Task", "Agent", "Skill"}


@pytest.mark.cli
@scene
async def test_an_agent_in_a_folder_that_is_not_there_cannot_be_started(tmp_path: Path) -> None:
    agent = ClaudeAgent(replace(brief(tmp_path), workspace=tmp_path / "nowhere"), line("http://127.0.0.1:9"))
    with pytest.raises(AgentError, match="could not be started"):
        await agent.connect()


def test_the_environment_names_the_credential_once_and_bounds_every_wait(tmp_path: Path) -> None:
    given = Line("http://127.0.0.1:1", ("ANTHROPIC_AUTH_TOKEN", "t"), 2, 30, 5, 600).environment("/home/x")
    assert given["ANTHROPIC_AUTH_TOKEN"] == "t"
    assert "ANTHROPIC_API_KEY" not in given
    assert (given["HOME"], given["CLAUDE_CONFIG_DIR"]) == ("/home/x", "/home/x")
    assert (given["CLAUDE_CODE_MAX_RETRIES"], given["API_TIMEOUT_MS"]) == ("2", "30000")
    assert given["CLAUDE_BYTE_STREAM_IDLE_TIMEOUT_MS"] == "10000", "the CLI takes no less"
    assert given["MCP_TOOL_TIMEOUT"] == "600000"
    bare = Line(None, None, 2, 30, 5, 600).environment("/home/x")
    assert not {name for name in bare if name.startswith("ANTHROPIC")}


def _pid(agent: ClaudeAgent) -> int:
    client = agent._client
    assert client is not None
    return int(client._transport._process.pid)  # type: ignore[union-attr]


def _total_cost(ordered: Brief) -> float:
    (transcript,) = (ordered.home / "projects").glob(f"*/{ordered.thread}.jsonl")
    states = [json.loads(text) for text in transcript.read_text().splitlines() if '"cost-state"' in text]
    return float(states[-1]["totalCostUSD"])
