"""What the record knows of roll-calls: what a restart finds standing, and what the end of Legio leaves."""

import asyncio
from dataclasses import replace

from structlog.testing import capture_logs

from legio.bot.rollcall import RollCall
from legio.bot.rollcall.roll import FOLD_SECONDS
from legio.bot.rollcall.rollcall import CLOSE_SECONDS
from legio.errors import PraetoriumError
from legio.events import Thinking
from legio.nuntius import TurnState
from legio.ports import Called
from tests.bot.rollcall.stage import CHAT, DONE, PULLO, ROOT, VORENUS, stage
from tests.bot.wire import FakeTelegram, MemoryRollCalls, bot_on, chat_on, for_ever
from tests.clocks import FakeClock, settled
from tests.scenes import scene


@scene
async def test_it_is_written_down_when_it_stands_and_forgotten_when_it_is_folded() -> None:
    async with stage() as it:
        await it.call(VORENUS, then=1)
        assert it.record.rows == {101: ROOT}
        await it.show(DONE, then=FOLD_SECONDS)
        assert it.record.rows == {}


@scene
async def test_a_record_that_cannot_be_written_holds_up_nothing() -> None:
    async with stage() as it:
        it.record.trouble = PraetoriumError("the disk is full.")
        with capture_logs() as logs:
            await it.call(VORENUS, then=1)
            await it.show(DONE, then=FOLD_SECONDS)
            await it.roll_call.take_up()
        assert it.last == "✅ vorenus 1 s"
        assert {entry["event"] for entry in logs} == {"progress.unwritten"}


@scene
async def test_what_was_left_standing_is_folded_as_the_record_has_it() -> None:
    record = MemoryRollCalls()
    record.rows = {70: ROOT}
    record.turns[ROOT] = (
        Called(1, "vorenus", TurnState.ANSWERED, asked=True, seconds=4.2),
        Called(2, "pullo", TurnState.FAILED, asked=True),
        Called(3, "brutus", TurnState.EXPIRED, asked=True),
        Called(4, "titus", TurnState.STOPPED, asked=True),
    )
    async with stage(record=record) as it:
        await it.roll_call.take_up()
        await it.clock.run(60)
        assert it.lines == [
            ("editMessageText", "✅ vorenus 4 s · ⛔ pullo failed · ⌛ brutus expired · ⏹ titus stopped")
        ]
        assert it.shown[0].parameters["message_id"] == 70
        assert it.record.rows == {}


@scene
async def test_what_goes_on_after_a_restart_goes_on_in_the_same_message() -> None:
    record = MemoryRollCalls()
    record.rows = {70: ROOT}
    record.turns[ROOT] = (
        Called(1, "vorenus", TurnState.ANSWERED, asked=True, seconds=4.2),
        Called(2, "pullo", TurnState.RUNNING, asked=True),
    )
    async with stage(record=record) as it:
        await it.call(PULLO)
        await it.roll_call.take_up()
        await it.clock.run(2)
        await it.show(DONE, PULLO, then=60)
        assert it.lines == [
            ("editMessageText", "✅ vorenus 4 s · ⏳ pullo waiting 1 s"),
            ("editMessageText", "✅ vorenus 4 s · ✅ pullo 2 s"),
        ]
        assert {call.parameters["message_id"] for call in it.shown} == {70}


@scene
async def test_of_two_left_for_the_same_nuntius_one_goes() -> None:
    record = MemoryRollCalls()
    record.rows = {70: ROOT, 71: ROOT}
    record.turns[ROOT] = (Called(1, "vorenus", TurnState.ANSWERED, asked=True, seconds=4.2),)
    async with stage(record=record) as it:
        await it.roll_call.take_up()
        await it.clock.run(60)
        assert it.lines == [("deleteMessage", ""), ("editMessageText", "✅ vorenus 4 s")]
        assert it.record.rows == {}


@scene
async def test_at_the_end_of_legio_what_has_not_ended_says_that_it_goes_on_later() -> None:
    async with stage() as it:
        await it.call(VORENUS, PULLO, then=1)
        await it.show(DONE, PULLO)
        await it.roll_call.close()
        await settled()
        assert it.last == "⏸ vorenus goes on when Legio is back · ✅ pullo 1 s"
        assert it.buttons == []
        assert it.task.done()
        assert it.record.rows == {101: ROOT}, "the next Legio goes on with it"
        await it.roll_call.close()
        await it.call(replace(VORENUS, id=9, root=41), then=5)
        assert len(it.shown) == 2


@scene
async def test_closing_folds_what_is_over_and_forgets_what_never_stood() -> None:
    async with stage() as it:
        await it.call(VORENUS, then=1)
        it.roll_call.show(replace(PULLO, root=41), Thinking())
        it.roll_call.show(VORENUS, DONE)
        await it.roll_call.close()
        assert it.lines[1:] == [("editMessageText", "✅ vorenus 1 s")]
        assert it.task.done()


@scene
async def test_at_the_end_of_legio_nothing_is_kept_for_answers() -> None:
    async with stage() as it:
        await it.call(VORENUS, then=1)
        while it.budget.messages.take():
            pass
        close = asyncio.create_task(it.roll_call.close(), name="close")
        await it.clock.run_until(close.done, within=CLOSE_SECONDS)
        assert it.last == "⏸ vorenus goes on when Legio is back"


@scene
async def test_closing_is_bounded() -> None:
    async with stage() as it:
        await it.call(VORENUS, then=1)
        it.telegram.script["editMessageText"].append(for_ever)
        close = asyncio.create_task(it.roll_call.close(), name="close")
        await it.clock.run_until(close.done, within=CLOSE_SECONDS)
        assert not it.task.done()


@scene
async def test_closing_what_never_ran_takes_no_time() -> None:
    chat = chat_on(bot_on(FakeTelegram()), CHAT, FakeClock())
    await RollCall(chat, MemoryRollCalls()).close()
