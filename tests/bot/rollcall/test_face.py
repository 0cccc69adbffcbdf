"""How a roll-call looks, and that Telegram takes it."""

from dataclasses import replace

import pytest

from legio.bot.piece import TEXT_UNITS, utf16_length
from legio.bot.rollcall.face import MOST_BUTTONS, draft, face, paused, spelled
from legio.bot.rollcall.roll import Roll
from legio.events import Failed, Fault, Stopped, Thinking, Waiting, Writing
from tests.bot.rollcall.stage import BRUTUS, DONE, PULLO, ROOT, VORENUS


def roll(*, streaming: bool = True) -> Roll:
    return Roll(ROOT, 0.0, streaming=streaming)


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0.9, "0 s"), (59.9, "59 s"), (60, "1 min"), (3599, "59 min"), (3600, "1 h 0 min"), (7500, "2 h 5 min")],
)
def test_a_duration_is_spelled_for_a_phone(seconds: float, words: str) -> None:
    assert spelled(seconds) == words


def test_who_writes_has_his_words_below_him_and_the_others_stand_together() -> None:
    it = roll()
    it.note(BRUTUS, DONE, 0.0)
    it.note(PULLO, Thinking(), 0.0)
    it.note(VORENUS, Writing("deep *and* cold"), 0.0)
    it.note(replace(BRUTUS, id=9, agent="titus"), Waiting(), 0.0)
    it.note(replace(BRUTUS, id=10, agent="cato"), DONE, 0.0)
    shown = face(it, 5.0)
    assert shown.piece.text == (
        "✅ brutus 0 s · ⏳ pullo thinking 5 s\n\n"
        "⏳ vorenus writing 5 s\ndeep and cold\n\n"
        "⏳ titus waiting 5 s · ✅ cato 0 s"
    )


def test_several_who_write_much_share_one_message() -> None:
    it = roll()
    for number in range(8):
        turn = replace(VORENUS, id=number, agent=f"a{number}")
        it.note(turn, Writing("**words** and `code`\n\n" * 3000 + f"end {number}"), 0.0)
    shown = face(it, 1.0).piece
    assert utf16_length(shown.text) <= TEXT_UNITS
    assert len(shown.entities) <= 100
    assert all(f"end {number}" in shown.text for number in range(8))


def test_a_hundred_are_shown_by_their_signs_alone_and_can_be_stopped_together() -> None:
    it = roll()
    for number in range(100):
        turn = replace(VORENUS, id=number, agent=f"centurio-of-a-long-name-{number:03}")
        it.note(turn, Failed(Fault.CREDENTIAL, "x") if number == 3 else Thinking(), 0.0)
    shown = face(it, 5.0)
    assert utf16_length(shown.piece.text) <= TEXT_UNITS
    assert shown.piece.text.count("⏳") == 99
    buttons = [button for row in shown.rows for button in row]
    assert len(buttons) == MOST_BUTTONS
    assert buttons[-1].data == f"turn:stopall:{ROOT}"


def test_it_is_folded_without_buttons() -> None:
    it = roll()
    it.note(VORENUS, Waiting(), 0.0)
    it.note(VORENUS, Stopped(), 4.0)
    shown = face(it, 90.0)
    assert (shown.piece.text, shown.rows) == ("⏹ vorenus stopped", ())


def test_when_legio_stops_it_says_who_goes_on() -> None:
    it = roll()
    it.note(VORENUS, Writing("half"), 0.0)
    it.note(PULLO, DONE, 2.0)
    assert paused(it, 5.0).piece.text == "⏸ vorenus goes on when Legio is back · ✅ pullo 0 s"


def test_words_that_telegram_refuses_are_made_sendable() -> None:
    it = roll()
    it.note(VORENUS, Thinking(), 0.0)
    it.entries[1].words = "running \ud800\0"
    assert face(it, 0.0).piece.text == "⏳ vorenus running � 0 s"


def test_a_draft_names_its_writer() -> None:
    assert draft("vorenus", "**deep**").text == "⚔️ vorenus\ndeep"
