import json
from pathlib import Path

import pytest
from telegram.error import TelegramError

from legio.bot.cards import Cards
from legio.bot.commands import Commands
from legio.bot.desk import Desk
from legio.bot.intake import EDITED, LONGEST_NOTICE, TEXT_ONLY, CommittingQueue, Intake, _cut
from legio.clock import SystemClock
from legio.errors import PraetoriumError
from legio.memoria.store import FileMemoria
from legio.ports import Letter, Parcel
from legio.praetorium import Praetorium
from tests.bot.updates import BOT, CAESAR, STRANGER, message, press, update
from tests.camp import Legion, legion
from tests.fakes import Stage
from tests.scenes import scene


def queue_of(praetorium: Praetorium) -> CommittingQueue:
    return CommittingQueue(praetorium.inbox, SystemClock(), caesar_id=CAESAR)


def intake_of(camp: Legion) -> Intake:
    memoria = FileMemoria(camp.castra, SystemClock())
    desk = Desk(
        camp.legatus,
        camp.sessions,
        camp.roster,
        camp.recruiting,
        camp.decisions,
        memoria,
        camp.praetorium.nuntii,
        camp.praetorium.turns,
        camp.praetorium.ledger,
        camp.messenger,
    )
    cards = Cards(camp.decisions)
    return Intake(camp.praetorium.inbox, camp.legatus, Commands(desk), cards, camp.messenger)


@scene
async def test_an_update_is_on_the_disk_when_put_returns(tmp_path: Path) -> None:
    async with legion(tmp_path / "castra", Stage()) as camp:
        await queue_of(camp.praetorium).put(update("message", message("ave"), number=3))
        (letter,) = await camp.praetorium.inbox.unfinished()
    assert letter.id == 3
    assert json.loads(letter.payload)["message"]["text"] == "ave"


@scene
async def test_the_same_update_passes_once(tmp_path: Path) -> None:
    async with legion(tmp_path / "castra", Stage()) as camp:
        queue = queue_of(camp.praetorium)
        for _ in range(2):
            await queue.put(update("message", message(), number=3))
        assert queue.qsize() == 1


@scene
async def test_a_stranger_leaves_no_row(tmp_path: Path) -> None:
    async with legion(tmp_path / "castra", Stage()) as camp:
        queue = queue_of(camp.praetorium)
        await queue.put(update("message", message(sender=STRANGER)))
        assert queue.empty()
        assert await camp.praetorium.inbox.unfinished() == ()


@scene
async def test_ptbs_own_signals_pass(tmp_path: Path) -> None:
    async with legion(tmp_path / "castra", Stage()) as camp:
        queue = queue_of(camp.praetorium)
        await queue.put("stop")
        assert await queue.get() == "stop"


@scene
async def test_an_update_that_cannot_be_kept_is_asked_for_again() -> None:
    class Full:
        async def put(self, letter: Letter) -> bool:
            raise PraetoriumError("the disk is full.")

        async def unfinished(self) -> tuple[Letter, ...]:
            return ()

        async def finish(self, update_id: int, parcels: tuple[Parcel, ...] = ()) -> bool:
            return False

    queue = CommittingQueue(Full(), SystemClock(), caesar_id=CAESAR)  # type: ignore[arg-type]
    with pytest.raises(TelegramError):
        await queue.put(update("message", message()))
    assert queue.empty()


@scene
async def test_what_an_earlier_process_did_not_finish_is_taken_up(tmp_path: Path) -> None:
    stage = Stage()
    async with legion(tmp_path / "castra", stage) as camp:
        await queue_of(camp.praetorium).put(update("message", message("ave"), number=3))
        queue = queue_of(camp.praetorium)
        assert await queue.replay(BOT) == 1
        taken = await queue.get()
        await intake_of(camp).take(taken)  # type: ignore[arg-type]
        await camp.settled(1)
        assert await camp.praetorium.inbox.unfinished() == ()
    assert "ave</message>" in stage.texts("legatus")[0]


