import asyncio

import pytest

from legio.decisions import EXPIRED, FORGOTTEN, LOOK_SECONDS, MOST_OPEN, Choice, Decisions, token_of
from legio.errors import Refused
from legio.ports import Button
from tests.clocks import FakeClock
from tests.scenes import scene


def choice(label: str, pressed: list[str]) -> Choice:
    async def act() -> str:
        pressed.append(label)
        return f"{label} it is."

    return Choice(label, act)


@scene
async def test_a_press_does_what_the_button_says_and_returns_the_last_words() -> None:
    pressed: list[str] = []
    decisions = Decisions(FakeClock())
    yes, no = decisions.offer([choice("Yes", pressed), choice("No", pressed)])
    assert await decisions.press(no.data) == "No it is."
    assert pressed == ["No"]
    assert yes.label == "Yes"


@scene
async def test_a_question_is_decided_once() -> None:
    pressed: list[str] = []
    decisions = Decisions(FakeClock())
    yes, no = decisions.offer([choice("Yes", pressed), choice("No", pressed)])
    await decisions.press(yes.data)
    for button in (yes, no):
        with pytest.raises(Refused, match="dead"):
            await decisions.press(button.data)
    assert pressed == ["Yes"]


@scene
async def test_an_expired_button_does_nothing() -> None:
    pressed: list[str] = []
    clock = FakeClock()
    decisions = Decisions(clock)
    (yes,) = decisions.offer([choice("Yes", pressed)], seconds=10)
    clock.advance(11)
    with pytest.raises(Refused, match="expired"):
        await decisions.press(yes.data)
    assert pressed == []


@pytest.mark.parametrize("data", ["", "choice", "choice:x", "choice:x:y", "other:x:0", "choice:x:0:1"])
@scene
async def test_a_foreign_or_forged_button_is_refused(data: str) -> None:
    with pytest.raises(Refused):
        await Decisions(FakeClock()).press(data)


@scene
async def test_a_number_that_was_not_offered_is_refused() -> None:
    decisions = Decisions(FakeClock())
    (yes,) = decisions.offer([choice("Yes", [])])
    with pytest.raises(Refused):
        await decisions.press(yes.data[:-1] + "7")


@scene
async def test_the_oldest_questions_are_forgotten_first() -> None:
    pressed: list[str] = []
    decisions = Decisions(FakeClock())
    (first,) = decisions.offer([choice("first", pressed)])
    later = [decisions.offer([choice("later", pressed)])[0] for _ in range(MOST_OPEN)]
    with pytest.raises(Refused):
        await decisions.press(first.data)
    await decisions.press(later[0].data)
    assert pressed == ["later"]


def test_a_button_fits_telegrams_sixty_four_bytes() -> None:
    buttons = Decisions(FakeClock()).offer([choice(str(number), []) for number in range(12)])
    assert max(len(button.data.encode()) for button in buttons) <= 64


class Noting:
    """A seal that keeps what it was asked."""

    def __init__(self) -> None:
        self.asked: list[Choice] = []

    def ask(self, choice: Choice) -> str:
        self.asked.append(choice)
        return "Confirm it."


@scene
async def test_a_grave_choice_is_the_seals_where_there_is_one_and_the_thumbs_where_there_is_none() -> None:
    pressed: list[str] = []
    decisions, seal = Decisions(FakeClock()), Noting()
    light = choice("Light", pressed)
    grave = Choice("Grave", choice("Grave", pressed).act, grave=True)
    assert await decisions.press(decisions.offer([grave])[0].data) == "Grave it is."
    decisions.seal = seal
    assert await decisions.press(decisions.offer([light])[0].data) == "Light it is."
    assert await decisions.press(decisions.offer([grave])[0].data) == "Confirm it."
    assert pressed == ["Grave", "Light"]
    assert seal.asked == [grave]


@scene
async def test_a_question_that_ends_without_a_press_is_told_once() -> None:
    clock, told = FakeClock(), list[tuple[str | None, str]]()
    decisions = Decisions(clock)
    decisions.listen(lambda token, said: told.append((token, said)))
    withdrawn = decisions.offer([choice("Yes", [])])
    expired = decisions.offer([choice("Yes", [])], seconds=10)
    pressed = decisions.offer([choice("Yes", [])], seconds=10)
    await decisions.press(pressed[0].data)
    decisions.withdraw(withdrawn, "Never mind.")
    decisions.withdraw(withdrawn, "Never mind.")
    decisions.withdraw(pressed, "Too late.")
    decisions.withdraw((), "Nothing.")
    watch = asyncio.create_task(decisions.expire())
    await clock.run(10 + 2 * LOOK_SECONDS)
    watch.cancel()
    await asyncio.gather(watch, return_exceptions=True)
    assert told == [(token_of(withdrawn[0].data), "Never mind."), (token_of(expired[0].data), EXPIRED)]
    assert not decisions.is_open(token_of(expired[0].data) or "")


@scene
async def test_a_question_that_is_pushed_out_is_told() -> None:
    told: list[tuple[str, str]] = []
    decisions = Decisions(FakeClock())
    decisions.listen(lambda token, said: told.append((token, said)))
    (first,) = decisions.offer([choice("first", [])])
    for _ in range(MOST_OPEN):
        decisions.offer([choice("later", [])])
    assert told == [(token_of(first.data), FORGOTTEN)]


@pytest.mark.parametrize(
    ("data", "token"), [("choice:abc:0", "abc"), ("choice::0", None), ("other:abc:0", None), ("", None)]
)
def test_a_token_is_read_from_our_own_buttons_alone(data: str, token: str | None) -> None:
    assert token_of(Button("Yes", data).data) == token
