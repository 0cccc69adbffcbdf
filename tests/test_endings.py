"""What the end of a turn means for the record, for Caesar's phone and for the log."""

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from legio.castra import Castra
from legio.endings import Endings, report, reset_sentence, sentence, taken_up, way, written
from legio.events import ADVICE, Answered, End, Failed, Fault, Stopped, Usage
from legio.nuntius import CAESAR, LEGATUS, Attachment, Nuntius, Turn, TurnState
from legio.ports import Ending, Passage
from legio.roster import Roster
from legio.sessions import Outcome
from tests.camp import write_castra
from tests.clocks import DAWN, FakeClock
from tests.fakes import NotingMessenger

USAGE = Usage(input_tokens=10, output_tokens=5, cache_read_tokens=3, cache_write_tokens=2, cost_usd=0.01)
QUESTION = Nuntius("q", CAESAR, "compare", ("vorenus", "pullo"), datetime(2026, 1, 1, tzinfo=UTC), seq=4)
TURN = Turn(1, "vorenus", QUESTION, root=4, message=901)
DISPATCHED = replace(TURN, nuntius=replace(QUESTION, sender=LEGATUS, audience=("vorenus",)), message=None)


def ended(castra: Castra, end: End, turn: Turn = TURN, *, replies: str = "addressed") -> Ending:
    endings = Endings(NotingMessenger(), FakeClock(), Roster(castra), replies=replies)
    return endings.of(turn, Outcome(end, None, 1.5))


@pytest.fixture
def castra(tmp_path: Path) -> Castra:
    return write_castra(tmp_path / "castra")


def test_an_answer_is_a_nuntius_and_rings_caesars_phone(castra: Castra) -> None:
    ending = ended(castra, Answered("it is blue", USAGE))
    assert ending.state is TurnState.ANSWERED
    assert ending.reply is not None
    assert (ending.reply.sender, ending.reply.audience) == ("vorenus", ("caesar", "pullo"))
    assert (ending.reply.text, ending.reply.reply_to) == ("it is blue", "q")
    assert ending.reply.timestamp == DAWN
    (parcel,) = ending.parcels
    assert json.loads(parcel.payload) == {
        "heading": "vorenus — vorenus's work",
        "text": "it is blue",
        "reply_to": 901,
    }
    assert (ending.usage, ending.seconds) == (USAGE, 1.5)


@pytest.mark.parametrize(("replies", "audience"), [("caesar", ("caesar",)), ("all", ("all",))])
def test_who_hears_an_answer_is_caesars_setting(
    castra: Castra, replies: str, audience: tuple[str, ...]
) -> None:
    reply = ended(castra, Answered("blue", USAGE), replies=replies).reply
    assert reply is not None
    assert reply.audience == audience


@pytest.mark.parametrize("end", [Answered("blue", USAGE), Failed(Fault.CRASHED, "x"), Stopped()])
def test_the_end_of_a_dispatch_rings_no_phone(castra: Castra, end: End) -> None:
    assert ended(castra, end, DISPATCHED).parcels == ()


def test_whose_prompt_broke_meanwhile_still_answers_by_his_name(castra: Castra) -> None:
    castra.prompt("vorenus").write_text("broken")
    (parcel,) = ended(castra, Answered("blue", USAGE)).parcels
    assert json.loads(parcel.payload)["heading"] == "vorenus"


@pytest.mark.parametrize("fault", Fault)
def test_a_failure_tells_what_it_was_and_what_to_do_and_nothing_of_the_inside(
    castra: Castra, fault: Fault
) -> None:
    ending = ended(castra, Failed(fault, "Traceback: line 7", USAGE))
    (parcel,) = ending.parcels
    said = json.loads(parcel.payload)
    assert (ending.state, ending.reply, ending.detail) == (TurnState.FAILED, None, "Traceback: line 7")
    assert said["reply_to"] == 901
    assert said["text"].startswith(f"⛔ vorenus: {ADVICE[fault]}")
    assert ("Traceback" in said["text"]) == (fault is Fault.UNFIT), "only a broken set-up is told as it is"


@pytest.mark.parametrize(
    ("until", "said"),
    [
        (datetime(2026, 11, 17, 14, 5, tzinfo=UTC), "14:05 UTC on 17 November"),
        (datetime(2026, 11, 17, 14, 4, 1, tzinfo=UTC), "14:05 UTC on 17 November"),
        (datetime(2026, 11, 30, 23, 59, 59, 1, tzinfo=UTC), "00:00 UTC on 1 December"),
        (datetime(2026, 11, 17, 15, 5, tzinfo=timezone(timedelta(hours=1))), "14:05 UTC on 17 November"),
    ],
)
def test_a_rate_limit_is_told_with_the_first_minute_at_which_it_is_over(until: datetime, said: str) -> None:
    assert sentence("vorenus", Failed(Fault.RATE_LIMIT, "429", until=until)) == (
        f"⛔ vorenus: the model's rate limit is used up until {said}. Write again then."
    )


