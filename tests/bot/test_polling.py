"""Polling for ever: each update once and in order, whatever Telegram and the network do in between."""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
from structlog.testing import capture_logs
from telegram import Update
from telegram.error import TelegramError, TimedOut
from telegram.ext import ExtBot
from telegram.request import HTTPXRequest

from legio.bot.polling import RETRY_SECONDS, TAKING_SECONDS, Patience, Polling, PollingRequest
from legio.bot.receiver import ALONE, CONFLICT, Receiver
from legio.clock import SystemClock
from legio.local.botapi.faults import Trouble
from legio.local.botapi.server import bot_api_server
from legio.local.botapi.state import BotApiState
from legio.local.botapi.wire import Refusal
from legio.ports import Clock
from tests.bot.wire import (
    FakeTelegram,
    Reply,
    broken,
    flooded,
    for_ever,
    refused,
    unanswered,
    unconnected,
)
from tests.clocks import FakeClock, settled
from tests.scenes import scene, until

TOKEN = "123456:" + "A" * 35
CAESAR = 77
STALL = Patience().stall_seconds


def updates(*numbers: int) -> Reply:
    """What Telegram answers when there is something new."""
    chat = {"id": CAESAR, "type": "private"}
    message = {"message_id": 1, "date": 0, "chat": chat, "text": "ave"}
    result = [{"update_id": number, "message": message} for number in numbers]
    return 200, json.dumps({"ok": True, "result": result}).encode()


class Taker(asyncio.Queue[object]):
    """A queue that may refuse to keep something."""

    def __init__(self) -> None:
        super().__init__()
        self.taken: list[int] = []
        self.refusals = 0

    async def put(self, item: object) -> None:
        if self.refusals:
            self.refusals -= 1
            raise TelegramError("the update could not be kept")
        assert isinstance(item, Update)
        self.taken.append(item.update_id)


class Post:
    """A polling over a fake transport, under the test's clock."""

    def __init__(self, *script: Reply) -> None:
        self.clock = FakeClock()
        self.telegram = FakeTelegram(self.clock.monotonic)
        self.telegram.script["getUpdates"].extend(script)
        self.told: list[str] = []
        self.receiver = Receiver(self.clock, heartbeat=lambda: None, tell=self.tell)
        self.queue = Taker()
        bot = ExtBot[None](TOKEN, request=self.telegram, get_updates_request=self.telegram)
        self.polling = Polling(bot, self.queue, self.clock, self.receiver)

    async def tell(self, text: str) -> None:
        self.told.append(text)

    @contextlib.asynccontextmanager
    async def polled(self) -> AsyncIterator[list[Any]]:
        """Polls while inside; when the script is played out Telegram has nothing more to say."""
        self.telegram.script["getUpdates"].append(for_ever)
        task = asyncio.create_task(self.polling.run(), name="polling")
        with capture_logs() as logs:
            try:
                await settled()
                yield logs
            finally:
                task.cancel()
                await asyncio.gather(task, return_exceptions=True)

    @property
    def offsets(self) -> list[object]:
        return [call.parameters.get("offset") for call in self.telegram.of("getUpdates")]

    @property
    def times(self) -> list[float]:
        return [call.at for call in self.telegram.of("getUpdates")]


NOTHING = updates()


# --- updates --------------------------------------------------------------------------------------------


@scene
async def test_what_was_put_is_acknowledged_by_the_next_poll() -> None:
    post = Post(updates(5, 6), updates(9))
    async with post.polled():
        await post.clock.run(2 * TAKING_SECONDS)
    assert post.queue.taken == [5, 6, 9]
    assert post.offsets == [None, 7, 10]


@scene
async def test_what_came_is_taken_before_more_is_asked_for() -> None:
    post = Post(updates(5))
    async with post.polled():
        assert (post.queue.taken, post.offsets) == ([5], [None])
        await post.clock.run(TAKING_SECONDS)
    assert post.offsets == [None, 6]


@scene
async def test_what_could_not_be_kept_is_asked_for_again() -> None:
    post = Post(updates(5, 6), updates(5, 6))
    post.queue.refusals = 1
    async with post.polled() as logs:
        await post.clock.run(RETRY_SECONDS[0] + TAKING_SECONDS)
    assert post.queue.taken == [5, 6]
    assert post.offsets == [None, None, 7]
    assert [entry["error"] for entry in logs] == ["TelegramError: the update could not be kept"]


@scene
async def test_the_last_word_acknowledges_what_was_received() -> None:
    post = Post(updates(5))
    async with post.polled():
        await post.clock.run(TAKING_SECONDS)
    post.telegram.script["getUpdates"].append(unconnected())
    await post.polling.acknowledge()
    last = post.telegram.of("getUpdates")[-1].parameters
    assert (last["offset"], last.get("timeout", 0)) == (6, 0)


