import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from telegram import Update
from telegram.error import TelegramError

from legio.bot.cards import Cards
from legio.bot.commands import Commands
from legio.bot.intake import (
    EDITED_COMMAND,
    EDITED_FILE,
    LONGEST_NOTICE,
    UNREADABLE,
    CommittingQueue,
    Intake,
    _cut,
)
from legio.clock import SystemClock
from legio.errors import PraetoriumError
from legio.memoria.store import FileMemoria
from legio.ports import Letter, Parcel
from legio.praetorium import Praetorium
from tests.bot.desks import desk_of
from tests.bot.updates import BOT, CAESAR, STRANGER, message, press, update
from tests.camp import Legion, legion
from tests.fakes import Stage
from tests.scenes import scene, until

A_FILE: dict[str, Any] = {
    "caption": "look",
    "document": {"file_id": "f", "file_unique_id": "u", "file_name": "a.txt"},
}


def queue_of(praetorium: Praetorium) -> CommittingQueue:
    return CommittingQueue(praetorium.inbox, SystemClock(), caesar_id=CAESAR)


def intake_of(camp: Legion) -> Intake:
    memoria = FileMemoria(camp.castra, SystemClock())
    cards = Cards(camp.decisions, BOT)
    commands = Commands(desk_of(camp, memoria))
    return Intake(camp.praetorium.inbox, camp.legatus, commands, cards, camp.messenger)


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


class Full:
    """An inbox that takes nothing."""

    async def put(self, letter: Letter) -> bool:
        raise PraetoriumError("the disk is full.")

    async def unfinished(self) -> tuple[Letter, ...]:
        return ()

    async def finish(self, update_id: int, parcels: tuple[Parcel, ...] = ()) -> bool:
        return False


@scene
async def test_an_update_that_cannot_be_kept_is_asked_for_again() -> None:
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
        ("message", message(None), UNREADABLE),
        ("edited_message", message("/stop"), EDITED_COMMAND),
        ("edited_message", message(None, **A_FILE), EDITED_FILE),
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


@scene
async def test_an_edit_is_taken_and_one_that_changes_nothing_is_finished_in_silence(tmp_path: Path) -> None:
    async with legion(tmp_path / "castra", Stage()) as camp:
        intake, inbox = intake_of(camp), camp.praetorium.inbox
        moved = message(None, location={"latitude": 1.0, "longitude": 2.0})
        for number, (kind, body) in enumerate(
            [
                ("message", message("@pullo build")),
                ("edited_message", message("@pullo build")),
                ("edited_message", message("@pullo paint")),
                ("edited_message", moved),
            ],
            start=1,
        ):
            await inbox.put(Letter(number, "{}", SystemClock().now()))
            await intake.take(update(kind, body, number=number))
            await camp.settled(1 if number < 3 else 2)
        assert await inbox.unfinished() == ()
        words = [str(word["text"]) for word in await camp.sent()]
    assert [turn.agent for turn in camp.ended] == ["pullo", "pullo"]
    assert words == ["pullo heard.", "✏️ Taken: pullo asked again, with your edit.", "pullo heard."]


@scene
async def test_an_edit_of_what_was_no_nuntius_is_heard_as_a_new_message(tmp_path: Path) -> None:
    async with legion(tmp_path / "castra", Stage()) as camp:
        await camp.praetorium.inbox.put(Letter(1, "{}", SystemClock().now()))
        await intake_of(camp).take(update("edited_message", message("@pullo build"), number=1))
        await camp.settled(1)
        assert await camp.praetorium.inbox.unfinished() == ()
    assert [turn.nuntius.text for turn in camp.ended] == ["@pullo build"]


@scene
async def test_a_stop_takes_effect_when_it_arrives_and_again_when_it_is_its_turn(tmp_path: Path) -> None:
    stage = Stage(gate=asyncio.Event())
    async with legion(tmp_path / "castra", stage) as camp:
        intake, queue = intake_of(camp), queue_of(camp.praetorium)
        queue.hasten = intake.hasten
        await camp.say("@vorenus one")
        await until(lambda: stage.starting)
        await queue.put(update("message", message("@pullo two"), number=101))
        await queue.put(update("message", message("/stop"), number=102))
        await camp.settled(1)
        assert [turn.agent for turn in camp.ended] == ["vorenus"], "before anything was taken from the queue"
        await queue.put(update("message", message("/stop"), number=102))
        while not queue.empty():
            taken = queue.get_nowait()
            assert isinstance(taken, Update)
            await intake.take(taken)
        await camp.settled(2)
        tally = await camp.praetorium.turns.tally()
        words = [str(word["text"]) for word in await camp.sent()]
    assert (tally.received, tally.stopped) == (2, 2)
    assert "Stopping vorenus, pullo." in words


@scene
async def test_a_stop_takes_effect_even_while_nothing_can_be_kept(tmp_path: Path) -> None:
    async with legion(tmp_path / "castra", Stage(gate=asyncio.Event())) as camp:
        queue = CommittingQueue(Full(), SystemClock(), caesar_id=CAESAR)  # type: ignore[arg-type]
        queue.hasten = intake_of(camp).hasten
        await camp.say("@vorenus one")
        await until(lambda: camp.stage.starting)
        for _ in range(2):
            with pytest.raises(TelegramError):
                await queue.put(update("message", message("/stop@legio_bot vorenus"), number=102))
        await camp.settled(1)
        assert (await camp.praetorium.turns.tally()).stopped == 1


@pytest.mark.parametrize("text", ["/stop nobody", "/nothing", "/help", "stop", None])
@scene
async def test_nothing_else_is_done_before_it_is_its_turn(tmp_path: Path, text: str | None) -> None:
    async with legion(tmp_path / "castra", Stage(gate=asyncio.Event())) as camp:
        await camp.say("@vorenus one")
        await until(lambda: camp.stage.starting)
        intake_of(camp).hasten(update("message", message(text), number=102))
        assert [turn.agent for session in camp.sessions.all() for turn in session.turns] == ["vorenus"]


@scene
async def test_a_pin_is_no_word_of_caesars(tmp_path: Path) -> None:
    async with legion(tmp_path / "castra", Stage()) as camp:
        await camp.praetorium.inbox.put(Letter(1, "{}", SystemClock().now()))
        await intake_of(camp).take(update("message", message(None, pinned_message=message("old"))))
        assert await camp.praetorium.inbox.unfinished() == ()
        assert await camp.sent() == []


@scene
async def test_a_stop_that_an_earlier_process_obeyed_stops_nothing_that_came_after_it(tmp_path: Path) -> None:
    async with legion(tmp_path / "castra", Stage(gate=asyncio.Event())) as camp:
        queue = queue_of(camp.praetorium)
        await queue.put(update("message", message("/stop"), number=102))
        await camp.say("@vorenus one")
        await until(lambda: camp.stage.starting)
        queue.hasten = intake_of(camp).hasten
        await queue.put(update("message", message("/stop"), number=102))
        assert [turn.agent for session in camp.sessions.all() for turn in session.turns] == ["vorenus"]
