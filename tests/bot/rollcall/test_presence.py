"""Typing: the first sign, and for how long it is renewed."""

from dataclasses import replace

import pytest

from legio.bot.pace import TYPING_BURST
from legio.bot.rollcall.presence import TYPING_PATIENCE_SECONDS
from legio.events import Stopped, Thinking
from tests.bot.rollcall.stage import DONE, PULLO, VORENUS, stage
from tests.bot.wire import unconnected
from tests.scenes import scene


@scene
async def test_typing_is_renewed_while_somebody_is_at_work_and_ends_with_the_last() -> None:
    async with stage() as it:
        await it.call(VORENUS, then=9)
        assert it.typed == pytest.approx([0.06, 4.06, 8.06])
        await it.show(DONE, then=60)
        assert it.typed == pytest.approx([0.06, 4.06, 8.06])
        await it.call(replace(VORENUS, id=2, root=41), then=1)
        assert len(it.typed) == 4


@scene
async def test_who_is_called_while_another_works_is_announced_at_once() -> None:
    async with stage() as it:
        await it.call(VORENUS, then=1)
        await it.call(replace(PULLO, root=41))
        await it.show(Thinking(), replace(PULLO, root=41))
        assert it.typed == [TYPING_PATIENCE_SECONDS, 1.0]


@scene
async def test_many_calls_at_once_are_no_flood() -> None:
    async with stage() as it:
        await it.call(VORENUS, then=1)
        for number in range(20):
            await it.call(replace(VORENUS, id=10 + number))
        assert len(it.typed) <= TYPING_BURST + 1
        await it.show(Stopped())


@scene
async def test_typing_that_fails_is_left_for_a_while() -> None:
    async with stage() as it:
        it.telegram.script["sendChatAction"].append(unconnected())
        await it.call(VORENUS, then=9)
        assert it.typed == pytest.approx([0.06, 8.06])
