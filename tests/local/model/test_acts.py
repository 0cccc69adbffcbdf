import re

import pytest

from legio.local.model.conversation import NOTICE
from legio.local.model.recruit import recruit
from legio.local.model.script import Answer, ToolUse
from tests.local.model.asking import Json, asking, assistant, calls, results, text_of, user

TOLD = (user("ave"), assistant(NOTICE))
"""A thread in which he has said what he is, so that answers can be compared whole."""


def said(*messages: Json, tools: tuple[str, ...] = ()) -> str:
    return text_of(recruit(asking(*TOLD, *messages, tools=tools)))


def called(text: str, *tools: str) -> tuple[ToolUse, ...]:
    script = recruit(asking(*TOLD, user(text), tools=tools))
    assert isinstance(script, Answer)
    assert not script.text
    return script.calls


LONG = "the ford is deep in autumn and the bridge is down"


@pytest.mark.parametrize(
    ("text", "tool", "arguments"),
    [
        (f"remember {LONG}", "publish_actum", {"title": "the ford is deep in autumn", "text": LONG}),
        ("note a\nb", "write_commentarium", {"title": "a b", "text": "a\nb"}),
        ("Order speak plainly", "publish_edictum", {"title": "speak plainly", "text": "speak plainly"}),
        ("who is here?", "list_centuriones", {}),
        ("send me the file out/report.md", "send_file", {"path": "out/report.md"}),
        ("recruit Titus as a cook", "create_centurio", {"name": "titus", "specialization": "a cook"}),
        (
            "remind me tomorrow at nine to call Livia",
            "schedule",
            {"kind": "reminder", "text": "call Livia", "when": "tomorrow at nine"},
        ),
        (
            r"schedule every Monday 8:00: \@vorenus who is here",
            "schedule",
            {"kind": "task", "text": "@vorenus who is here", "when": "every Monday 8:00"},
        ),
        ("what do the edicta say?", "list_edicta", {}),
        ("what do the acta say", "list_acta", {}),
        ("what do the commentarii say", "list_commentarii", {}),
        ('tool any_tool {"n": 1}', "any_tool", {"n": 1}),
        ("tool any_tool", "any_tool", {}),
    ],
)
def test_a_task_calls_its_tool_by_the_offered_name(text: str, tool: str, arguments: Json) -> None:
    assert called(text, "another", tool) == (ToolUse(f"mcp__legio__{tool}", arguments),)


@pytest.mark.parametrize(
    ("text", "tool"),
    [
        ("remember it", "publish_actum"),
        ("who is here", "list_centuriones"),
        ("ask pullo to go", "dispatch_to_centurio"),
    ],
)
def test_a_tool_that_is_not_offered_is_named(text: str, tool: str) -> None:
    assert said(user(text)) == f"I have not got the tool `{tool}`."


def test_a_title_stays_short() -> None:
    (call,) = called(f"remember {'x' * 500}", "publish_actum")

    assert len(str(call.arguments["title"])) == 100


def test_a_result_is_reported() -> None:
    done = said(user("remember it"), calls("publish_actum"), results(publish_actum="Written."))

    assert done == "I published an actum. Written."


def test_an_error_is_reported_as_one() -> None:
    done = said(user("remember it"), calls("publish_actum"), results(publish_actum="no room", failed=True))

    assert done == "The tool `publish_actum` failed: no room"


def test_the_result_of_any_tool_is_given_as_it_is() -> None:
    assert said(user("tool x {}"), calls("x"), results(x="<a>\n b")) == "<a>\n b"


def test_arguments_that_are_no_json_are_told() -> None:
    assert said(user("tool x {no}")).startswith("The arguments are not JSON: ")


@pytest.mark.parametrize(
    "listing", ['<edictum name="plain-words" author="legatus">Speak</edictum>', "- `plain-words`: x"]
)
def test_the_first_document_listed_is_read(listing: str) -> None:
    thread = (*TOLD, user("what do the edicta say"), calls("list_edicta"), results(list_edicta=listing))

    script = recruit(asking(*thread, tools=("list_edicta", "read_edictum")))

    assert script == Answer(calls=(ToolUse("mcp__legio__read_edictum", {"name": "plain-words"}),))


