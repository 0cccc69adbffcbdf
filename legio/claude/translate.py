"""The SDK's messages as events: one `Translation` a turn, which also adds up what the turn took.

It decides and does no I/O. What it does not know it drops; what ends a turn it always recognises.
"""

from collections.abc import Iterator, Mapping

from claude_agent_sdk import (
    AssistantMessage,
    Message,
    RateLimitEvent,
    ResultMessage,
    StreamEvent,
    SystemMessage,
    TextBlock,
    ToolResultBlock,
    ToolUseBlock,
    UserMessage,
)

from legio.claude.limits import RateLimit
from legio.claude.tools import plain_name
from legio.clock import SystemClock
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
    Usage,
    Writing,
)

FAULT_BY_STATUS = {
    401: Fault.CREDENTIAL,
    403: Fault.FORBIDDEN,
    413: Fault.CONTEXT_FULL,
    429: Fault.RATE_LIMIT,
}
FAULT_BY_ERROR = {
    "authentication_failed": Fault.CREDENTIAL,
    "billing_error": Fault.FORBIDDEN,
    "rate_limit": Fault.RATE_LIMIT,
    "invalid_request": Fault.REFUSED,
}
TOO_LONG_WORDS = ("prompt is too long", "input length and `max_tokens` exceed")
FIRST_SERVER_ERROR = 500
READ = ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
"""What a call read, cached or not: with what it wrote, the size of the thread after it."""
RESULT_CHARACTERS = 2000
"""So much of what a tool returned is told to whoever watches."""


class Translation:
    """One turn's messages, in order, as events. `limit` remembers a rate limit beyond the turn."""

    def __init__(self, *, cost_before: float = 0.0, limit: RateLimit | None = None) -> None:
        self._cost_before = cost_before
        self._draft = ""
        self._answer = ""
        self._error: str | None = None
        self._tools: dict[str, str] = {}
        self._read_tokens = self._written_tokens = 0
        self._model = ""
        self._mark = ""
        self._limit = limit or RateLimit(SystemClock().now)

    def events(self, message: Message) -> Iterator[Event]:
        """What `message` means: none, one or several events; an end is always the last of the turn."""
        match message:
            case StreamEvent(parent_tool_use_id=None):
                yield from self._stream(message.event)
            case AssistantMessage(parent_tool_use_id=None):
                yield from self._assistant(message)
            case UserMessage(parent_tool_use_id=None, content=list(blocks)):
                for block in blocks:
                    if isinstance(block, ToolResultBlock):
                        name = self._tools.get(block.tool_use_id, "")
                        yield ToolEnded(name, failed=bool(block.is_error), result=_returned(block))
            case SystemMessage(subtype="init"):
                yield Connected(str(message.data.get("session_id", "")))
            case SystemMessage(subtype="api_retry"):
                retrying = _retrying(message.data)
                self._limit.retried(retrying)
                yield retrying
            case RateLimitEvent(rate_limit_info=info):
                self._limit.announced(info)
            case ResultMessage():
                yield Connected(message.session_id)
                yield self._end(message)
            case _:
                pass

    def _stream(self, event: Mapping[str, object]) -> Iterator[Event]:
        match event:
            case {"type": "message_start"}:
                self._draft = ""  # also when a stream starts over: what it had written is void
                self._written_tokens = 0
                yield Thinking()
            case {"type": "message_delta", "usage": {"output_tokens": int(tokens)}}:
                self._written_tokens = tokens  # the assistant message was made before this was known
            case {"type": "content_block_delta", "delta": {"type": "text_delta", "text": str(text)}}:
                self._draft += text
                yield Writing(self._draft)

    def _assistant(self, message: AssistantMessage) -> Iterator[Event]:
        self._error = message.error or self._error
        self._model = message.model
        if not message.error:
            self._mark = message.uuid or self._mark
            usage = message.usage or {}
            self._read_tokens = sum(_count(usage, name) for name in READ) or self._read_tokens
            self._written_tokens = max(self._written_tokens, _count(usage, "output_tokens"))
        text = "".join(block.text for block in message.content if isinstance(block, TextBlock))
        if text.strip() and not message.error:
            self._answer = text
        for block in message.content:
            if isinstance(block, ToolUseBlock):
                name = plain_name(block.name)
                self._tools[block.id] = name
                yield ToolStarted(name, block.input)

    def _end(self, result: ResultMessage) -> End:
        usage = self._usage(result)
        if (result.terminal_reason or "").startswith("aborted"):
            return Stopped(usage)
        if result.is_error:
            detail = result.result or "; ".join(result.errors or []) or result.subtype
            barren = not self._answer and not self._tools
            fault = self._fault(result, detail)
            until = self._limit.hit() if fault is Fault.RATE_LIMIT else None
            return Failed(fault, detail, usage, barren=barren, until=until)
        # A model may say its answer first and end on a silent tool call: the last thing said is the reply.
        answer = result.result if result.result and result.result.strip() else self._answer
        if not answer.strip():
            return Failed(Fault.EMPTY, "the turn ended without any text", usage)
        return Answered(answer, usage, self._mark)

    def _fault(self, result: ResultMessage, detail: str) -> Fault:
        status = result.api_error_status
        if any(words in detail.lower() for words in TOO_LONG_WORDS):
            return Fault.CONTEXT_FULL
        if status is not None:
            if status >= FIRST_SERVER_ERROR:
                return Fault.OVERLOADED
            return FAULT_BY_STATUS.get(status, Fault.REFUSED)
        if self._error in FAULT_BY_ERROR:
            return FAULT_BY_ERROR[self._error]
        return Fault.UNREACHABLE if result.terminal_reason == "api_error" else Fault.INTERNAL

    def _usage(self, result: ResultMessage) -> Usage:
        spent = result.usage or {}
        return Usage(
            input_tokens=_count(spent, "input_tokens"),
            output_tokens=_count(spent, "output_tokens"),
            cache_read_tokens=_count(spent, "cache_read_input_tokens"),
            cache_write_tokens=_count(spent, "cache_creation_input_tokens"),
            cost_usd=max(0.0, (result.total_cost_usd or 0.0) - self._cost_before),
            context_tokens=self._read_tokens + self._written_tokens,
            model=self._model,
        )


def _returned(block: ToolResultBlock) -> str:
    """What a tool returned, as text and not all of a long one; of a picture it says only that it was one."""
    if not isinstance(block.content, list):
        return (block.content or "")[:RESULT_CHARACTERS]
    parts = (str(part.get("text", f"[{part.get('type')}]")) for part in block.content)
    return "\n".join(parts)[:RESULT_CHARACTERS]


def _count(usage: Mapping[str, object], name: str) -> int:
    value = usage.get(name)
    return value if isinstance(value, int) else 0


def _retrying(data: Mapping[str, object]) -> Retrying:
    """The CLI's `api_retry`: attempt, max_retries, retry_delay_ms and error_status."""
    status = data.get("error_status")
    delay = data.get("retry_delay_ms")
    return Retrying(
        attempt=_count(data, "attempt"),
        attempts=_count(data, "max_retries"),
        seconds=float(delay) / 1000 if isinstance(delay, int | float) else 0.0,
        status=status if isinstance(status, int) else None,
    )