@scene
async def test_who_received_nothing_has_no_last_word() -> None:
    post = Post()
    await post.polling.acknowledge()
    assert post.telegram.calls == []


# --- troubles -------------------------------------------------------------------------------------------


@scene
async def test_after_each_failure_in_a_row_it_waits_longer_and_begins_anew_after_a_success() -> None:
    bad = refused(502, "Bad Gateway")
    post = Post(*[bad] * 6, NOTHING, bad)
    async with post.polled():
        await post.clock.run(200)
    waits = [later - earlier for earlier, later in zip(post.times, post.times[1:], strict=False)]
    assert waits[:8] == [1, 2, 5, 10, 10, 10, 0, 1]


@scene
async def test_telegrams_own_wait_is_kept_to_and_is_no_stall() -> None:
    post = Post(flooded(300))
    async with post.polled() as logs:
        await post.clock.run(299)
        assert len(post.times) == 1
        await post.clock.run(1)
    assert post.times == [0, 300]
    assert "telegram.polling.stalled" not in [entry["event"] for entry in logs]


@pytest.mark.parametrize("code", [401, 404])
@scene
async def test_a_token_that_is_not_known_ends_nothing(code: int) -> None:
    post = Post(*[refused(code, "Unauthorized")] * 10, updates(5))
    async with post.polled() as logs:
        await post.clock.run(60)
        deaf = post.receiver.reception().deaf
        await post.clock.run_until(lambda: post.queue.taken, within=300)
    assert deaf == "Telegram does not know the bot's token any more: was it revoked?"
    assert [entry["event"] for entry in logs] == ["telegram.disowned", "telegram.heard_again"]
    assert post.receiver.reception().deaf == ""


@scene
async def test_a_network_that_is_down_is_no_stall() -> None:
    post = Post(*[unconnected()] * 20, updates(5))
    async with post.polled() as logs:
        await post.clock.run_until(lambda: post.queue.taken, within=900)
    assert [entry["event"] for entry in logs] == ["telegram.trouble", "telegram.heard_again"]
    assert post.receiver.reception().restarts == 0


# --- stalls ---------------------------------------------------------------------------------------------


@scene
async def test_a_poll_that_never_ends_is_begun_anew_where_it_stood() -> None:
    post = Post(updates(5), for_ever, updates(6))
    async with post.polled() as logs:
        await post.clock.run_until(lambda: post.queue.taken == [5, 6], within=STALL + 5)
    assert post.offsets[:3] == [None, 6, 6]
    assert [entry["event"] for entry in logs] == ["telegram.polling.stalled", "telegram.heard_again"]
    assert post.receiver.reception().restarts == 1


@scene
async def test_timeouts_in_a_row_are_a_stall_as_nobody_answers() -> None:
    lost = broken(httpx.PoolTimeout("full"))
    post = Post(*[unanswered(), lost] * 4)
    async with post.polled() as logs:
        await post.clock.run(STALL + 1)
    assert "telegram.polling.stalled" in [entry["event"] for entry in logs]


@scene
async def test_refused_connections_between_timeouts_are_none() -> None:
    refusal = broken(httpx.ConnectTimeout("no route"))
    post = Post(*[unanswered(), refusal] * 4)
    async with post.polled() as logs:
        await post.clock.run(STALL + 30)
    assert "telegram.polling.stalled" not in [entry["event"] for entry in logs]


@scene
async def test_a_poll_that_breaks_is_logged_and_begun_anew() -> None:
    post = Post((200, b'{"ok": true, "result": [{"odd": 1}]}'), updates(5))
    async with post.polled() as logs:
        await post.clock.run_until(lambda: post.queue.taken, within=5)
    assert [entry["event"] for entry in logs] == ["telegram.polling.broke"]
    assert isinstance(logs[0]["exc_info"], Exception)


@scene
async def test_a_poll_that_will_not_let_go_is_left_behind() -> None:
    held = asyncio.Event()

    async def stubborn() -> None:
        while not held.is_set():
            with contextlib.suppress(asyncio.CancelledError):
                await held.wait()

    post = Post(stubborn, updates(5))
    async with post.polled():
        post.clock.advance(STALL)
        await until(lambda: post.receiver.reception().restarts, deadline=5)
        await post.clock.run_until(lambda: post.queue.taken, within=5)
        held.set()
        await settled()
    assert post.queue.taken[:1] == [5]


# --- the real thing -------------------------------------------------------------------------------------

QUICK = Patience(poll_seconds=0, stall_seconds=0.8, retry_seconds=(0.05,))


