"""What a cap bears, and what Caesar reads of it."""

import pytest

from legio.budget.caps import EVERYBODY, Cap, Wish, amounts, card, dollars, names


def cap(*, spent: float = 0.0, kept: float = 0.0, raised: float = 0.0) -> Cap:
    return Cap("pullo", 1.0, raised, spent, kept)


@pytest.mark.parametrize(
    ("held", "usd", "bears"),
    [
        (cap(spent=0.5), 0.5, True),
        (cap(spent=0.1, kept=0.2), 0.7, True),
        (cap(spent=0.5), 0.51, False),
        (cap(spent=0.5, kept=0.3), 0.3, False),
        (cap(spent=1.0, raised=0.5), 0.5, True),
    ],
)
def test_a_cap_bears_what_neither_was_spent_nor_is_set_aside(held: Cap, usd: float, *, bears: bool) -> None:
    assert held.bears(usd) is bears


@pytest.mark.parametrize(("spent", "steps"), [(0.9, 1), (1.3, 1), (1.4, 1), (1.5, 2), (3.0, 5)])
def test_a_raise_is_as_many_steps_as_it_takes(spent: float, steps: int) -> None:
    held = cap(spent=spent)
    assert held.steps(0.1) == steps
    assert cap(spent=spent, raised=steps * 0.5).bears(0.1)


def test_a_card_says_what_is_spent_and_who_waits() -> None:
    short = [Cap(EVERYBODY, 5.0, 0.0, 4.99, 0.5), cap(spent=1.0)]
    assert card(short, [Wish("pullo", 0.25), Wish("brutus", 0.01)]).splitlines() == [
        "💰 Today's budget does not bear another turn.",
        "Everybody: $4.99 of $5.00 spent, $0.50 set aside for turns at work.",
        "pullo: $1.00 of $1.00 spent.",
        "",
        "Waiting for your word: pullo (about $0.25), brutus (about $0.01).",
        "Without it they begin when a new day does.",
    ]


def test_amounts_and_names_are_written_for_people() -> None:
    assert amounts({EVERYBODY: 2.5, "pullo": 0.5}) == "everybody +$2.50, pullo +$0.50"
    assert names(["pullo", "brutus", "pullo"]) == "pullo, brutus"
    assert [dollars(usd) for usd in (0, 0.001, 0.005, 1234.5)] == ["$0.00", "<$0.01", "$0.01", "$1,234.50"]
