import contextlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from legio.errors import ProfileError
from legio.roster.profile import Flaw, Profile, completed, examine, parse


def refusal(text: str) -> list[str]:
    with pytest.raises(ProfileError) as caught:
        parse("vorenus", text, where="prompt.md")
    head, *lines = str(caught.value).split("\n  - ")
    assert head == "prompt.md: this prompt cannot be used:"
    return lines


def test_a_description_and_a_text_are_enough() -> None:
    profile = parse("vorenus", "---\ndescription: Research\n---\n\nYou look.\n", where="prompt.md")

    assert profile == Profile(name="vorenus", description="Research", prompt="You look.")


def test_every_key_is_read() -> None:
    text = """---
description: "Research: all of it"
model: opus
effort: high
history_window: 0
tools: [Read, WebSearch, Read]
ask:
  - Bash(git *)
---
You look.
---
A rule in the text is no fence.
"""
    profile = parse("vorenus", text, where="prompt.md")

    assert profile == Profile(
        name="vorenus",
        description="Research: all of it",
        prompt="You look.\n---\nA rule in the text is no fence.",
        model="opus",
        effort="high",
        history_window=0,
        tools=("Read", "WebSearch"),
        asks=("Bash(git *)",),
    )


def test_an_editors_line_ends_and_byte_order_mark_do_no_harm() -> None:
    profile = parse("v", "\ufeff---  \r\ndescription: A\r\nmodel:\r\n---\r\nOne\r\ntwo\r\n", where="")

    assert profile == Profile(name="v", description="A", prompt="One\ntwo")


def test_all_that_is_wrong_is_told_at_once() -> None:
    text = """---
descriptoin: x
model: [opus]
effort: huge
history_window: "5"
tools: Read, Grep
ask: [Bash, 7]
7: x
---
"""
    assert refusal(text) == [
        "line 2: there is no key 'descriptoin'. Did you mean 'description'?",
        "line 3: model: found a list. Expected is a text of 1 to 200 characters on one line.",
        'line 4: effort: found the text "huge". Expected is one of "low", "medium", "high", "xhigh", "max".',
        'line 5: history_window: found the text "5". Write it without quotes: 5.',
        'line 6: tools: found the text "Read, Grep". Expected is a list such as [Read, WebSearch].',
        "line 7: ask: found a list. Expected is a list such as [Read, WebSearch].",
        "line 8: there is no key '7'. Known are: ask, description, effort, history_window, model, tools.",
        "the description is missing. Say in one line what this agent is for.",
        "there is no text below the front matter. Write what the agent is and does.",
    ]


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("", "there is no front matter. Begin with a line ---, then 'description: …'."),
        ("You look.", "there is no front matter. Begin with a line ---, then 'description: …'."),
        ("\n---\ndescription: x\n---\nx", "there is no front matter. Begin with a line ---"),
        ("---\ndescription: x\nYou look.", "the front matter has no end. End it with a line ---."),
        ("---\n---\nYou look.", "the front matter holds no keys. Write at least 'description: …'."),
        ("---\n- x\n---\nYou look.", "the front matter holds no keys."),
        (
            "---\nmodel: opus\ndescription: a: b\n---\nx",
            "line 3: this is not YAML (mapping values are not allowed here). Put a text that holds ':'",
        ),
        ("---\na: 2024-13-45\n---\nx", "the front matter is not YAML. Write one 'key: value' a line."),
        ("---\na: \x01\n---\nx", "the front matter is not YAML."),
        ("---\na: !!python/object:x.Y {}\n---\nx", "line 2: this is not YAML (could not determine a"),
        ("---\n? [a]\n: b\n---\nx", "line 2: this is not YAML (found unhashable key)."),
        (f"---\ndescription: {'x' * 201}\n---\nx", "line 2: description: found 201 characters."),
        ("---\ndescription: 7\n---\nx", "line 2: description: found the number 7."),
        ("---\ndescription:\n---\nx", "the description is missing."),
        ('---\ndescription: "a\\nb"\n---\nx', 'line 2: description: found the text "a\\nb".'),
        (
            "---\ndescription: x\ntools: [A]\nask: [A]\n---\nx",
            "line 4: ask: A stands in tools as well. Keep one.",
        ),
        ("---\ndescription: x\n---\n\n \n", "there is no text below the front matter."),
        ("---\ndescription: x\n---\n\ud800", "line 4: it holds a sign that no text file can hold."),
    ],
)
def test_a_broken_file_is_refused_with_its_reason(text: str, word: str) -> None:
    assert word in refusal(text)[0]


def test_deep_nesting_is_refused_like_any_other_broken_file() -> None:
    assert refusal("---\na: " + "[" * 5_000 + "\n---\nx")[0].startswith("the front matter is not YAML.")


DESCRIPTIONS = st.text(st.characters(exclude_categories=["Cc", "Cs", "Zl", "Zp"]), min_size=1, max_size=200)


@settings(deadline=None)
@given(DESCRIPTIONS.filter(lambda text: text.strip()))
def test_a_body_is_completed_by_its_description(description: str) -> None:
    profile = parse("v", completed("You look.", description), where="")

    assert (profile.description, profile.prompt) == (description.strip(), "You look.")


def test_a_whole_prompt_needs_no_completion() -> None:
    text = "---\ndescription: Doubt\n---\nYou doubt.\n"

    assert completed(text, "other") == text


@settings(deadline=None)
@given(st.text())
def test_no_front_matter_breaks_the_parser(head: str) -> None:
    profile = None
    with contextlib.suppress(ProfileError):
        profile = parse("v", f"---\n{head}\n---\nYou look.", where="")

    assert profile is None or profile.description


def test_what_is_wrong_is_told_by_line_to_whoever_asks() -> None:
    assert examine("v", "---\nmodle: x\n# so\ndescription: A\n---\n") == (
        Flaw("there is no key 'modle'. Did you mean 'model'?", 2),
        Flaw("there is no text below the front matter. Write what the agent is and does."),
    )
    assert examine("v", "---\ndescription: A\n---\nYou look.") == Profile("v", "A", "You look.")