@scene
async def test_a_text_becomes_turns_and_a_reply_finds_its_agent(tmp_path: Path) -> None:
    async with legion(tmp_path / "castra", Stage()) as camp:
        intake, inbox = intake_of(camp), camp.praetorium.inbox
        await inbox.put(Letter(1, "{}", SystemClock().now()))
        await intake.take(update("message", message("@pullo build"), number=1))
        await camp.settled(1)
        (dispatch,) = await camp.praetorium.outbox.due()
        await camp.praetorium.outbox.sent(dispatch, 900)
        await inbox.put(Letter(2, "{}", SystemClock().now()))
        replied = message("bigger", reply_to_message=message("done", sender=1) | {"message_id": 900})
        await intake.take(update("message", replied, number=2))
        await camp.settled(2)
    assert [turn.agent for turn in camp.ended] == ["pullo", "pullo"]


@scene
async def test_a_command_knows_which_message_it_replied_to(tmp_path: Path) -> None:
    async with legion(tmp_path / "castra", Stage()) as camp:
        intake, inbox = intake_of(camp), camp.praetorium.inbox
        await inbox.put(Letter(1, "{}", SystemClock().now()))
        await intake.take(update("message", message("@pullo build"), number=1))
        await camp.settled(1)
        (dispatch,) = await camp.praetorium.outbox.due()
        await camp.praetorium.outbox.sent(dispatch, 900)
        await inbox.put(Letter(2, "{}", SystemClock().now()))
        replied = message("/why", reply_to_message=message("done", sender=1) | {"message_id": 900})
        await intake.take(update("message", replied, number=2))
        (word,) = await camp.sent()
    assert "Update: 1\n" in str(word["text"])


@pytest.mark.parametrize(
    ("kind", "body", "answer"),
    [
        ("message", message("/version"), "Legio "),
        ("message", message(None, location={"latitude": 1.0, "longitude": 2.0}), TEXT_ONLY),
        ("edited_message", message("other"), EDITED),
    ],
)
@scene
async def test_what_is_no_text_is_answered_and_finished(
    tmp_path: Path, kind: str, body: dict[str, object], answer: str
) -> None:
    async with legion(tmp_path / "castra", Stage()) as camp:
        await camp.praetorium.inbox.put(Letter(1, "{}", SystemClock().now()))
        await intake_of(camp).take(update(kind, body, number=1))
        (word,) = await camp.sent()
        assert await camp.praetorium.inbox.unfinished() == ()
    assert str(word["text"]).startswith(answer)
    assert word["reply_to"] == 5


@scene
async def test_a_press_is_decided_and_finished(tmp_path: Path) -> None:
    async with legion(tmp_path / "castra", Stage()) as camp:
        await camp.praetorium.inbox.put(Letter(1, "{}", SystemClock().now()))
        buttons = camp.decisions.offer(camp.recruiting.removal("brutus"))
        await intake_of(camp).take(update("callback_query", press(buttons[0].data), number=1))
        assert camp.roster.names() == ("pullo", "vorenus")
        assert await camp.praetorium.inbox.unfinished() == ()


@scene
async def test_what_breaks_leaves_its_row_open_and_hurts_nobody_else(tmp_path: Path) -> None:
    async with legion(tmp_path / "castra", Stage()) as camp:
        intake = intake_of(camp)
        await intake.take(update("message", message("never put"), number=1))
        await camp.praetorium.inbox.put(Letter(2, "{}", SystemClock().now()))
        await intake.take(update("message", message("ave"), number=2))
        await camp.settled(1)


def test_long_plain_text_is_cut_between_lines_and_nothing_is_lost() -> None:
    text = "\n".join(f"line {number} " + "x" * 90 for number in range(100)) + "\n" + "y" * 9000
    pieces = _cut(text)
    assert "".join(pieces) == text
    assert max(map(len, pieces)) <= LONGEST_NOTICE
    assert _cut("  \n ") == ["(nothing)"]