def test_a_stopped_turn_is_said_to_be(castra: Castra) -> None:
    ending = ended(castra, Stopped(USAGE))
    (parcel,) = ending.parcels
    assert (ending.state, ending.reply, ending.usage) == (TurnState.STOPPED, None, USAGE)
    assert json.loads(parcel.payload)["text"] == "⏹ vorenus: stopped."


def test_an_expired_turn_is_said_to_be(castra: Castra) -> None:
    endings = Endings(NotingMessenger(), FakeClock(), Roster(castra), replies="addressed")
    ending = endings.expired(TURN)
    (parcel,) = ending.parcels
    assert (ending.state, ending.reply) == (TurnState.EXPIRED, None)
    assert json.loads(parcel.payload)["text"] == (
        "⌛ vorenus: this waited for more than a day while Legio was down: it was not answered."
    )


def test_what_is_written_has_an_id_of_its_own_and_names_what_it_answers() -> None:
    one = written(CAESAR, "ave", ("legatus",), DAWN)
    other = written(CAESAR, "ave", ("legatus",), DAWN, reply_to=QUESTION)
    assert one.id != other.id
    assert (one.reply_to, other.reply_to) == (None, "q")


def test_a_sentence_for_whoever_waits() -> None:
    assert sentence("pullo", Stopped()) == "⏹ pullo: stopped."
    assert sentence("pullo", Failed(Fault.EMPTY, "")) == f"⛔ pullo: {ADVICE[Fault.EMPTY]}"


def test_a_rate_limit_is_told_with_the_minute_at_which_it_is_over() -> None:
    over = datetime(2026, 11, 21, 14, 59, 1, tzinfo=UTC)
    said = sentence("pullo", Failed(Fault.RATE_LIMIT, "429", until=over))
    assert said == (
        "⛔ pullo: the model's rate limit is used up until 15:00 UTC on 21 November. Write again then."
    )


def test_a_reset_says_whether_the_agent_answers() -> None:
    well = reset_sentence("pullo", Answered("here", USAGE))
    ill = reset_sentence("pullo", Failed(Fault.EMPTY, ""))
    assert well == "✅ pullo begins afresh, and answers. What was said is kept in the praetorium."
    assert ill == (f"⚠️ pullo begins afresh, but does not answer yet.\n⛔ pullo: {ADVICE[Fault.EMPTY]}")


def test_after_a_restart_caesar_is_told_what_is_taken_up() -> None:
    long = replace(TURN, agent="pullo", nuntius=replace(QUESTION, text="very\n long " * 20))
    photo = Attachment("attachments/7.jpg", "photo-7.jpg", "image/jpeg", 5, "photo")
    mute = replace(TURN, nuntius=replace(QUESTION, text="", attachments=(photo,)))
    said = taken_up([TURN, long, mute]).splitlines()
    assert said[:2] == ["♻️ Legio was restarted and takes up again:", "· vorenus: compare"]
    assert said[2].startswith("· pullo: very long very long ")
    assert said[2].endswith("…")
    assert said[3] == "· vorenus: photo-7.jpg"


@pytest.mark.parametrize(
    ("state", "level"),
    [(TurnState.ANSWERED, "info"), (TurnState.STOPPED, "info"), (TurnState.FAILED, "warning")],
)
def test_a_turn_is_one_line_of_the_log(state: TurnState, level: str) -> None:
    with capture_logs() as logs:
        report(TURN, Ending(state, None, (), USAGE, 1.23456, "why"))
    (entry,) = logs
    wanted = {
        "event": "turn.ended",
        "log_level": level,
        "turn": 1,
        "nuntius": 4,
        "agent": "vorenus",
        "outcome": str(state),
        "seconds": 1.235,
        "tokens_in": 15,
        "tokens_out": 5,
        "cost_usd": 0.01,
    }
    assert wanted.items() <= entry.items()


def test_the_way_of_a_turn_says_what_became_of_it() -> None:
    passage = Passage(None, replace(TURN, state=TurnState.FAILED), None, USAGE, 1.5, tries=0, parcels=0)
    answered = replace(passage, reply=replace(QUESTION, sender="vorenus", seq=5))
    assert dict(way(passage))["Nuntius"] == "4; failed"
    assert dict(way(answered))["Nuntius"] == "4; answered by nuntius 5"
    assert [name for name, _ in way(passage)] == [name for name, _ in way(answered)]
