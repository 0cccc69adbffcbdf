"""The words for each step."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from legio.bot.phrases import DRAFT_CHARACTERS, THINKING, phrase
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


@pytest.mark.parametrize(
    ("event", "words"),
    [
        (Connected("t"), THINKING),
        (Thinking(), THINKING),
        (ToolEnded("Bash", failed=True), THINKING),
        (Writing(" \n"), THINKING),
        (Writing("Ave,\n\nCaesar"), "Ave, Caesar"),
        (Writing("x" * 500), "x" * (DRAFT_CHARACTERS - 1) + "…"),
        (ToolStarted("read_edictum", {"name": "peace"}), "Reading edicta…"),
        (ToolStarted("list_acta"), "Reading acta…"),
        (ToolStarted("dispatch_to_centurio", {"name": "vorenus", "message": "x"}), "Dispatching to vorenus…"),
        (ToolStarted("dispatch_to_centurio"), "Using dispatch_to_centurio…"),
        (ToolStarted("dispatch_to_centurio", {"name": 7}), "Using dispatch_to_centurio…"),
        (ToolStarted("Bash", {"command": "ls -l\n| wc"}), "Running ls -l | wc…"),
        (ToolStarted("Read", {"file_path": "/a/b/c.py"}), "Reading c.py…"),
        (ToolStarted("WebFetch", {"url": "https://e.org/x?y=z"}), "Reading e.org…"),
        (ToolStarted("WebFetch", {"url": "http://["}), "Using WebFetch…"),
        (ToolStarted("WebFetch", {"url": "e.org"}), "Using WebFetch…"),
        (ToolStarted("forge", {"sword": "gladius"}), "Using forge…"),
        (Retrying(1, 3, 8.6, 529), "the model is overloaded, trying again in 9 s"),
        (Retrying(1, 3, 2.0, 429), "the model's rate limit is reached, trying again in 2 s"),
        (Retrying(1, 3, 2.0, None), "the model cannot be reached, trying again in 2 s"),
        (Retrying(1, 3, 2.0, 500), "the model's server failed (500), trying again in 2 s"),
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
    assert len(words) < DRAFT_CHARACTERS
    assert "\n" not in words
