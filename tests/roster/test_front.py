"""Front matter set key by key: what nobody changed stays to the letter."""

import pytest

from legio.errors import Refused
from legio.roster.front import altered
from legio.roster.profile import parse

WRITTEN = """\
---
# who he is
description: Does things   # inline
tools:   # why
  - Read
  # between
  - Write

# model below
model: opus
---
Body
---
more
"""


def test_comments_order_and_body_stay() -> None:
    text = altered(WRITTEN, {"model": None, "tools": ("Grep", "Read"), "effort": "low", "ask": ()})
    assert text == (
        "---\n# who he is\ndescription: Does things   # inline\ntools: [Grep, Read]\n\n# model below\n"
        "effort: low\n---\nBody\n---\nmore\n"
    )


def test_without_changes_nothing_changes() -> None:
    assert altered(WRITTEN, {}) == WRITTEN


@pytest.mark.parametrize(
    "value", ["A: b # 'c' ümlaut", "- list", "true", "{x}", "&a *b", "'", '"', "x" * 200, "<img>", "---"]
)
def test_any_text_is_read_back_as_it_was_set(value: str) -> None:
    text = altered(WRITTEN, {"description": value})
    assert parse("pullo", text, where="here").description == value
    assert text.endswith("model: opus\n---\nBody\n---\nmore\n")


def test_values_in_several_lines_and_other_line_ends_are_replaced_whole() -> None:
    text = "---\r\ndescription: |\r\n  long\r\n  text\r\nmodel: a\r\n---\r\nBody\r\n"
    assert altered(text, {"description": "z"}) == "---\r\ndescription: z\nmodel: a\r\n---\r\nBody\r\n"


def test_an_empty_value_is_filled_and_a_zero_is_a_value() -> None:
    text = altered("---\nmodel:\ndescription: x\n---\nB", {"model": "z", "history_window": 0})
    assert text == "---\nmodel: z\ndescription: x\nhistory_window: 0\n---\nB"


def test_lists_in_brackets_over_lines_are_replaced_whole() -> None:
    text = altered("---\ntools: [Read,\n  Write]  # both\ndescription: x\n---\nB", {"tools": ()})
    assert text == "---\ndescription: x\n---\nB"


@pytest.mark.parametrize(
    "text", ["no front matter", "---\ndescription: x\n", "---\n{description: x}\n---\nB", "---\na: [\n---\nB"]
)
def test_what_only_a_hand_can_change_is_refused(text: str) -> None:
    with pytest.raises(Refused, match="prompt"):
        altered(text, {"description": "y"})


def test_front_matter_without_keys_gets_them() -> None:
    assert altered("---\n# nothing\n---\nB", {"description": "y"}) == "---\n# nothing\ndescription: y\n---\nB"
