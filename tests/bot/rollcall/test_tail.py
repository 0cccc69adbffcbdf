"""The end of a growing answer: within its limits at every moment, and rendered as far as it goes."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from legio.bot.piece import Piece, utf16_length
from legio.bot.rollcall.tail import READ_CHARACTERS, tail
from legio.local.botapi.text import TEXT_LIMIT, formatted


def sent(piece: Piece) -> None:
    """Raises what the strict server would refuse it with."""
    wire = [
        {"type": it.type, "offset": it.offset, "length": it.length}
        | ({"url": it.url} if it.url else {})
        | ({"language": it.language} if it.language else {})
        for it in piece.entities
    ]
    formatted(piece.text, wire, limit=TEXT_LIMIT, too_long="too long")


ANSWER = (
    "# Ford\n\n**Deep**, *slow* and [cold](https://e.org/a_(b)).\n\n"
    "```python\ndef f(a_b):\n    return '**'\n```\n\n"
    "> said\n\n- a\n  - b\n\n| a | b |\n|---|---|\n| 1 | 2 |\n"
)


def test_a_short_answer_is_shown_whole() -> None:
    assert tail("a **b** c", units=100, entities=10).text == "a b c"


def test_of_a_long_answer_the_last_lines_are_shown_under_a_sign() -> None:
    shown = tail("\n\n".join(f"line {number}" for number in range(100)), units=40, entities=10)
    assert shown.text == "…\nline 96\n\nline 97\n\nline 98\n\nline 99"


def test_one_endless_line_is_cut_anywhere() -> None:
    assert tail("x" * 500, units=40, entities=10).text == "…\n" + "x" * 38


def test_of_many_entities_the_last_are_shown() -> None:
    shown = tail(" ".join(f"**b{number}**" for number in range(50)), units=4000, entities=5)
    assert len(shown.entities) == 5
    assert shown.text.endswith("b45 b46 b47 b48 b49")


@pytest.mark.parametrize("fence", ["```", "~~~~"])
def test_a_fence_that_began_before_what_is_read_is_still_open(fence: str) -> None:
    code = "\n".join("a_b = '**no bold**'" for _ in range(READ_CHARACTERS // 10))
    shown = tail(f"intro\n\n{fence}python\n{code}", units=300, entities=10)
    assert [(entity.type, entity.language) for entity in shown.entities] == [("pre", "python")]
    assert "**no bold**" in shown.text


def test_a_fence_that_was_closed_before_is_not_opened_again() -> None:
    text = "```\na\n```\n" + "plain **bold**\n" * READ_CHARACTERS
    shown = tail(text, units=100, entities=10)
    assert {entity.type for entity in shown.entities} == {"bold"}


def test_what_only_looks_like_a_fence_opens_none() -> None:
    text = "```not `a` fence\n" + "plain **bold**\n" * READ_CHARACTERS
    assert {entity.type for entity in tail(text, units=100, entities=10).entities} == {"bold"}


@settings(deadline=None)
@example(len(ANSWER), 60, 2)
@given(st.integers(0, len(ANSWER)), st.integers(20, 400), st.integers(1, 20))
def test_telegram_takes_it_wherever_the_stream_stands(written: int, units: int, entities: int) -> None:
    shown = tail(ANSWER[:written], units=units, entities=entities)
    assert utf16_length(shown.text) <= units
    assert len(shown.entities) <= entities
    sent(shown.after(Piece("⏳ vorenus writing 1 s\n")))


@settings(deadline=None)
@given(st.text(max_size=300), st.integers(20, 100))
def test_no_text_breaks_it(text: str, units: int) -> None:
    shown = tail(text, units=units, entities=5)
    assert utf16_length(shown.text) <= units
