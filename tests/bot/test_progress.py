"""What is seen while a turn runs, over a scripted Telegram: when it appears, how often, and that it goes."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime

import pytest
from structlog.testing import capture_logs

from legio.bot.progress import (
    CLOSE_SECONDS,
    EDITS_BURST,
    PATIENCE_SECONDS,
    REMOVALS,
    TROUBLE_SECONDS,
    TYPING_PATIENCE_SECONDS,
    Progress,
)
from legio.events import Answered, Event, Failed, Fault, Stopped, Thinking, ToolStarted, Usage, Writing
from legio.nuntius import Nuntius, Turn
from tests.bot.wire import Call, FakeTelegram, bot_on, flooded, for_ever, refused, unanswered, unconnected
from tests.clocks import FakeClock, settled
from tests.scenes import scene

CHAT = 9
VORENUS = Turn(
    1, "vorenus", Nuntius("id", "caesar", "?", ("vorenus",), datetime(2026, 3, 15, tzinfo=UTC)), root=1
)
ENDS: list[Event] = [Answered("x", Usage()), Failed(Fault.STALLED, "x"), Stopped()]


@dataclass
class Stage:
    """A progress display at work, and all around it."""

    clock: FakeClock
    telegram: FakeTelegram
    progress: Progress
    task: asyncio.Task[None]

    async def show(self, event: Event, turn: Turn = VORENUS, *, then: float = 0.0) -> None:
        self.progress.show(turn, event)
        await self.clock.run(then)

    @property
    def lines(self) -> list[tuple[str, str]]:
        """What became of the status lines: method and text."""
        return [(it.method, it.parameters.get("text", "")) for it in self.shown]

    @property
    def shown(self) -> list[Call]:
        return self.telegram.of("sendMessage", "editMessageText", "deleteMessage")

    @property
    def typed(self) -> list[float]:
        return [call.at for call in self.telegram.of("sendChatAction")]


@contextlib.asynccontextmanager
async def stage() -> AsyncIterator[Stage]:
    clock = FakeClock()
    telegram = FakeTelegram(clock.monotonic)
    progress = Progress(bot_on(telegram), CHAT, clock)
    task = asyncio.create_task(progress.run(), name="progress")
    await settled()
    try:
        yield Stage(clock, telegram, progress, task)
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


@scene
async def test_a_quick_answer_shows_typing_and_no_line() -> None:
    async with stage() as it:
        await it.show(Thinking(), then=PATIENCE_SECONDS - 0.1)
        await it.show(ENDS[0], then=10)
        assert it.lines == []
        assert it.typed == [TYPING_PATIENCE_SECONDS]


@scene
async def test_a_line_appears_silently_and_is_edited_in_place() -> None:
    async with stage() as it:
        await it.show(Thinking(), then=PATIENCE_SECONDS + 0.1)
        await it.show(ToolStarted("list_acta"), then=2)
        assert it.lines == [
            ("sendMessage", "⏳ vorenus: Thinking…"),
            ("editMessageText", "⏳ vorenus: Reading acta…"),
        ]
        first, second = it.shown
        assert first.parameters["disable_notification"] is True
        assert (first.at, second.at) == pytest.approx((0.7, 1.7))
        assert second.parameters["message_id"] == 101


@scene
async def test_of_many_words_the_newest_wins_once_a_second() -> None:
    async with stage() as it:
        for count in range(40):
            await it.show(Writing("x" * count), then=0.1)
        edits = it.telegram.of("editMessageText")
        assert [edit.at for edit in edits] == pytest.approx([1.7, 2.7, 3.7])
        newest = len(edits[-1].parameters["text"]) - len("⏳ vorenus: ")
        assert newest in {36, 37}


@scene
async def test_the_same_words_are_not_sent_twice() -> None:
    async with stage() as it:
        for _ in range(5):
            await it.show(Thinking(), then=2)
        assert len(it.shown) == 1


@pytest.mark.parametrize("end", ENDS)
@scene
async def test_at_the_end_the_line_goes_and_nothing_comes_after(end: Event) -> None:
    async with stage() as it:
        await it.show(Thinking(), then=1)
        await it.show(Writing("almost"))
        await it.show(end)
        await it.show(Writing("late"), then=60)
        assert [method for method, _ in it.lines] == ["sendMessage", "deleteMessage"]
        assert it.typed == [TYPING_PATIENCE_SECONDS]


@scene
async def test_an_end_that_comes_while_the_line_is_being_made_takes_it_away() -> None:
    async with stage() as it:
        answered = asyncio.Event()

        async def slowly() -> None:
            await answered.wait()

        it.telegram.script["sendMessage"].append(slowly)
        await it.show(Thinking(), then=1)
        await it.show(ENDS[0])
        answered.set()
        await settled()
        assert [method for method, _ in it.lines] == ["sendMessage", "deleteMessage"]


@scene
async def test_an_end_that_comes_while_another_line_is_drawn_is_heeded() -> None:
    async with stage() as it:
        pullo = replace(VORENUS, id=2, agent="pullo")

        async def meanwhile() -> None:
            it.progress.show(pullo, ENDS[0])

        it.telegram.script["sendMessage"].append(meanwhile)
        await it.show(Thinking())
        await it.show(Thinking(), pullo, then=5)
        assert it.lines == [("sendMessage", "⏳ vorenus: Thinking…")]


@scene
async def test_showing_never_waits_for_telegram() -> None:
    async with stage() as it:
        it.telegram.script["sendMessage"].append(for_ever)
        it.telegram.script["sendChatAction"].append(for_ever)
        await it.show(Thinking(), then=1)
        it.progress.show(VORENUS, Writing("on"))
        assert len(it.shown) == 1


@scene
async def test_typing_is_renewed_while_a_turn_runs_and_ends_with_the_last() -> None:
    async with stage() as it:
        await it.show(Thinking(), then=9)
        assert it.typed == [0.1, 4.1, 8.1]
        await it.show(ENDS[0], then=60)
        assert it.typed == [0.1, 4.1, 8.1]
        await it.show(Thinking(), replace(VORENUS, id=2), then=1)
        assert len(it.typed) == 4


@scene
async def test_each_turn_has_its_own_line() -> None:
    async with stage() as it:
        await it.show(Thinking())
        await it.show(Thinking(), replace(VORENUS, id=2, agent="pullo"), then=1)
        await it.show(ENDS[0], then=1)
        assert it.lines == [
            ("sendMessage", "⏳ vorenus: Thinking…"),
            ("sendMessage", "⏳ pullo: Thinking…"),
            ("deleteMessage", ""),
        ]


@scene
async def test_eight_turns_at_once_keep_within_the_budget() -> None:
    async with stage() as it:
        for second in range(120):
            for number in range(8):
                await it.show(Writing(f"{second}"), replace(VORENUS, id=number))
            await it.clock.run(1)
        made = it.telegram.of("sendMessage", "editMessageText")
        assert len(made) <= EDITS_BURST + 2 * 18 + 1
        last_minute = [call for call in made if call.at >= 60]
        assert {call.parameters.get("message_id") for call in last_minute} == set(range(101, 109))


@scene
async def test_after_a_flood_there_is_silence_and_then_the_newest_word() -> None:
    async with stage() as it:
        await it.show(Thinking(), then=1)
        it.telegram.script["editMessageText"].append(flooded(10))
        for count in range(30):
            await it.show(Writing(f"{count}"), then=0.5)
        edits = it.telegram.of("editMessageText")
        assert edits[0].at == pytest.approx(1.7)
        assert edits[1].at == pytest.approx(11.7)
        assert edits[1].parameters["text"] == "⏳ vorenus: 21"
        assert [at for at in it.typed if 2 < at < 11] == []


@scene
async def test_a_line_that_caesar_deleted_is_not_made_again() -> None:
    async with stage() as it:
        await it.show(Thinking(), then=1)
        it.telegram.script["editMessageText"].append(refused(400, "Bad Request: message to edit not found"))
        await it.show(Writing("a"), then=3)
        await it.show(Writing("b"), then=3)
        it.telegram.script["deleteMessage"].append(refused(400, "Bad Request: message to delete not found"))
        await it.show(ENDS[0], then=60)
        assert [method for method, _ in it.lines] == ["sendMessage", "editMessageText", "deleteMessage"]


@scene
async def test_a_line_that_was_not_modified_goes_on() -> None:
    async with stage() as it:
        await it.show(Thinking(), then=1)
        it.telegram.script["editMessageText"].append(refused(400, "Bad Request: message is not modified"))
        await it.show(Writing("a"), then=3)
        await it.show(Writing("b"), then=3)
        assert it.lines[-1] == ("editMessageText", "⏳ vorenus: b")


@scene
async def test_a_line_that_may_stand_there_already_is_not_made_twice() -> None:
    async with stage() as it:
        it.telegram.script["sendMessage"].append(unanswered())
        await it.show(Thinking(), then=60)
        assert len(it.shown) == 1


@scene
async def test_a_line_that_cannot_have_arrived_is_made_later() -> None:
    async with stage() as it:
        it.telegram.script["sendMessage"].append(unconnected())
        await it.show(Thinking(), then=PATIENCE_SECONDS + TROUBLE_SECONDS + 0.1)
        assert [call.at for call in it.shown] == pytest.approx([0.7, 5.7])


@scene
async def test_typing_that_fails_is_left_for_a_while() -> None:
    async with stage() as it:
        it.telegram.script["sendChatAction"].append(unconnected())
        await it.show(Thinking(), then=9)
        assert it.typed == [0.1, 8.1]


@scene
async def test_taking_a_line_away_is_tried_again_and_waits_when_asked_to() -> None:
    async with stage() as it:
        await it.show(Thinking(), then=1)
        it.telegram.script["deleteMessage"].extend([flooded(20), unconnected()])
        await it.show(ENDS[0], then=60)
        assert [call.at for call in it.telegram.of("deleteMessage")] == pytest.approx([1, 21, 26])


@scene
async def test_a_flood_while_lines_are_taken_away_spares_the_others_a_try() -> None:
    async with stage() as it:
        await it.show(Thinking())
        await it.show(Thinking(), replace(VORENUS, id=2), then=1)
        it.telegram.script["deleteMessage"].append(flooded(20))
        it.progress.show(VORENUS, Stopped())
        await it.show(Stopped(), replace(VORENUS, id=2), then=60)
        assert [call.at for call in it.telegram.of("deleteMessage")] == pytest.approx([1, 21, 21])


@scene
async def test_an_end_may_come_twice_and_without_any_step() -> None:
    async with stage() as it:
        await it.show(Stopped())
        await it.show(Stopped(), then=5)
        assert it.telegram.calls == []


@scene
async def test_a_line_that_cannot_be_taken_away_is_left_and_said_so() -> None:
    async with stage() as it:
        await it.show(Thinking(), then=1)
        it.telegram.script["deleteMessage"].extend(unconnected() for _ in range(20))
        with capture_logs() as logs:
            await it.show(ENDS[0], then=600)
        assert len(it.telegram.of("deleteMessage")) == REMOVALS
        assert logs[-1]["event"] == "progress.left"


@scene
async def test_a_bug_in_showing_ends_nothing() -> None:
    async with stage() as it:
        it.telegram.script["sendMessage"].append((200, b'{"ok":true,"result":{"message_id":"x","chat":7}}'))
        with capture_logs() as logs:
            await it.show(Thinking(), then=1)
        assert logs[0]["event"] == "progress.broken"
        await it.show(Writing("on"), then=10)
        assert it.lines[-1] == ("sendMessage", "⏳ vorenus: on")


@scene
async def test_closing_takes_all_lines_away_and_ends_the_task() -> None:
    async with stage() as it:
        await it.show(Thinking(), then=1)
        await it.progress.close()
        await settled()
        assert it.lines[-1] == ("deleteMessage", "")
        assert it.task.done()
        await it.progress.close()
        await it.show(Thinking(), replace(VORENUS, id=2), then=5)
        assert len(it.shown) == 2


@scene
async def test_closing_is_bounded() -> None:
    async with stage() as it:
        await it.show(Thinking(), then=1)
        it.telegram.script["deleteMessage"].append(for_ever)
        close = asyncio.create_task(it.progress.close(), name="close")
        await it.clock.run_until(close.done, within=CLOSE_SECONDS)
        assert not it.task.done()


@scene
async def test_closing_what_never_ran_takes_no_time() -> None:
    await Progress(bot_on(FakeTelegram()), CHAT, FakeClock()).close()
