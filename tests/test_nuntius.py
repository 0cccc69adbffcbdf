from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from legio.nuntius import NAME, Nuntius, Tally, TurnState, distinct, reply_audience, viewers, visible

NOON = datetime(2026, 3, 15, 12, tzinfo=UTC)
NUNTIUS = Nuntius("id", "pullo", "text", ("caesar", "vorenus"), NOON)


@pytest.mark.parametrize(
    ("viewer", "seen"),
    [
        ("caesar", True),
        ("legatus", True),
        ("pullo", True),
        ("vorenus", True),
        ("brutus", False),
        ("voren", False),
        ("all", False),
        ("", False),
    ],
)
def test_caesar_the_legatus_the_sender_and_the_audience_see_a_nuntius(viewer: str, *, seen: bool) -> None:
    assert visible(viewer, NUNTIUS) is seen


def test_everyone_sees_what_was_said_to_all() -> None:
    assert visible("brutus", replace(NUNTIUS, audience=("all",)))


def test_who_may_see_it_is_told_with_the_reason() -> None:
    assert viewers(NUNTIUS) == (
        "caesar (sees everything)",
        "legatus (sees everything)",
        "pullo (said it)",
        "vorenus (named)",
    )
    assert viewers(replace(NUNTIUS, audience=("all",))) == ("everyone",)
    assert viewers(replace(NUNTIUS, audience=("all", "brutus")))[-1] == "brutus (named)"


def test_names_are_compared_whole() -> None:
    assert not visible("ren", replace(NUNTIUS, audience=("vorenus",)))


@pytest.mark.parametrize(
    ("audience", "policy", "heard"),
    [
        (("vorenus", "pullo"), "addressed", ("caesar", "pullo")),
        (("vorenus",), "addressed", ("caesar",)),
        (("all",), "addressed", ("all",)),
        (("vorenus", "pullo"), "caesar", ("caesar",)),
        (("all",), "caesar", ("caesar",)),
        (("vorenus",), "all", ("all",)),
    ],
)
def test_a_reply_is_heard_as_the_setting_says(
    audience: tuple[str, ...], policy: str, heard: tuple[str, ...]
) -> None:
    question = replace(NUNTIUS, sender="caesar", audience=audience)

    assert reply_audience("vorenus", question, policy) == heard


def test_the_answer_to_a_dispatch_is_heard_by_who_dispatched() -> None:
    question = replace(NUNTIUS, sender="legatus", audience=("vorenus",))

    assert reply_audience("vorenus", question, "addressed") == ("legatus",)


@given(st.permutations(["vorenus", "pullo", "brutus"]), st.sampled_from(["addressed", "caesar", "all"]))
def test_whoever_asked_always_sees_the_reply(audience: list[str], policy: str) -> None:
    question = replace(NUNTIUS, sender="caesar", audience=tuple(audience))
    reply = Nuntius("r", audience[0], "text", reply_audience(audience[0], question, policy), NOON)

    assert visible("caesar", reply)
    assert len(set(reply.audience)) == len(reply.audience)


def test_only_the_four_ends_are_ends() -> None:
    assert [state for state in TurnState if state.ended] == ["answered", "failed", "stopped", "expired"]


@given(st.lists(st.sampled_from(list(TurnState))))
def test_the_law_holds_while_each_turn_is_in_one_state(states: list[TurnState]) -> None:
    counts = {state: states.count(state) for state in TurnState}
    tally = Tally(
        received=len(states),
        answered=counts[TurnState.ANSWERED],
        failed=counts[TurnState.FAILED],
        stopped=counts[TurnState.STOPPED],
        expired=counts[TurnState.EXPIRED],
        pending=sum(not state.ended for state in states),
    )

    assert tally.holds
    assert not replace(tally, received=tally.received + 1).holds
    assert not replace(tally, answered=tally.answered + 1).holds


def test_names_are_told_apart_in_order() -> None:
    assert distinct(["b", "a", "b", "c", "a"]) == ("b", "a", "c")


@pytest.mark.parametrize("name", ["a", "vorenus", "a-1_b", "x" * 32])
def test_a_name_is_short_lower_case_and_begins_with_a_letter(name: str) -> None:
    assert NAME.fullmatch(name)


@pytest.mark.parametrize("name", ["", "A", "1a", "-a", "a b", "a\n", "é", "x" * 33])
def test_other_words_are_no_names(name: str) -> None:
    assert not NAME.fullmatch(name)
