import pytest

from legio.ports import Button, Press


@pytest.mark.parametrize(
    ("act", "data"),
    [(Press.STOP, "turn:stop:12"), (Press.RETRY, "turn:retry:12"), (Press.STOP_ALL, "turn:stopall:12")],
)
def test_the_data_of_a_button_about_turns_says_all_of_it(act: Press, data: str) -> None:
    assert act.button(12, "label") == Button("label", data)


def test_telegram_has_room_for_the_highest_number() -> None:
    assert len(Press.STOP_ALL.button(2**63 - 1, "x").data.encode()) <= 64