def test_the_listing_and_the_first_document_are_reported() -> None:
    done = said(
        user("what do the acta say"),
        calls("list_acta"),
        results(list_acta='<actum name="ford"/>'),
        calls("read_actum"),
        results(read_actum="deep"),
    )

    assert done == '<actum name="ford"/>\n\nThe first one says:\ndeep'


def test_an_empty_or_failed_listing_is_reported() -> None:
    asked = (user("what do the acta say"), calls("list_acta"))

    assert said(*asked, results(list_acta="There are none.")) == "There are none."
    assert said(*asked, results(list_acta='name="x"', failed=True)) == 'The tool `list_acta` failed: name="x"'


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("ask vorenus to count", ["vorenus"]),
        ("ask vorenus and Pullo to count", ["vorenus", "pullo"]),
        (r"ask \@vorenus, @pullo and vorenus to count", ["vorenus", "pullo"]),
    ],
)
def test_everyone_named_is_asked_in_one_message(text: str, names: list[str]) -> None:
    asked = called(text, "dispatch_to_centurio")

    assert [dict(call.arguments) for call in asked] == [{"name": name, "message": "count"} for name in names]


def test_what_they_answer_is_summed_up() -> None:
    two = [
        {"type": "tool_use", "id": name, "name": "mcp__legio__dispatch_to_centurio", "input": {"name": name}}
        for name in ("vorenus", "pullo")
    ]
    answers = [
        {"type": "tool_result", "tool_use_id": "vorenus", "content": "seven"},
        {"type": "tool_result", "tool_use_id": "pullo", "content": "asleep", "is_error": True},
    ]

    done = said(
        user("ask vorenus and pullo to count"),
        {"role": "assistant", "content": two},
        {"role": "user", "content": answers},
    )

    assert done == "vorenus answered: seven\n\npullo answered: The tool `dispatch_to_centurio` failed: asleep"


def test_history_lists_what_was_heard_and_by_whom() -> None:
    told = '<nuntius id="1" sender="pullo">built</nuntius><message from="caesar" id="2">history</message>'

    assert said(user(told)) == "What was said:\n- caesar: ave\n- pullo: built"


def test_history_without_a_past_says_so() -> None:
    assert text_of(recruit(asking(user("what was said?")))).endswith("Nothing was said before this.")


def test_history_is_bounded() -> None:
    thread = [user(f"{number} {'x' * 1000}") for number in range(80)]

    done = said(*thread, user("history"))

    assert "79 xxx" in done
    assert "\n- caesar: 29 " not in done
    assert len(done) < 21_000


def test_a_client_that_compacts_gets_what_was_said() -> None:
    order = "CRITICAL: Respond with TEXT ONLY.\nNow create a detailed summary of the conversation so far."

    assert said(user('<message from="caesar" id="1">the ford is deep</message>', order)).endswith(
        "the ford is deep"
    )


def test_echo_says_exactly_that_and_nothing_else() -> None:
    assert text_of(recruit(asking(user("echo a\n b ")))) == "a\n b"


def test_long_streams_so_many_words_and_no_more_than_it_may() -> None:
    script = recruit(asking(user("long 300")))

    assert len(text_of(script).split()) == 300
    assert isinstance(script, Answer)
    assert script.pace
    assert len(said(user("long 999999999")).split()) == 400_000


def test_markdown_and_empty() -> None:
    assert "```python" in said(user("markdown"))
    assert recruit(asking(user("empty"))) == Answer()


def test_anything_else_is_quoted_in_short() -> None:
    assert said(user("how\n deep?")) == "This is vorenus. You said: “how deep?”"
    assert re.fullmatch(r"This is vorenus. You said: “x{200}…”", said(user("x" * 300)))


def test_he_says_what_came_with_the_words_and_what_they_are_about() -> None:
    told = (
        '<quote of="pullo">the ford</quote>\n<attachments>\n<attachment name="a.txt" kind="document">deep'
        '</attachment>\n<attachment name="b.zip" kind="document"></attachment>\n</attachments>\n'
        '<message from="caesar" id="1">{}</message>'
    )
    seen = "You mean what pullo said: “the ford”\nI was given a.txt, which says: “deep”\nI was given b.zip."

    assert said(user(told.format("what do you see?"))) == seen
    assert said(user(told.format("well"))) == f"This is vorenus. You said: “well”\n{seen}"
    assert said(user("what do you see")) == "I see nothing."
