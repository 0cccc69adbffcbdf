"""Answers, roll-calls and drafts together against a server that enforces its limits: not one 429.

Messages reach the server late by up to most of a second, so that what was sent apart arrives together.
"""

import asyncio
import contextlib
import random
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from typing import Any

import pytest
from telegram.request import RequestData

from legio.bot.outbox import Courier
from legio.bot.pace import BURST, PER_SECOND, Budgets
from legio.bot.payload import TextMessage, encode
from legio.bot.rollcall import Chat, RollCall
from legio.config import Streaming
from legio.events import Waiting, Writing
from legio.local.botapi.faults import Allowance, FloodLimit
from legio.local.botapi.wire import Refusal
from legio.ports import Parcel
from tests.bot.rollcall.stage import CHAT, DONE, VORENUS
from tests.bot.wire import Answer, FakeTelegram, MemoryOutbox, MemoryRollCalls, bot_on, flooded
from tests.clocks import FakeClock, settled
from tests.scenes import scene

LATEST = 0.9
EIGHT = [replace(VORENUS, id=number, agent=f"a{number}") for number in range(1, 9)]


class LateClock(FakeClock):
    """The server's time of arrival: later than that of sending by what the line takes, never back."""

    def __init__(self, sender: FakeClock, seed: int) -> None:
        super().__init__()
        self._sender = sender
        self._chance = random.Random(seed)
        self._last = 0.0

    def monotonic(self) -> float:
        self._last = max(self._last, self._sender.monotonic() + self._chance.uniform(0, LATEST))
        return self._last


class StrictTelegram(FakeTelegram):
    """Answers 429 to whoever does not keep the limits; every message, edit and draft counts alike."""

    def __init__(self, clock: FakeClock, seed: int) -> None:
        super().__init__(clock.monotonic)
        self._limit = FloodLimit(LateClock(clock, seed), messages=Allowance(BURST + 1, PER_SECOND))
        self.floods = 0

    async def do_request(
        self, url: str, method: str, request_data: RequestData | None = None, *more: Any, **named: Any
    ) -> Answer:
        if url.rsplit("/", 1)[1] in {"sendMessage", "editMessageText", "sendMessageDraft"}:
            try:
                self._limit.message(CHAT)
            except Refusal:
                self.floods += 1
                return flooded(5)
        return await super().do_request(url, method, request_data, *more, **named)


@dataclass
class Field:
    """All that speaks to the one chat."""

    clock: FakeClock
    telegram: StrictTelegram
    outbox: MemoryOutbox
    courier: Courier
    roll_call: RollCall

    async def answer(self, *texts: str) -> None:
        await self.outbox.add([Parcel(CHAT, encode(TextMessage(text))) for text in texts])
        self.courier.wake()
        await settled()

    def sent(self, *texts: str) -> list[float]:
        """When these arrived."""
        return [call.at for call in self.telegram.of("sendMessage") if call.parameters["text"] in texts]


@contextlib.asynccontextmanager
async def field(seed: int, streaming: Streaming = "edit") -> AsyncIterator[Field]:
    clock, outbox = FakeClock(), MemoryOutbox()
    telegram, budgets = StrictTelegram(clock, seed), Budgets(clock)
    bot = bot_on(telegram)
    courier = Courier(bot, outbox, clock, budgets)
    roll_call = RollCall(Chat(bot, CHAT, clock, budgets.of(CHAT)), MemoryRollCalls(), streaming=streaming)
    tasks = [asyncio.create_task(body(), name="field") for body in (courier.run, roll_call.run)]
    await settled()
    try:
        yield Field(clock, telegram, outbox, courier, roll_call)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


@pytest.mark.parametrize("streaming", ["edit", "draft"])
@pytest.mark.parametrize("seed", range(3))
@scene
async def test_eight_that_stream_at_once_and_answer_now_and_then_meet_no_429(
    streaming: Streaming, seed: int
) -> None:
    async with field(seed, streaming) as it:
        for round_ in range(4):
            turns = [replace(turn, id=turn.id + 10 * round_, root=100 + round_) for turn in EIGHT]
            for turn in turns:
                it.roll_call.show(turn, Waiting())
            for tenth in range(200):
                it.roll_call.show(turns[tenth % 8], Writing(f"{tenth} words"))
                await it.clock.run(0.1)
            for turn in turns:
                it.roll_call.show(turn, DONE)
            await it.answer(*(f"answer {round_} {turn.agent}" for turn in turns))
        await it.clock.run(60)
        assert it.telegram.floods == 0
        assert len(it.outbox.ended) == 32
        folded = it.telegram.of("editMessageText")[-1].parameters["text"]
        assert folded.count("✅") == 8


@pytest.mark.parametrize("seed", range(3))
@scene
async def test_an_outbox_that_is_full_goes_out_without_a_429(seed: int) -> None:
    async with field(seed) as it:
        await it.answer(*(str(number) for number in range(40)))
        await it.clock.run(60)
        assert (it.telegram.floods, len(it.outbox.ended)) == (0, 40)


@scene
async def test_an_answer_of_four_messages_never_waits_for_what_is_passing() -> None:
    async with field(1) as it:
        for turn in EIGHT:
            it.roll_call.show(turn, Waiting())
        for second in range(20):
            for turn in EIGHT:
                it.roll_call.show(turn, Writing(f"{second} words"))
            await it.clock.run(1.0)
        now = it.clock.monotonic()
        it.roll_call.show(EIGHT[0], DONE)
        await it.answer("one", "two", "three", "four")
        assert it.sent("one", "two", "three", "four") == [now] * 4
        assert it.telegram.floods == 0
