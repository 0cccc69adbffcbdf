from datetime import timedelta
from typing import Any

import pytest
from claude_agent_sdk import (
    AssistantMessage,
    RateLimitEvent,
    RateLimitInfo,
    ResultMessage,
    StreamEvent,
    SystemMessage,
    TextBlock,
    ToolResultBlock,
    ToolUseBlock,
    UserMessage,
)

from legio.claude.limits import RateLimit
from legio.claude.translate import Translation
from legio.events import (
    Answered,
    Connected,
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
from tests.clocks import DAWN, FakeClock


def said(*blocks: TextBlock | ToolUseBlock, **more: Any) -> AssistantMessage:
    return AssistantMessage(content=list(blocks), model="model", uuid="mark", **more)


def result(text: str | None = None, **more: Any) -> ResultMessage:
    given: dict[str, Any] = {"subtype": "success", "duration_ms": 1, "duration_api_ms": 1}
    return ResultMessage(
        **(given | {"is_error": False, "num_turns": 1, "session_id": "thread", "result": text} | more)
    )


def stream(event: dict[str, Any]) -> StreamEvent:
    return StreamEvent(uuid="u", session_id="thread", event=event)


def translated(*messages: Any, cost_before: float = 0.0) -> list[Event]:
    translation = Translation(cost_before=cost_before)
    return [event for message in messages for event in translation.events(message)]


def end(*messages: Any, cost_before: float = 0.0) -> Event:
    return translated(*messages, cost_before=cost_before)[-1]


def test_the_final_text_is_the_reply_and_carries_the_mark_of_its_message() -> None:
    ended = end(said(TextBlock("I look first.")), said(TextBlock("It is blue.")), result("It is blue."))
    assert ended == Answered("It is blue.", Usage(model="model"), "mark")


@pytest.mark.parametrize("final", [None, "", " \n"])
def test_an_answer_before_a_silent_end_is_the_reply(final: str | None) -> None:
    ended = end(said(TextBlock("It is blue.")), said(ToolUseBlock("1", "Bash", {})), result(final))
    assert isinstance(ended, Answered)
    assert ended.text == "It is blue."


def test_an_end_without_any_text_is_a_failure() -> None:
    ended = end(result(""))
    assert isinstance(ended, Failed)
    assert ended.fault is Fault.EMPTY


def test_what_is_written_grows_and_starts_over_when_the_stream_does() -> None:
    delta = {"type": "content_block_delta", "delta": {"type": "text_delta", "text": "one "}}
    start = {"type": "message_start"}
    assert translated(stream(start), stream(delta), stream(delta), stream(start), stream(delta)) == [
        Thinking(),
        Writing("one "),
        Writing("one one "),
        Thinking(),
        Writing("one "),
    ]


def test_tools_are_named_plainly_from_their_call_to_their_end() -> None:
    call = ToolUseBlock("7", "mcp__memoria_vorenus__list_acta", {"containing": "x"})
    back = UserMessage(content=[ToolResultBlock("7", "none", is_error=True)])
    assert translated(said(call), back) == [
        ToolStarted("list_acta", {"containing": "x"}),
        ToolEnded("list_acta", failed=True, result="none"),
    ]


@pytest.mark.parametrize(
    ("content", "result"),
    [
        (None, ""),
        ("x" * 3000, "x" * 2000),
        ([{"type": "text", "text": "two"}, {"type": "image", "source": {}}], "two\n[image]"),
        ([], ""),
    ],
)
def test_what_a_tool_returned_is_told_as_text_and_not_all_of_it(content: Any, result: str) -> None:
    back = UserMessage(content=[ToolResultBlock("7", content)])
    assert translated(said(ToolUseBlock("7", "Bash", {})), back)[-1] == ToolEnded(
        "Bash", failed=False, result=result
    )


def test_what_a_subagent_says_and_what_is_unknown_is_dropped() -> None:
    inner = said(TextBlock("inner"))
    inner.parent_tool_use_id = "1"
    assert translated(inner, SystemMessage("compact_boundary", {}), UserMessage("plain")) == []


def test_the_thread_and_each_retry_are_told() -> None:
    retry = {"attempt": 1, "max_retries": 3, "retry_delay_ms": 1500, "error_status": 529}
    assert translated(
        SystemMessage("init", {"session_id": "thread"}),
        SystemMessage("api_retry", retry),
        SystemMessage("api_retry", {}),
    ) == [Connected("thread"), Retrying(1, 3, 1.5, 529), Retrying(0, 0, 0.0, None)]


@pytest.mark.parametrize(
    ("more", "fault"),
    [
        ({"api_error_status": 401}, Fault.CREDENTIAL),
        ({"api_error_status": 403}, Fault.FORBIDDEN),
        ({"api_error_status": 413}, Fault.CONTEXT_FULL),
        ({"api_error_status": 429}, Fault.RATE_LIMIT),
        ({"api_error_status": 500}, Fault.OVERLOADED),
        ({"api_error_status": 529}, Fault.OVERLOADED),
        ({"api_error_status": 400}, Fault.REFUSED),
        ({"api_error_status": 400, "result": "Prompt is too long: 2 > 1"}, Fault.CONTEXT_FULL),
        ({"terminal_reason": "api_error"}, Fault.UNREACHABLE),
        ({"subtype": "error_max_turns", "errors": ["too many"]}, Fault.INTERNAL),
    ],
)
def test_every_failure_has_its_kind(more: dict[str, Any], fault: Fault) -> None:
    ended = end(result(**({"is_error": True} | more)))
    assert isinstance(ended, Failed)
    assert ended.fault is fault
    assert ended.barren


def test_a_login_that_failed_without_a_status_is_known_by_the_message() -> None:
    ended = end(said(TextBlock("Please log in"), error="authentication_failed"), result(is_error=True))
    assert isinstance(ended, Failed)
    assert ended.fault is Fault.CREDENTIAL


def test_a_failure_after_something_was_said_is_not_barren() -> None:
    ended = end(said(TextBlock("I begin.")), result(is_error=True, api_error_status=529))
    assert isinstance(ended, Failed)
    assert not ended.barren


def test_an_interrupted_turn_is_stopped() -> None:
    aborted = result(subtype="error_during_execution", is_error=True, terminal_reason="aborted_streaming")
    assert isinstance(end(aborted), Stopped)


def test_usage_is_the_turns_own_and_the_context_that_of_the_last_call() -> None:
    spent = {
        "input_tokens": 5,
        "output_tokens": 7,
        "cache_read_input_tokens": 900,
        "cache_creation_input_tokens": 90,
    }
    last = {"input_tokens": 2, "output_tokens": 3, "cache_read_input_tokens": 400, "odd": "x"}
    call = said(TextBlock("yes"), usage=last)
    ended = end(call, result("yes", usage=spent, total_cost_usd=0.75), cost_before=0.5)
    assert isinstance(ended, Answered)
    assert ended.usage == Usage(5, 7, 900, 90, 0.25, 405, "model")


def test_the_size_of_the_thread_counts_what_was_written_after_the_message_was_made() -> None:
    ended = end(
        stream({"type": "message_start"}),
        said(TextBlock("It is blue."), usage={"input_tokens": 10, "output_tokens": 1}),
        stream({"type": "message_delta", "delta": {}, "usage": {"output_tokens": 500}}),
        result("It is blue."),
    )
    assert isinstance(ended, Answered)
    assert ended.usage.context_tokens == 510


def limited(*messages: Any) -> Event:
    translation = Translation(limit=RateLimit(FakeClock().now))
    return [event for message in messages for event in translation.events(message)][-1]


def retried(milliseconds: int) -> SystemMessage:
    data = {"attempt": 1, "max_retries": 1, "retry_delay_ms": milliseconds, "error_status": 429}
    return SystemMessage(subtype="api_retry", data=data)


def test_a_rate_limit_says_when_it_ends_if_the_provider_did() -> None:
    ends = DAWN + timedelta(hours=5)
    info = RateLimitInfo("rejected", resets_at=int(ends.timestamp()))
    announced = RateLimitEvent(info, uuid="u", session_id="thread")
    for failure in (
        result("limit reached", is_error=True, api_error_status=429),
        result("limit reached", is_error=True),
    ):
        ended = limited(announced, said(TextBlock("no"), error="rate_limit"), failure)
        assert isinstance(ended, Failed)
        assert (ended.fault, ended.until) == (Fault.RATE_LIMIT, ends)


def test_a_rate_limit_lasts_as_long_as_the_server_asked_to_wait() -> None:
    ended = limited(retried(70_000), result(is_error=True, api_error_status=429))
    assert isinstance(ended, Failed)
    assert ended.until == DAWN + timedelta(seconds=70)


def test_another_failure_has_no_end_whatever_was_heard_of_a_limit() -> None:
    ended = limited(retried(70_000), result(is_error=True, api_error_status=529))
    assert isinstance(ended, Failed)
    assert (ended.fault, ended.until) == (Fault.OVERLOADED, None)
