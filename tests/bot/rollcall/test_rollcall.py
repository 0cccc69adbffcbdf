"""The roll-call over a scripted Telegram: when it appears, how often it changes, and how it ends."""

import asyncio
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from structlog.testing import capture_logs

from legio.bot.pace import BURST, kept
from legio.bot.rollcall.chat import TROUBLE_SECONDS
from legio.bot.rollcall.presence import TYPING_PATIENCE_SECONDS
from legio.bot.rollcall.roll import FOLD_SECONDS, PATIENCE_SECONDS
from legio.events import Event, Failed, Fault, Stopped, Thinking, ToolStarted, Writing
from tests.bot.rollcall.stage import (
    BRUTUS,
    DONE,
    PULLO,
    ROOT,
    VORENUS,
    dispatched,
    stage,
)
from tests.bot.wire import (
    flooded,
    for_ever,
    refused,
    unanswered,
    unconnected,
)
from tests.scenes import scene

UNTIL = datetime(2026, 3, 15, 14, 4, 30, tzinfo=UTC)


@scene
async def test_a_quick_answer_shows_typing_and_no_roll_call() -> None:
    async with stage() as it:
        await it.call(VORENUS, then=PATIENCE_SECONDS - 0.1)
        await it.show(DONE, then=10)
        assert it.lines == []
        assert it.typed == [TYPING_PATIENCE_SECONDS]
        assert it.record.rows == {}


@scene
async def test_an_immediate_answer_shows_nothing_at_all() -> None:
    async with stage() as it:
        await it.call(VORENUS, then=TYPING_PATIENCE_SECONDS / 2)
        await it.show(DONE, then=10)
        assert it.telegram.calls == []


@scene
async def test_it_appears_silently_in_reply_to_nothing_and_is_edited_in_place() -> None:
    async with stage() as it:
        await it.call(VORENUS)
        await it.show(Thinking(), then=PATIENCE_SECONDS + 0.1)
        await it.show(ToolStarted("list_acta"), then=2)
        assert it.lines == [
            ("sendMessage", "⏳ vorenus thinking 0 s"),
            ("editMessageText", "⏳ vorenus reading acta 1 s"),
        ]
        first, second = it.shown
        assert first.parameters["disable_notification"] is True
        assert "reply_parameters" not in first.parameters
        assert (first.at, second.at) == pytest.approx((0.7, 1.7))
        assert second.parameters["message_id"] == 101


@scene
async def test_all_who_were_called_share_one_message_that_folds_into_one_line() -> None:
    async with stage() as it:
        await it.call(VORENUS, PULLO, BRUTUS)
        await it.show(ToolStarted("read_actum"), then=1)
        await it.show(DONE, PULLO, then=2)
        assert it.last == "⏳ vorenus reading acta 1 s · ✅ pullo 1 s · ⏳ brutus waiting 1 s"
        await it.show(Failed(Fault.RATE_LIMIT, "x", until=UNTIL), BRUTUS, then=9)
        assert it.last.startswith("⏳ vorenus reading acta")
        assert it.last.endswith("⛔ brutus rate limit until 14:05 UTC")
        await it.show(DONE, then=FOLD_SECONDS)
        assert it.last == "✅ vorenus 12 s · ✅ pullo 1 s · ⛔ brutus rate limit until 14:05 UTC"
        assert it.buttons == []
        assert {method for method, _ in it.lines[1:]} == {"editMessageText"}
        await it.clock.run(600)
        assert it.lines[-1][1].startswith("✅ vorenus 12 s")


@scene
async def test_who_runs_can_be_stopped_and_who_failed_can_be_asked_again() -> None:
    async with stage() as it:
        await it.call(VORENUS, PULLO, BRUTUS, then=1)
        assert it.buttons == [
            ("⏹ vorenus", "turn:stop:1"),
            ("⏹ pullo", "turn:stop:2"),
            ("⏹ brutus", "turn:stop:3"),
            ("⏹ Stop all", f"turn:stopall:{ROOT}"),
        ]
        await it.show(Stopped(), PULLO)
        await it.show(DONE, BRUTUS, then=2)
        assert it.buttons == [("⏹ vorenus", "turn:stop:1"), ("🔁 pullo", "turn:retry:2")]


@scene
async def test_what_is_being_written_stands_under_its_writer() -> None:
    async with stage() as it:
        await it.call(VORENUS, PULLO)
        await it.show(Writing("**The ford** is `de"), then=1)
        assert it.last == "⏳ vorenus writing 0 s\nThe ford is `de\n\n⏳ pullo waiting 0 s"
        entities = it.shown[-1].parameters["entities"]
        assert [(it["type"], it["offset"], it["length"]) for it in entities] == [("bold", 22, 8)]


