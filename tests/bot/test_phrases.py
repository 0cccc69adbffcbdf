"""The words for each step."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from legio.bot.phrases import THINKING, WAITING, WRITING, fate, phrase
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
    Waiting,
    Writing,
)


@pytest.mark.parametrize(
    ("event", "words"),
    [
        (Connected("t"), THINKING),
        (Thinking(), THINKING),
        (ToolEnded("Bash", failed=True), THINKING),
        (Writing(" \n"), THINKING),
        (Writing("Ave,\n\nCaesar"), WRITING),
        (Waiting(), WAITING),
        (ToolStarted("read_edictum", {"name": "peace"}), "reading edicta"),
        (ToolStarted("list_acta"), "reading acta"),
        (ToolStarted("dispatch_to_centurio", {"name": "vorenus", "message": "x"}), "dispatching to vorenus"),
        (ToolStarted("dispatch_to_centurio"), "using dispatch_to_centurio"),
        (ToolStarted("dispatch_to_centurio", {"name": 7}), "using dispatch_to_centurio"),
        (ToolStarted("Bash", {"command": "ls -l\n| wc"}), "running ls -l | wc"),
        (ToolStarted("Read", {"file_path": "/a/b/c.py"}), "reading c.py"),
        (ToolStarted("WebFetch", {"url": "https://e.org/x?y=z"}), "reading e.org"),
        (ToolStarted("send_file", {"path": "out/map.png"}), "sending map.png"),
        (ToolStarted("WebFetch", {"url": "http://["}), "using WebFetch"),
        (ToolStarted("WebFetch", {"url": "e.org"}), "using WebFetch"),
        (ToolStarted("forge", {"sword": "gladius"}), "using forge"),
        (Retrying(1, 3, 8.6, 529), "model overloaded, trying again (1 of 3)"),
        (Retrying(1, 3, 2.0, 429), "rate limit, trying again (1 of 3)"),
        (Retrying(1, 3, 2.0, None), "model not reached, trying again (1 of 3)"),
        (Retrying(1, 3, 2.0, 500), "model failed (500), trying again (1 of 3)"),
        (Answered("x", Usage()), None),
        (Failed(Fault.INTERNAL, "x"), None),
        (Stopped(), None),
    ],
)
def test_each_event_has_its_words(event: Event, words: str | None) -> None:
    assert phrase(event) == words


@given(
    st.sampled_from(["Bash", "Read", "WebFetch", "WebSearch", "dispatch_to_centurio", "forge"]),
    st.dictionaries(
        st.sampled_from(["command", "file_path", "url", "query", "name"]),
        st.text() | st.none() | st.integers() | st.lists(st.text()),
    ),
)
def test_no_argument_breaks_the_words_or_makes_them_long(name: str, arguments: dict[str, object]) -> None:
    words = phrase(ToolStarted(name, arguments))
    assert words
    assert len(words) < 80
    assert "\n" not in words


@pytest.mark.parametrize(
    ("end", "words"),
    [
        (Answered("x", Usage()), ""),
        (Stopped(), "stopped"),
        (Failed(Fault.RATE_LIMIT, "x", until=datetime(2026, 3, 15, 14, 4, 30, tzinfo=UTC)),
         "rate limit until 14:05 UTC"),
        (Failed(Fault.RATE_LIMIT, "x"), "rate limit"),
        (Failed(Fault.OVERLOADED, "x"), "model overloaded"),
    ],
)  # fmt: skip
def test_each_end_has_its_words(end: Answered | Failed | Stopped, words: str) -> None:
    assert fate(end) == words


@pytest.mark.parametrize("fault", Fault)
def test_each_fault_has_few_words(fault: Fault) -> None:
    assert 0 < len(fate(Failed(fault, "x"))) <= 24
