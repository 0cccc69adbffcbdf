"""What is passing, tried once: a failure is a value, and the quiet after it is as long as it has to be."""

import pytest
from structlog.testing import capture_logs

from legio.bot.payload import in_rows
from legio.bot.piece import Entity, Piece
from legio.bot.rollcall.chat import LONGEST_TROUBLE_SECONDS, TROUBLE_SECONDS, Chat, Refusal
from legio.bot.rollcall.face import Face
from legio.ports import Press
from tests.bot.wire import (
    FakeTelegram,
    Reply,
    bot_on,
    chat_on,
    flooded,
    refused,
    unanswered,
    unconnected,
)
from tests.clocks import FakeClock
from tests.scenes import scene

FACE = Face(Piece("⏳ deep", (Entity("bold", 2, 4),)), in_rows([Press.STOP.button(1, "⏹")]))


def reached(*replies: Reply) -> tuple[Chat, FakeTelegram, FakeClock]:
    clock, telegram = FakeClock(), FakeTelegram()
    for method in ("sendMessage", "editMessageText", "sendMessageDraft", "deleteMessage", "sendChatAction"):
        telegram.script[method].extend(replies)
    return chat_on(bot_on(telegram), 9, clock), telegram, clock


@scene
async def test_a_message_stands_and_changes_with_its_entities_and_buttons() -> None:
    chat, telegram, _ = reached()
    assert await chat.stand(FACE) == 101
    assert await chat.edit(101, FACE) is None
    for call in telegram.calls:
        assert call.parameters["entities"][0]["type"] == "bold"
        assert call.parameters["reply_markup"]["inline_keyboard"][0][0]["callback_data"] == "turn:stop:1"


@pytest.mark.parametrize(
    ("reply", "stood", "edited"),
    [
        (refused(400, "Bad Request: message to edit not found"), Refusal.LOST, Refusal.LOST),
        (refused(403, "Forbidden: bot was blocked by the user"), Refusal.LOST, Refusal.LOST),
        (flooded(3), Refusal.LATER, Refusal.LATER),
        (unconnected(), Refusal.LATER, Refusal.LATER),
        # What may stand there already is not made twice; what may be changed already is changed again.
        (unanswered(), Refusal.LOST, Refusal.LATER),
        (refused(401, "Unauthorized"), Refusal.LATER, Refusal.LATER),
    ],
)
@scene
async def test_a_failure_is_lost_or_later(reply: Reply, stood: Refusal, edited: Refusal) -> None:
    chat, _, _ = reached(reply)
    with capture_logs():
        assert await chat.stand(FACE) is stood
        assert await chat.edit(101, FACE) is edited


@scene
async def test_an_edit_that_changes_nothing_went_well() -> None:
    chat, _, _ = reached(refused(400, "Bad Request: message is not modified"))
    assert await chat.edit(101, FACE) is None


@scene
async def test_drafts_typing_and_removals_that_fail_trouble_nobody() -> None:
    chat, telegram, _ = reached(refused(400, "Bad Request: no"), unconnected())
    with capture_logs():
        for _ in range(2):
            await chat.draft(1, Piece("deep"))
            await chat.typing()
            await chat.delete(101)
    assert len(telegram.calls) == 6


@scene
async def test_the_quiet_after_a_failure_doubles_and_is_short_again_after_a_success() -> None:
    chat, _, clock = reached(*(unconnected() for _ in range(6)))
    waits = []
    with capture_logs():
        for _ in range(6):
            await chat.edit(101, FACE)
            waits.append(chat.budget.spare_delay(0))
            clock.advance(waits[-1])
        assert waits == pytest.approx([5, 10, 20, 40, 60, LONGEST_TROUBLE_SECONDS])
        await chat.edit(101, FACE)
        assert not chat.budget.quiet
        await chat.delete(101)
    assert chat.budget.spare_delay(0) == pytest.approx(TROUBLE_SECONDS)


@scene
async def test_after_a_flood_nothing_is_saved_up() -> None:
    chat, _, clock = reached(flooded(7))
    with capture_logs() as logs:
        await chat.typing()
    assert (logs[0]["event"], logs[0]["seconds"]) == ("progress.quiet", 7.0)
    clock.advance(7.0)
    assert [chat.budget.spare(0) for _ in range(8)] == [True] * 7 + [False]
