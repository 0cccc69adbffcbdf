"""Standing work and quiet hours: said or done later, once, also when Legio was down, with no model asked."""

from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from legio.clock import SystemClock
from legio.local.botapi.message import Message
from legio.local.model.request import ModelRequest, Text
from legio.local.model.state import Outcome
from tests.clocks import FakeClock
from tests.e2e.world import World, body, speaker, world
from tests.scenes import scene, until

pytestmark = pytest.mark.cli

IDLE_SECONDS = 2 * 3600.0


class SetClock(SystemClock):
    """The machine's clock, whose wall clock is set by hand."""

    def __init__(self) -> None:
        self.ahead = timedelta()

    def now(self) -> datetime:
        return super().now() + self.ahead


def sent(made: World, beginning: str) -> list[Message]:
    return [message for message in made.telegram.answers if message.text.plain.startswith(beginning)]


def silent(made: World, text: str) -> bool:
    """Whether the message was sent without a sound."""
    (call,) = [
        call
        for call in made.telegram.calls
        if call.method == "sendMessage" and text in str(call.arguments.get("text"))
    ]
    return str(call.arguments.get("disable_notification", "")).lower() in ("true", "1")


def told(request: ModelRequest) -> str:
    """All that stands in what the model was asked."""
    blocks = (block for message in request.messages for block in message.blocks)
    return "\n".join(block.text for block in blocks if isinstance(block, Text))


@scene(deadline=60)
async def test_what_was_set_up_is_said_and_done_at_its_time(tmp_path: Path) -> None:
    clock = SetClock()
    async with world(tmp_path, timezone="Europe/Zurich") as made:
        async with replace(made, clock=clock).legio():
            (understood,) = await made.ask("/remind in 20 minutes tea")
            (_, answer) = await made.ask("remind me in 30 minutes to call Livia", answers=2)
            (task,) = await made.ask("/schedule in 40 minutes @vorenus what was said")
            (undone,) = await made.ask("/remind in 10 minutes never mind")
            undone = await made.press(undone, "Undo")
            asked_before = len(made.model.requests)

            clock.ahead = timedelta(minutes=45)
            # What is set up makes the scheduler look, as it would within a minute.
            await made.ask("/remind in 10 hours sleep")
            await until(lambda: any(speaker(it) == "vorenus" for it in made.telegram.answers), deadline=20)
            (reply,) = [it for it in made.telegram.answers if speaker(it) == "vorenus"]
            (prompt,) = made.requests("vorenus")

        assert "Europe/Zurich\nReminder 1: tea" in understood.text.plain
        assert "Understood, as schedule 2: ⏰" in body(answer)
        assert "Task 3: @vorenus what was said" in task.text.plain
        assert "→ Undone: nothing is set up." in undone.text.plain
        assert [it.text.plain.partition("\n")[0] for it in sent(made, "⏰ tea") + sent(made, "⏰ call")] == [
            "⏰ tea",
            "⏰ call Livia",
        ]
        assert not silent(made, "⏰ tea")
        assert silent(made, "call Livia, set up by the Legatus")
        assert silent(made, "⏰ 3 · once")
        assert not sent(made, "⏰ never mind")
        assert "Nothing was said" in body(reply)
        assert 'origin="schedule 3 (once), set up by caesar.' in told(prompt)
        assert "<local_time>" in told(made.requests("legatus")[0])
        assert "<local_time>" not in told(prompt)
        assert len(made.model.requests) == asked_before + 1, "a reminder asks no model"


@scene(deadline=60)
async def test_what_was_due_while_legio_was_down_is_done_once_and_quiet_hours_are_kept(
    tmp_path: Path,
) -> None:
    clock = SetClock()
    async with world(tmp_path, timezone="Europe/Zurich") as servers:
        made = replace(servers, clock=clock)
        async with made.legio():
            await made.ask("/remind every day at 9 rise")
            await made.ask("/remind in 20 hours ! wake up")
            await made.ask("/quiet 00:00-23:59")
        clock.ahead = timedelta(days=3)
        async with made.legio():
            await until(lambda: sent(made, "⏰ rise") and sent(made, "⏰ wake up"), deadline=20)
        async with made.legio():
            await made.ask("/schedule")

        (rise,) = sent(made, "⏰ rise")
        assert rise.text.plain == "⏰ rise\n3 were due while Legio was down; done once now."
        assert len(sent(made, "⏰ wake up")) == 1
        assert silent(made, "⏰ rise")
        assert not silent(made, "⏰ wake up")
        assert not made.model.requests


@scene(deadline=120)
async def test_with_no_message_and_nothing_due_no_model_is_called(tmp_path: Path) -> None:
    clock = FakeClock()
    async with world(tmp_path) as made, replace(made, clock=clock).legio():
        await clock.run(IDLE_SECONDS)

        assert not made.model.requests
        assert {outcome for outcome in made.model.counters if outcome is not Outcome.COUNTED} == set()
        assert not made.telegram.answers