@scene
async def test_a_stream_that_starts_over_is_shown_from_its_start() -> None:
    async with stage() as it:
        await it.call(VORENUS)
        await it.show(Writing("The ford is deep and"), then=1)
        await it.show(Thinking(), then=1)
        assert it.last == "⏳ vorenus thinking 1 s"
        await it.show(Writing("The river"), then=1)
        assert it.last == "⏳ vorenus writing 2 s\nThe river"


@scene
async def test_with_streaming_off_nobody_sees_what_is_being_written() -> None:
    async with stage("off") as it:
        await it.call(VORENUS)
        for count in range(30):
            await it.show(Writing("x" * count), then=0.1)
        assert [text for _, text in it.lines] == ["⏳ vorenus writing 0 s"]


@scene
async def test_of_many_words_the_newest_is_shown_once_a_second() -> None:
    async with stage() as it:
        await it.call(VORENUS)
        for count in range(40):
            await it.show(Writing("x" * count), then=0.1)
        edits = it.telegram.of("editMessageText")
        assert [edit.at for edit in edits] == pytest.approx([1.7, 2.7, 3.7])
        assert edits[-1].parameters["text"].count("x") in {36, 37}


@scene
async def test_while_nothing_changes_only_the_seconds_are_brought_up_to_date_ever_more_seldom() -> None:
    async with stage() as it:
        await it.call(VORENUS, then=200)
        times = [edit.at for edit in it.telegram.of("editMessageText")]
        assert times[:3] == pytest.approx([5.7, 10.7, 15.7])
        assert times[-1] - times[-2] == pytest.approx(30)
        assert it.last == "⏳ vorenus waiting 3 min"


@pytest.mark.parametrize("end", [DONE, Failed(Fault.STALLED, "x"), Stopped()])
@scene
async def test_after_the_end_one_edit_folds_it_and_nothing_comes_after(end: Event) -> None:
    async with stage() as it:
        await it.call(VORENUS, then=1)
        await it.show(Writing("almost"))
        await it.show(end)
        await it.show(Writing("late"))
        await it.show(end, then=60)
        assert [method for method, _ in it.lines] == ["sendMessage", "editMessageText"]
        assert it.typed == [TYPING_PATIENCE_SECONDS]
        assert it.record.rows == {}


@scene
async def test_an_end_that_comes_while_it_is_being_made_folds_it() -> None:
    async with stage() as it:
        answered = asyncio.Event()

        async def slowly() -> None:
            await answered.wait()

        it.telegram.script["sendMessage"].append(slowly)
        await it.call(VORENUS, then=1)
        await it.show(DONE)
        answered.set()
        await it.clock.run(FOLD_SECONDS)
        assert it.lines[-1] == ("editMessageText", "✅ vorenus 1 s")


@scene
async def test_an_end_that_comes_while_another_is_drawn_is_heeded() -> None:
    async with stage() as it:
        other = replace(PULLO, root=41)

        async def meanwhile() -> None:
            it.roll_call.show(other, DONE)

        it.telegram.script["sendMessage"].append(meanwhile)
        await it.call(VORENUS, other, then=4)
        assert it.lines == [("sendMessage", "⏳ vorenus waiting 0 s")]


@scene
async def test_each_nuntius_of_caesars_has_its_own() -> None:
    async with stage() as it:
        await it.call(VORENUS, replace(PULLO, root=41), then=1)
        assert it.lines == [
            ("sendMessage", "⏳ vorenus waiting 0 s"),
            ("sendMessage", "⏳ pullo waiting 0 s"),
        ]


@scene
async def test_a_dispatch_stands_on_the_roll_of_the_nuntius_it_is_for() -> None:
    async with stage() as it:
        legatus = replace(VORENUS, agent="legatus")
        await it.call(legatus)
        await it.show(ToolStarted("dispatch_to_centurio", {"name": "pullo"}), legatus)
        await it.call(dispatched(PULLO, 8), then=1)
        assert it.last == "⏳ legatus dispatching to pullo 0 s · ⏳ pullo waiting 0 s"
        await it.show(DONE, dispatched(PULLO, 8))
        await it.call(dispatched(PULLO, 9))
        await it.show(Stopped(), dispatched(PULLO, 9))
        await it.show(DONE, legatus, then=FOLD_SECONDS)
        assert it.last == "✅ legatus 1 s · ⏹ pullo stopped"


@scene
async def test_showing_never_waits_for_telegram() -> None:
    async with stage() as it:
        it.telegram.script["sendMessage"].append(for_ever)
        it.telegram.script["sendChatAction"].append(for_ever)
        await it.call(VORENUS, then=1)
        it.roll_call.show(VORENUS, Writing("on"))
        assert len(it.shown) == 1


