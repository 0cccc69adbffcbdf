"""One Claude agent: an SDK client over one CLI process and one thread, behind the `Agent` port.

It knows how the CLI is started, bounded and ended. When to start it and what to ask is a session's business.
"""

import asyncio
import base64
import contextlib
import uuid
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass

import structlog
from claude_agent_sdk import (
    ClaudeAgentOptions,
    ClaudeSDKClient,
    ClaudeSDKError,
    Message,
    ProcessError,
    ResultMessage,
)
from claude_agent_sdk._errors import MessageParseError

from legio.claude import external, processes, sandbox, tools
from legio.claude.cli import launcher
from legio.claude.limits import RateLimit
from legio.claude.permission import Permission
from legio.claude.transcript import holds, spent
from legio.claude.translate import Translation
from legio.clock import SystemClock
from legio.errors import AgentError, ThreadLost
from legio.events import Answered, Event, Failed, Fault, Stopped, Thinking
from legio.ports import Agent, Brief, Enlist, Picture, Process

log = structlog.get_logger()

MAX_LINE_BYTES = 64 * 1024 * 1024
"""The SDK's default of 1 MiB a line kills its reader at the first screenshot."""
LEAST_STREAM_IDLE_SECONDS = 10
"""The CLI takes no shorter silence in mid-stream."""
INTERRUPT_SECONDS = 3.0
CLOSE_SECONDS = 8.0
"""How long a goodbye may take before the process is killed."""
STDERR_LINES = 20
Content = str | list[Mapping[str, object]]
"""What a user message holds, as the Messages API has it."""


@dataclass(frozen=True, slots=True)
class Line:
    """How the model is reached: the credential's variable and value, and the bounds in seconds."""

    base_url: str | None
    credential: tuple[str, str] | None
    max_retries: int
    first_byte_seconds: float
    stall_seconds: float
    turn_seconds: float

    def environment(self, home: str) -> dict[str, str]:
        """What the CLI is given beside the inherited environment, from which Legio took its secrets."""
        idle = max(LEAST_STREAM_IDLE_SECONDS, self.stall_seconds)
        variables = {
            "HOME": home,
            "CLAUDE_CONFIG_DIR": home,
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "CLAUDE_CODE_DISABLE_NONSTREAMING_FALLBACK": "1",
            "CLAUDE_CODE_MAX_RETRIES": str(self.max_retries),
            "API_TIMEOUT_MS": _milliseconds(self.first_byte_seconds),
            "CLAUDE_BYTE_STREAM_IDLE_TIMEOUT_MS": _milliseconds(idle),
            "MCP_TOOL_TIMEOUT": _milliseconds(self.turn_seconds),
            "DISABLE_AUTOUPDATER": "1",
        }
        if self.base_url:
            variables["ANTHROPIC_BASE_URL"] = self.base_url
        if self.credential:
            variables[self.credential[0]] = self.credential[1]
        return variables


def enlister(line: Line) -> Enlist:
    """Makes agents that reach the model over `line`."""

    def enlist(brief: Brief) -> Agent:
        return ClaudeAgent(brief, line)

    return enlist


