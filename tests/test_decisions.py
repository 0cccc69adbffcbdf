import pytest

from legio.decisions import MOST_OPEN, Choice, Decisions
from legio.errors import Refused
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