@scene
async def test_eight_that_stream_at_once_leave_room_for_eight_answers_at_every_moment() -> None:
    async with stage() as it:
        turns = [replace(VORENUS, id=number, agent=f"a{number}") for number in range(8)]
        await it.call(*turns)
        for second in range(60):
            for turn in turns:
                await it.show(Writing(f"{second}"), turn)
            await it.clock.run(1)
            assert it.budget.messages.delay(keep=kept(8) - 1) == 0
        made = it.telegram.of("sendMessage", "editMessageText")
        assert 50 <= len(made) <= BURST - kept(8) + 60


@scene
async def test_what_is_passing_leaves_room_for_all_who_are_still_at_work() -> None:
    async with stage() as it:
        others = [replace(PULLO, id=number, agent=f"a{number}") for number in range(10, 16)]
        await it.call(VORENUS, PULLO, *others, then=1)
        for _ in range(3):
            assert it.budget.messages.take()
        await it.show(Writing("on"), then=2)
        assert [method for method, _ in it.lines] == ["sendMessage"]
        await it.show(DONE, PULLO, then=1)
        assert "✅ pullo 3 s" in it.last


@scene
async def test_after_a_flood_there_is_silence_and_then_the_newest_word() -> None:
    async with stage() as it:
        await it.call(VORENUS, then=1)
        it.telegram.script["editMessageText"].append(flooded(10))
        for count in range(40):
            await it.show(Writing(f"{count}"), then=0.5)
        edits = it.telegram.of("editMessageText")
        assert edits[0].at == pytest.approx(1.7)
        assert edits[1].at >= 11.7
        assert [at for at in it.typed if 2 < at < 11] == []


@scene
async def test_one_that_caesar_deleted_is_not_made_again() -> None:
    async with stage() as it:
        await it.call(VORENUS, then=1)
        it.telegram.script["editMessageText"].append(refused(400, "Bad Request: message to edit not found"))
        await it.show(Writing("a"), then=3)
        await it.show(Writing("b"), then=3)
        await it.show(DONE, then=60)
        assert [method for method, _ in it.lines] == ["sendMessage", "editMessageText"]
        assert it.record.rows == {}


@scene
async def test_one_that_was_not_modified_goes_on() -> None:
    async with stage() as it:
        await it.call(VORENUS, then=1)
        it.telegram.script["editMessageText"].append(refused(400, "Bad Request: message is not modified"))
        await it.show(Writing("a"), then=3)
        await it.show(Writing("b"), then=3)
        assert it.last.endswith("\nb")


@scene
async def test_one_that_may_stand_there_already_is_not_made_twice() -> None:
    async with stage() as it:
        it.telegram.script["sendMessage"].append(unanswered())
        await it.call(VORENUS, then=60)
        await it.show(DONE, then=10)
        assert len(it.shown) == 1


@scene
async def test_one_that_cannot_have_arrived_is_made_later() -> None:
    async with stage() as it:
        it.telegram.script["sendMessage"].append(unconnected())
        await it.call(VORENUS, then=PATIENCE_SECONDS + TROUBLE_SECONDS + 0.1)
        assert [call.at for call in it.shown] == pytest.approx([0.7, 5.7])


@scene
async def test_a_bot_that_was_blocked_shows_nothing_more() -> None:
    async with stage() as it:
        it.telegram.script["sendMessage"].append(refused(403, "Forbidden: bot was blocked by the user"))
        await it.call(VORENUS, then=60)
        assert len(it.shown) == 1


@scene
async def test_folding_is_tried_until_it_succeeds() -> None:
    async with stage() as it:
        await it.call(VORENUS, then=1)
        it.telegram.script["editMessageText"].extend([flooded(20), unconnected(), unconnected()])
        await it.show(DONE, then=90)
        times = [call.at for call in it.telegram.of("editMessageText")]
        assert times == pytest.approx([1.3, 21.3, 26.3, 36.3])
        assert it.last == "✅ vorenus 1 s"
        assert it.record.rows == {}


@scene
async def test_an_end_may_come_twice_and_without_any_step() -> None:
    async with stage() as it:
        await it.show(Stopped())
        await it.show(Stopped(), then=5)
        assert it.telegram.calls == []


@scene
async def test_a_bug_in_showing_ends_nothing() -> None:
    async with stage() as it:
        it.telegram.script["sendMessage"].append((200, b'{"ok":true,"result":{"message_id":"x","chat":7}}'))
        with capture_logs() as logs:
            await it.call(VORENUS, then=1)
        assert logs[0]["event"] == "progress.broken"
        await it.show(Writing("on"), then=10)
        assert [method for method, _ in it.lines[:2]] == ["sendMessage", "sendMessage"]
        assert it.last.endswith("\non")
