import pytest

from legio.local.model.conversation import NOTICE
from legio.local.model.recruit import RULES, Rule, help_text, recruit
from legio.local.model.script import Answer, Ending, Failure, Retried, Silence
from tests.local.model.asking import asking, assistant, calls, results, text_of, user


def test_he_says_once_in_a_thread_that_he_is_no_model() -> None:
    first = text_of(recruit(asking(user("ave"))))
    second = text_of(recruit(asking(user("ave"), assistant(first), user("vale"))))

    assert first.startswith(f"{NOTICE}\n\n")
    assert second == "This is vorenus. You said: “vale”"


def test_help_is_the_table() -> None:
    done = text_of(recruit(asking(user("help"))))

    assert help_text() in done
    assert len(help_text().splitlines()) == len(RULES)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.example)
def test_each_example_is_obeyed_by_its_own_rule(rule: Rule) -> None:
    first = next(other for other in RULES if other.pattern.fullmatch(rule.example))

    assert first is rule


def test_slow_waits_and_then_does_the_rest() -> None:
    assert recruit(asking(user("slow 2 then echo ave"))) == Answer("ave", delay=2)
    assert recruit(asking(user("slow 0.5 echo ave"))) == Answer("ave", delay=0.5)
    assert recruit(asking(user("slow 2 fail 401"))) == Failure(401, delay=2)
    assert recruit(asking(user("slow 2 hang"))) == Silence()
    assert recruit(asking(user("slow 2 fail 529 once then echo ave"))) == Retried(
        Failure(529), 1, Answer("ave", delay=2)
    )


def test_slow_alone_says_how_long_and_no_longer_than_it_may() -> None:
    script = recruit(asking(user("slow 9999")))

    assert isinstance(script, Answer)
    assert script.delay == 600
    assert script.text.endswith("I waited 600 s.")


def test_only_the_first_call_of_a_turn_is_slow() -> None:
    asked = user("slow 5 then tool x")

    script = recruit(asking(asked, calls("x"), results(x="done"), tools=("x",)))

    assert isinstance(script, Answer)
    assert script.delay is None
    assert script.text.endswith("done")


def test_think_begins_with_thinking() -> None:
    script = recruit(asking(user("think echo ave")))

    assert script == Answer("ave", thinking="Which of my rules fits? I was asked: echo ave.")
    assert text_of(recruit(asking(user("think")))).endswith("as far as I can.")
    assert recruit(asking(user("think hang"))) == Silence()


def test_failures_last_unless_they_are_counted() -> None:
    assert recruit(asking(user("fail 401"))) == Failure(401)
    assert recruit(asking(user("fail 429 retry-after 3"))) == Failure(429, retry_after=3)
    assert recruit(asking(user("hang"))) == Silence()
    assert recruit(asking(user("too long"))) == Failure(
        400, "prompt is too long: 214748 tokens > 200000 maximum"
    )


@pytest.mark.parametrize(
    ("words", "times"),
    [("", 1), ("once ", 1), ("twice ", 2), ("thrice ", 3), ("1 time ", 1), ("12 times ", 12)],
)
def test_counted_failures_end_in_the_rest(words: str, times: int) -> None:
    assert recruit(asking(user(f"fail 529 {words}then echo ave"))) == Retried(
        Failure(529), times, Answer("ave")
    )


def test_counted_failures_without_a_rest_say_that_they_are_over() -> None:
    script = recruit(asking(user("hang twice")))

    assert isinstance(script, Retried)
    assert (script.first, script.times) == (Silence(), 2)
    assert text_of(script.then).endswith("It works again.")


def test_after_its_tools_have_run_a_turn_fails_no_more() -> None:
    asked = user("fail 529 twice then tool x")

    script = recruit(asking(asked, calls("x"), results(x="done"), tools=("x",)))

    assert text_of(script).endswith("done")


@pytest.mark.parametrize("ending", [Ending.STALL, Ending.CUT, Ending.ERROR])
def test_an_answer_may_break_in_its_middle(ending: Ending) -> None:
    script = recruit(asking(user(ending.value)))

    assert isinstance(script, Answer)
    assert script.ending is ending
    assert len(script.text) > 100


def test_rules_that_nest_without_end_are_quoted() -> None:
    script = recruit(asking(user("think " * 2000 + "ave")))

    assert "You said: “think think" in text_of(script)
