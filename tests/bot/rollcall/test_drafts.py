"""Answers as Telegram's own drafts: the newest text, never queued, and none after the end."""

from dataclasses import replace

import pytest

from legio.bot.rollcall.drafts import RENEW_SECONDS
from legio.events import Thinking, Writing
from tests.bot.rollcall.stage import DONE, PULLO, VORENUS, Stage, stage
from tests.bot.wire import refused
from tests.scenes import scene


def drafts(it: Stage) -> list[tuple[int, str]]:
    return [
        (call.parameters["draft_id"], call.parameters["text"]) for call in it.telegram.of("sendMessageDraft")
    ]


@scene
async def test_each_turn_has_a_draft_of_its_own_and_the_roll_call_shows_no_text() -> None:
    async with stage("draft") as it:
        await it.call(VORENUS, PULLO)
        await it.show(Writing("deep"))
        await it.show(Writing("**cold**"), PULLO, then=4)
        assert drafts(it) == [(1, "⚔️ vorenus\ndeep"), (2, "⚔️ pullo\ncold")]
        assert it.last == "⏳ vorenus writing 0 s · ⏳ pullo writing 0 s"


@scene
async def test_a_draft_is_renewed_once_a_second_with_the_newest_text() -> None:
    async with stage("draft") as it:
        await it.call(VORENUS)
        for count in range(25):
            await it.show(Writing(f"{count}"), then=0.1)
        sent = it.telegram.of("sendMessageDraft")
        assert [call.at for call in sent] == pytest.approx([0.0, 1.0, 2.0])
        assert drafts(it)[1] == (1, "⚔️ vorenus\n10")


@scene
async def test_a_draft_that_does_not_change_is_renewed_before_telegram_forgets_it() -> None:
    async with stage("draft") as it:
        await it.call(VORENUS)
        await it.show(Writing("deep"), then=RENEW_SECONDS + 2)
        assert drafts(it) == [(1, "⚔️ vorenus\ndeep")] * 2


@scene
async def test_there_is_no_draft_of_nothing_and_none_after_the_end() -> None:
    async with stage("draft") as it:
        await it.call(VORENUS)
        await it.show(Writing(" \n"), then=2)
        assert drafts(it) == []
        await it.show(Writing("deep"), then=2)
        await it.show(Thinking())
        await it.show(Writing("deeper"))
        before = len(drafts(it))
        await it.show(DONE, then=60)
        assert len(drafts(it)) == before


@scene
async def test_a_turn_that_ends_while_anothers_draft_is_sent_gets_none() -> None:
    async with stage("draft") as it:
        other = replace(PULLO, root=41)

        async def meanwhile() -> None:
            it.roll_call.show(other, DONE)

        it.telegram.script["sendMessageDraft"].append(meanwhile)
        await it.call(VORENUS, other)
        it.roll_call.show(VORENUS, Writing("deep"))
        await it.show(Writing("cold"), other, then=0.5)
        assert drafts(it) == [(1, "⚔️ vorenus\ndeep")]


@scene
async def test_under_pressure_drafts_are_dropped() -> None:
    async with stage("draft") as it:
        await it.call(VORENUS)
        while it.budget.messages.take():
            pass
        for count in range(30):
            await it.show(Writing(f"{count}"), then=0.1)
        assert drafts(it) == []


@scene
async def test_a_draft_that_is_refused_costs_nothing_but_itself() -> None:
    async with stage("draft") as it:
        it.telegram.script["sendMessageDraft"].append(refused(400, "Bad Request: TEXTDRAFT_PEER_INVALID"))
        await it.call(VORENUS)
        await it.show(Writing("a"), then=3)
        await it.show(Writing("b"), then=3)
        assert drafts(it)[-1] == (1, "⚔️ vorenus\nb")
