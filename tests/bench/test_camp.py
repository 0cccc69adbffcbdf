from pathlib import Path

from legio.castra import Castra
from legio.local.botapi.state import BotApiState, Call
from legio.roster import Roster
from tests.bench.camp import CAESAR_ID, CENTURIONES, TOKEN, pitch, sent


def told(*calls: tuple[str, str]) -> BotApiState:
    """A server that was called at the seconds 0, 1, 2 … with these methods and texts."""
    state = BotApiState(token=TOKEN, owner_id=CAESAR_ID)
    state.calls.extend(Call(method, {"text": text}, float(at)) for at, (method, text) in enumerate(calls))
    return state


def test_answers_are_found_in_order_and_only_when_all_are_there() -> None:
    state = told(("sendMessage", "⚔️ pullo: ave-1"), ("sendMessage", "⚔️ brutus: ave-1"))

    assert [call.at for call in sent(state, "ave-1", since=0, count=2)] == [0.0, 1.0]
    assert sent(state, "ave-1", since=0, count=3) == []


def test_neither_a_status_line_nor_a_word_of_failure_nor_another_answer_counts() -> None:
    state = told(
        ("sendMessage", "⏳ pullo writing 1 s\nYou said ave-1"),
        ("sendMessage", "⛔ pullo: the model is overloaded."),
        ("editMessageText", "⏳ pullo writing 1 s\nave-1"),
        ("sendMessage", "⚔️ pullo: ave-2"),
    )

    assert sent(state, "ave-1", since=0, count=1) == []


def test_what_came_before_the_question_does_not_answer_it() -> None:
    state = told(("sendMessage", "⚔️ pullo: ave-1"), ("sendMessage", "⚔️ pullo: ave-1"))

    assert [call.at for call in sent(state, "ave-1", since=0.5, count=1)] == [1.0]


def test_a_pitched_castra_has_its_centuriones_also_the_second_time(tmp_path: Path) -> None:
    pitch(tmp_path)
    configuration = pitch(tmp_path)

    assert configuration.is_file()
    assert Roster(Castra(tmp_path / "castra")).names() == tuple(sorted(CENTURIONES))
