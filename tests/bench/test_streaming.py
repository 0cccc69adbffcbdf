from legio.local.botapi.state import Call
from tests.bench.streaming import Streamed, late_edits, most_in, streaming_figures


def sent(text: str, at: float = 0.0) -> Call:
    return Call("sendMessage", {"text": text}, at)


def edited(text: str, message: int = 1, at: float = 0.0) -> Call:
    return Call("editMessageText", {"text": text, "message_id": message}, at)


def test_the_fullest_stretch_is_found_wherever_it_begins() -> None:
    assert most_in(60, [0.0, 10.0, 59.9, 60.0, 61.0, 69.0, 200.0]) == 5
    assert most_in(60, []) == 0


def test_after_the_last_answer_each_roll_call_may_be_folded_once_and_no_more() -> None:
    before = [sent("⏳ pullo thinking 0 s"), edited("⏳ pullo writing 1 s\nave"), sent("⚔️ pullo\nave")]
    assert late_edits([*before, edited("✅ pullo 2 s"), edited("✅ vorenus 2 s", 2)]) == 0
    assert late_edits([*before, edited("✅ pullo 2 s"), edited("✅ pullo 2 s")]) == 1
    assert late_edits([*before, edited("⏳ pullo writing 2 s"), edited("✅ pullo 2 s")]) == 1
    assert late_edits([]) == 0


def test_each_of_the_three_has_its_bound() -> None:
    assert [it.met for it in streaming_figures(Streamed(8, 69, 50, 0, 0))] == [True, True, True]
    assert [it.met for it in streaming_figures(Streamed(8, 70, 50, 1, 1))] == [False, False, False]