@contextlib.asynccontextmanager
async def station(
    queue: Taker, told: list[str], clock: Clock | None = None, patience: Patience = QUICK
) -> AsyncIterator[tuple[BotApiState, Receiver]]:
    """The real python-telegram-bot before the embedded server, with bounds of less than a second."""
    clock = clock or SystemClock()

    async def tell(text: str) -> None:
        told.append(text)

    receiver = Receiver(clock, heartbeat=lambda: None, tell=tell)
    telegram = BotApiState(token=TOKEN, owner_id=CAESAR)
    async with bot_api_server(telegram) as url:
        bot = ExtBot[None](
            TOKEN,
            base_url=f"{url}/bot",
            request=HTTPXRequest(),
            get_updates_request=PollingRequest(read_timeout=0.3),
        )
        async with bot:
            task = asyncio.create_task(Polling(bot, queue, clock, receiver, patience=patience).run())
            try:
                yield telegram, receiver
            finally:
                task.cancel()
                await asyncio.gather(task, return_exceptions=True)


@scene
async def test_a_half_open_connection_is_given_up_and_nothing_is_lost_or_doubled() -> None:
    queue = Taker()
    async with station(queue, []) as (telegram, receiver):
        first = telegram.say("one")["update_id"]
        await until(lambda: queue.taken)
        telegram.faults.arm("getUpdates", Trouble.HANG, times=2)
        # A poll that was under way already takes what is said without meeting the trouble.
        await until(lambda: receiver.reception().troubles)
        second = telegram.say("two")["update_id"]
        await until(lambda: len(queue.taken) > 1)
    assert queue.taken == [first, second]
    assert receiver.reception().troubles >= 1


@scene
async def test_a_connection_that_stays_half_open_is_a_stall_and_nothing_is_lost_or_doubled() -> None:
    queue = Taker()
    async with station(queue, []) as (telegram, receiver):
        first = telegram.say("one")["update_id"]
        await until(lambda: queue.taken)
        with capture_logs() as logs:
            telegram.faults.arm("getUpdates", Trouble.HANG, times=1000)
            await until(lambda: receiver.reception().restarts)
            telegram.faults.disarm()
            second = telegram.say("two")["update_id"]
            await until(lambda: len(queue.taken) > 1)
    assert queue.taken == [first, second]
    assert "telegram.polling.stalled" in [entry["event"] for entry in logs]


@scene
async def test_a_pool_that_lost_its_connection_gets_a_fresh_one() -> None:
    telegram = BotApiState(token=TOKEN, owner_id=CAESAR)
    telegram.faults.arm("getMe", Trouble.HANG)
    async with (
        bot_api_server(telegram) as url,
        PollingRequest(read_timeout=20, pool_timeout=0.1) as request,
    ):
        lost = asyncio.create_task(request.do_request(f"{url}/bot{TOKEN}/getMe", "POST"))
        await until(lambda: telegram.calls)
        with pytest.raises(TimedOut):
            await request.do_request(f"{url}/bot{TOKEN}/getMe", "POST")
        status, _ = await request.do_request(f"{url}/bot{TOKEN}/getMe", "POST")
        lost.cancel()
        await asyncio.gather(lost, return_exceptions=True)
    assert status == 200


@scene
async def test_another_timeout_keeps_the_connections() -> None:
    telegram = BotApiState(token=TOKEN, owner_id=CAESAR)
    telegram.faults.arm("getMe", Trouble.HANG)
    async with bot_api_server(telegram) as url, PollingRequest(read_timeout=0.1) as request:
        with pytest.raises(TimedOut):
            await request.do_request(f"{url}/bot{TOKEN}/getMe", "POST")
        status, _ = await request.do_request(f"{url}/bot{TOKEN}/getMe", "POST")
    assert status == 200


HURRIED = Patience(poll_seconds=1, stall_seconds=4500, retry_seconds=(5.0,))


class Hurried(SystemClock):
    """A hundred seconds to the second."""

    def monotonic(self) -> float:
        return super().monotonic() * 100

    async def sleep(self, seconds: float) -> None:
        await super().sleep(seconds / 100)


@scene
async def test_a_second_reader_is_told_to_caesar_once_and_once_when_it_is_gone() -> None:
    queue, told = Taker(), list[str]()
    async with station(queue, told, Hurried(), HURRIED) as (telegram, receiver):

        async def read_too() -> None:
            while not told:
                with contextlib.suppress(Refusal):
                    await telegram.updates.take(offset=0, limit=1, timeout=1)

        await read_too()
        deaf = receiver.reception().deaf
        number = telegram.say("one")["update_id"]
        await until(lambda: len(told) > 1)
    assert deaf == "Another program reads this bot's messages: stop it, or revoke its token."
    assert told == [CONFLICT, ALONE]
    assert queue.taken == [number]