class ClaudeAgent:
    """The real `Agent`: see the port for its promises."""

    def __init__(self, brief: Brief, line: Line, lacks: Callable[[], str] = sandbox.missing) -> None:
        self._brief = brief
        self._lacks = lacks
        self._line = line
        self._stderr: list[str] = []
        self._client: ClaudeSDKClient | None = None
        self._process: Process | None = None
        self._asking = False
        self._interrupted = False
        self._cost = 0.0
        self._limit = RateLimit(SystemClock().now)

    async def connect(self) -> Process:
        """Start the CLI and its thread; raises `ThreadLost` or `AgentError`."""
        try:
            client = ClaudeSDKClient(self._options(await self._lacking()))
            await client.connect()
        except ProcessError as error:
            raise self._broken(error) from error
        except (ClaudeSDKError, OSError) as error:
            raise AgentError(
                f"{self._brief.name} could not be started ({error}).", remedy="`legio doctor` says more."
            ) from error
        self._cost = spent(self._brief)
        self._client = client
        self._process = processes.mark(_pid(client))
        return self._process

    async def recalls(self, mark: str) -> bool:
        """Whether the transcript holds `mark`."""
        return holds(self._brief, mark)

    async def ask(self, text: str, pictures: Sequence[Picture] = ()) -> AsyncIterator[Event]:
        """Ask and translate, until the one end."""
        translation = Translation(cost_before=self._cost, limit=self._limit)
        self._asking, self._interrupted = True, False
        yield Thinking()
        try:
            async for message in self._exchange(_content(text, pictures)):
                for event in translation.events(message):
                    if isinstance(event, Answered | Failed | Stopped):
                        self._cost += event.usage.cost_usd
                        self._asking = False
                    yield event
                    if not self._asking:
                        return
            gone = self._gone("the CLI ended in the middle of a turn")
        except (ClaudeSDKError, OSError) as error:
            gone = self._gone(str(error))
        # Not in a `finally`: an ask that is cancelled has not ended, and `close` has to know that.
        self._asking = False
        yield gone

    async def interrupt(self) -> None:
        """Ask the CLI to drop what it does; its answer to that is the turn's end."""
        if self._client is None or not self._asking:
            return
        self._interrupted = True
        with contextlib.suppress(ClaudeSDKError, OSError, TimeoutError):
            async with asyncio.timeout(INTERRUPT_SECONDS):
                await self._client.interrupt()

    async def close(self) -> None:
        """Say goodbye to the CLI, and kill it if it does not go."""
        client, self._client = self._client, None
        if client is None:
            return
        if self._asking:
            # In mid-stream a polite disconnect waits 5 s for nothing.
            self._kill()
        try:
            async with asyncio.timeout(CLOSE_SECONDS):
                await client.disconnect()
        except (ClaudeSDKError, OSError, TimeoutError) as error:
            log.warning("agent.close.failed", agent=self._brief.name, error=str(error))
        finally:
            self._kill()

    async def _exchange(self, content: Content) -> AsyncIterator[Message]:
        client = self._client
        if client is None:
            raise ClaudeSDKError("not connected")
        key = str(uuid.uuid4())
        said = {"role": "user", "content": content}
        await client.query(_one({"type": "user", "uuid": key, "message": said, "parent_tool_use_id": None}))
        while True:
            try:
                async for message in client.receive_messages():
                    for server in external.failed(message):
                        log.warning("agent.server.failed", agent=self._brief.name, server=server)
                    if not isinstance(message, ResultMessage) or _concerns(message, key):
                        yield message
            except MessageParseError as error:
                # One message the SDK cannot read: the reader goes on with the next when asked again.
                log.warning("agent.message.unreadable", agent=self._brief.name, error=str(error))
            else:
                return

    async def _lacking(self) -> str:
        """Why no command can be sandboxed on this machine; asked where commands are granted alone."""
        if not set(sandbox.SHELLS) & {*self._brief.grants, *self._brief.asks}:
            return ""
        return await asyncio.to_thread(self._lacks)

    def _options(self, lacking: str = "") -> ClaudeAgentOptions:
        brief, permission = self._brief, Permission(self._brief, lacking)
        return ClaudeAgentOptions(
            # A plain string would be frozen into the thread: a resume would go on with the old prompt.
            system_prompt={"type": "custom", "prompt": brief.system_prompt, "snapshot": False},
            model=brief.model,
            effort=brief.effort,  # type: ignore[arg-type]  # checked where the front matter is read
            tools=permission.builtin(),
            allowed_tools=permission.unasked(),
            permission_mode="default" if brief.asks else "dontAsk",
            can_use_tool=permission.may_use if brief.asks else None,
            hooks=permission.hooks(),
            sandbox=sandbox.settings(brief, lacking, external.secret_names(brief, self._line.credential)),
            mcp_servers={
                **{name: tools.server(name, offered) for name, offered in brief.servers.items()},
                **external.servers(brief, self._line.credential),
            },
            strict_mcp_config=True,
            setting_sources=[],
            skills=[],
            verbatim_prompts=True,
            include_partial_messages=True,
            resume=brief.thread if brief.resume else None,
            session_id=None if brief.resume else brief.thread,
            resume_session_at=brief.resume_at or None,
            cwd=brief.workspace,
            cli_path=launcher(brief.home),
            env={**self._line.environment(str(brief.home)), **external.variables(brief)},
            max_buffer_size=MAX_LINE_BYTES,
            stderr=self._note_stderr,
        )

    def _note_stderr(self, line: str) -> None:
        self._stderr = [*self._stderr[1 - STDERR_LINES :], line]

    def _broken(self, error: ProcessError) -> AgentError:
        said = " ".join([*self._stderr, str(error)])
        if self._brief.resume and "No conversation found" in said:
            return ThreadLost("the thread to resume is gone.", where=self._brief.name)
        return AgentError(
            f"{self._brief.name}'s CLI ended at its start: {said}", remedy="`legio doctor` says more."
        )

    def _kill(self) -> None:
        if self._process is not None:
            processes.MachineProcesses().end(self._process)

    def _gone(self, detail: str) -> Failed | Stopped:
        if self._interrupted:
            return Stopped()
        return Failed(Fault.CRASHED, " ".join([detail, *self._stderr]))


async def _one(message: dict[str, object]) -> AsyncIterator[dict[str, object]]:
    yield message


def _content(text: str, pictures: Sequence[Picture]) -> Content:
    """The text alone, or the pictures and then the text."""
    return [*map(_image, pictures), {"type": "text", "text": text}] if pictures else text


def _image(picture: Picture) -> Mapping[str, object]:
    data = base64.b64encode(picture.data).decode("ascii")
    return {"type": "image", "source": {"type": "base64", "media_type": picture.media_type, "data": data}}


def _concerns(result: ResultMessage, key: str) -> bool:
    """Whether a result ends our own question and not a turn that the CLI injected by itself."""
    if result.user_message_uuids is None and result.user_message_uuid is None:
        return result.origin is None or result.origin["kind"] == "human"
    return key == result.user_message_uuid or key in (result.user_message_uuids or ())


def _milliseconds(seconds: float) -> str:
    return str(int(seconds * 1000))


def _pid(client: ClaudeSDKClient) -> int:
    # The SDK does not publish its child; without the pid a CLI that hangs could not be ended.
    process = getattr(client._transport, "_process", None)
    return getattr(process, "pid", 0)
