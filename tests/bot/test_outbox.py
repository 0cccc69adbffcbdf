"""The courier over a scripted Telegram: order, pace, patience, and what is said of it."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path

import pytest
from structlog.testing import capture_logs
from structlog.typing import EventDict

from legio.bot.outbox import LOOK_SECONDS, Courier
from legio.bot.pace import BURST
from legio.bot.payload import TextMessage, encode
from legio.bot.sending import DUPLICATE
from legio.clock import SystemClock
from legio.local.botapi.faults import Trouble
from legio.ports import Dispatch, Outbox, Parcel
from tests.bot.wire import (
    FakeTelegram,
    MemoryOutbox,
    bot_on,
    flooded,
    for_ever,
    refused,
    unanswered,
    unconnected,
)
from tests.clocks import FakeClock, settled
from tests.local.botapi.rig import OWNER, rig
from tests.praetorium.record import praetorium_in
from tests.scenes import scene


@dataclass
class Post:
    """A courier at work, and all around it."""

    clock: FakeClock
    telegram: FakeTelegram
    outbox: MemoryOutbox
    courier: Courier
    task: asyncio.Task[None]

    async def add(self, *texts: str, chat: int = 1) -> None:
        await self.outbox.add([Parcel(chat, encode(TextMessage(text))) for text in texts])
        self.courier.wake()
        await settled()

    @property
    def times(self) -> list[float]:
        return [call.at for call in self.telegram.of("sendMessage")]


@contextlib.asynccontextmanager
async def post() -> AsyncIterator[Post]:
    clock, outbox = FakeClock(), MemoryOutbox()
    telegram = FakeTelegram(clock.monotonic)
    courier = Courier(bot_on(telegram), outbox, clock)
    task = asyncio.create_task(courier.run(), name="courier")
    try:
        yield Post(clock, telegram, outbox, courier, task)
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


def levels(logs: list[EventDict]) -> list[tuple[str, str]]:
    return [(entry["log_level"], entry["event"]) for entry in logs]


@scene
async def test_what_lay_there_at_the_start_is_sent_in_order_and_recorded() -> None:
    async with post() as scene_:
        await scene_.outbox.add([Parcel(1, encode(TextMessage(text))) for text in "abc"])
        with capture_logs() as logs:
            await settled()
        assert scene_.telegram.texts == ["a", "b", "c"]
        assert scene_.outbox.ended == {1: 101, 2: 102, 3: 103}
        assert logs[0] == {
            "event": "outbox.sent", "log_level": "info", "chat": 1, "parcel": 1, "message": 101, "tries": 1,
        }  # fmt: skip


@scene
async def test_a_topic_that_is_gone_is_told_to_whoever_keeps_them() -> None:
    async with post() as scene_:
        lost: list[int] = []
        scene_.courier.strays(lost.append)
        scene_.telegram.script["sendMessage"].append(refused(400, "Bad Request: message thread not found"))
        await scene_.outbox.add([Parcel(1, encode(TextMessage(text, thread=5))) for text in "ab"])
        scene_.courier.wake()
        await settled()
        assert scene_.telegram.texts[-2:] == ["a", "b"]
    assert lost == [5], "the second one found its topic"


@scene
async def test_whoever_listens_is_told_what_has_arrived_and_as_which_message() -> None:
    async with post() as scene_:
        arrived: list[tuple[str, int]] = []
        scene_.courier.listen(lambda parcel, message: arrived.append((parcel.payload, message)))
        parcels = [Parcel(1, encode(TextMessage(text))) for text in "ab"]
        await scene_.outbox.add(parcels)
        scene_.courier.wake()
        await settled()
    assert arrived == [(parcels[0].payload, 101), (parcels[1].payload, 102)]


@scene
async def test_quiet_hours_hold_at_the_moment_of_sending() -> None:
    async with post() as scene_:
        quiet = False
        scene_.courier.hush(lambda: quiet)
        await scene_.add("loud")
        quiet = True
        await scene_.add("soft")

        sent = scene_.telegram.of("sendMessage")

    assert [call.parameters.get("disable_notification", False) for call in sent] == [False, True]


@scene
async def test_what_is_written_later_is_sent_when_the_courier_is_woken() -> None:
    async with post() as scene_:
        await settled()
        await scene_.add("late")
        assert scene_.telegram.texts == ["late"]


@scene
async def test_a_missed_call_is_made_good_by_looking_now_and_then() -> None:
    async with post() as scene_:
        await settled()
        await scene_.outbox.add([Parcel(1, encode(TextMessage("unannounced")))])
        await scene_.clock.run(LOOK_SECONDS)
        assert scene_.telegram.texts == ["unannounced"]


@scene
async def test_a_burst_goes_out_at_once_and_then_a_message_a_second() -> None:
    async with post() as scene_:
        await scene_.add(*(str(number) for number in range(BURST + 3)))
        await scene_.clock.run(10)
        assert scene_.times == pytest.approx([0.0] * BURST + [1.0, 2.0, 3.0])


@scene
async def test_a_chat_that_stands_still_does_not_hold_up_another_or_the_caller() -> None:
    async with post() as scene_:
        scene_.telegram.script["sendMessage"].append(for_ever)
        await scene_.add("stuck", "behind", chat=1)
        await scene_.add("free", chat=2)
        scene_.courier.wake()
        assert scene_.telegram.texts == ["stuck", "free"]


@scene
async def test_the_wait_that_telegram_asks_for_is_kept_and_nothing_overtakes() -> None:
    async with post() as scene_:
        scene_.telegram.script["sendMessage"].append(flooded(7))
        with capture_logs() as logs:
            await scene_.add("a", "b")
            await scene_.clock.run(6.9)
            assert scene_.telegram.texts == ["a"]
            await scene_.clock.run(0.2)
        assert scene_.telegram.texts == ["a", "a", "b"]
        assert scene_.outbox.ended == {1: 101, 2: 102}
        assert levels(logs)[0] == ("warning", "outbox.postponed")


@scene
async def test_while_the_network_is_down_the_rests_double_up_to_a_quarter_of_a_minute() -> None:
    async with post() as scene_:
        scene_.telegram.script["sendMessage"].extend(unconnected() for _ in range(9))
        await scene_.add("a")
        await scene_.clock.run(400)
        gaps = [later - earlier for earlier, later in zip(scene_.times, scene_.times[1:], strict=False)]
        assert gaps == pytest.approx([1, 2, 4, 8, 15, 15, 15, 15, 15])
        assert scene_.telegram.texts == ["a"] * 10


@scene
async def test_after_a_success_the_rests_are_short_again() -> None:
    async with post() as scene_:
        scene_.telegram.script["sendMessage"].extend([unconnected(), unconnected(), unconnected()])
        await scene_.add("a")
        await scene_.clock.run(20)
        scene_.telegram.script["sendMessage"].append(unconnected())
        await scene_.add("b")
        await scene_.clock.run(1.1)
        assert scene_.telegram.texts == ["a"] * 4 + ["b"] * 2


@scene
async def test_what_may_have_arrived_is_sent_again_under_a_mark_until_it_arrives() -> None:
    async with post() as scene_:
        scene_.telegram.script["sendMessage"].extend([unanswered(), flooded(3), unconnected()])
        await scene_.add("a", "b")
        await scene_.clock.run(60)
        marked = f"{DUPLICATE}\na"
        assert scene_.telegram.texts == ["a", marked, marked, marked, "b"]


@scene
async def test_a_send_cut_off_by_the_end_of_the_process_is_doubtful_in_the_next() -> None:
    async with post() as first:
        first.telegram.script["sendMessage"].append(for_ever)
        await first.add("a")
    second = Courier(bot_on(telegram := FakeTelegram()), first.outbox, first.clock)
    task = asyncio.create_task(second.run(), name="courier")
    await settled()
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    assert telegram.texts == [f"{DUPLICATE}\na"]


@scene
async def test_what_can_never_arrive_ends_as_undeliverable_and_the_next_follows() -> None:
    async with post() as scene_:
        scene_.telegram.script["sendMessage"].append(refused(403, "Forbidden: bot was blocked by the user"))
        with capture_logs() as logs:
            await scene_.add("a", "b")
        assert scene_.outbox.ended == {1: "Forbidden: bot was blocked by the user", 2: 101}
        assert levels(logs)[0] == ("error", "outbox.undeliverable")


@scene
async def test_with_a_revoked_token_everything_waits_and_somebody_is_called() -> None:
    async with post() as scene_:
        scene_.telegram.script["sendMessage"].append(refused(401, "Unauthorized"))
        with capture_logs() as logs:
            await scene_.add("a")
        assert levels(logs) == [("error", "outbox.postponed")]
        await scene_.clock.run(1.1)
        assert scene_.outbox.ended == {1: 101}


@scene
async def test_an_outbox_that_cannot_be_read_is_read_again() -> None:
    async with post() as scene_:
        scene_.outbox.troubles.append(OSError("disk"))
        with capture_logs() as logs:
            await scene_.outbox.add([Parcel(1, encode(TextMessage("a")))])
            await settled()
        assert levels(logs) == [("error", "outbox.broken")]
        await scene_.clock.run(LOOK_SECONDS)
        assert scene_.telegram.texts == ["a"]


@scene
async def test_what_was_sent_but_could_not_be_recorded_is_marked_when_it_goes_out_again() -> None:
    async with post() as scene_:
        await scene_.outbox.add([Parcel(1, encode(TextMessage("a")))])

        async def then_trouble() -> None:
            scene_.outbox.troubles.append(OSError("disk"))

        scene_.telegram.script["sendMessage"].append(then_trouble)
        with capture_logs() as logs:
            scene_.courier.wake()
            await scene_.clock.run(2)
        assert levels(logs)[0] == ("error", "outbox.broken")
        assert scene_.telegram.texts == ["a", f"{DUPLICATE}\na"]
        assert scene_.outbox.ended == {1: 102}


@scene
async def test_flushing_ends_when_all_is_sent() -> None:
    async with post() as scene_:
        await settled()
        await scene_.outbox.add([Parcel(1, encode(TextMessage(str(number)))) for number in range(BURST + 2)])
        flush = asyncio.create_task(scene_.courier.flush(60), name="flush")
        await scene_.clock.run_until(flush.done, within=60)
        assert len(scene_.outbox.ended) == BURST + 2
        assert scene_.clock.monotonic() < 5


@scene
async def test_flushing_an_empty_outbox_takes_no_time() -> None:
    async with post() as scene_:
        await scene_.courier.flush(60)
        assert scene_.clock.monotonic() == 0


@scene
async def test_flushing_does_not_trust_a_look_that_began_before() -> None:
    class SlowOutbox(MemoryOutbox):
        async def due(self) -> tuple[Dispatch, ...]:
            found = await super().due()
            await clock.sleep(1)
            return found

    clock, outbox, telegram = FakeClock(), SlowOutbox(), FakeTelegram()
    courier = Courier(bot_on(telegram), outbox, clock)
    task = asyncio.create_task(courier.run(), name="courier")
    await settled()
    await outbox.add([Parcel(1, encode(TextMessage("a")))])

    flush = asyncio.create_task(courier.flush(60), name="flush")
    await clock.run_until(flush.done, within=60)

    assert telegram.texts == ["a"]
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


@scene
async def test_flushing_gives_up_at_its_deadline() -> None:
    async with post() as scene_:
        scene_.telegram.script["sendMessage"].append(for_ever)
        await scene_.add("stuck")
        flush = asyncio.create_task(scene_.courier.flush(5), name="flush")
        await scene_.clock.run_until(flush.done, within=5)
        assert scene_.outbox.ended == {}


# --- against the strict server, on the real clock and the real praetorium ---


@scene
async def test_over_a_bad_line_everything_arrives_in_order_and_is_recorded(tmp_path: Path) -> None:
    async with rig() as it, praetorium_in(tmp_path) as praetorium:
        it.state.faults.arm("sendMessage", Trouble.RESET_AFTER)
        await praetorium.outbox.add([Parcel(OWNER, encode(TextMessage(text)), seq=None) for text in "abc"])
        courier = Courier(it.bot, praetorium.outbox, SystemClock())
        task = asyncio.create_task(courier.run(), name="courier")

        await courier.flush(20)

        assert [answer.text.plain for answer in it.state.answers] == ["a", f"{DUPLICATE}\na", "b", "c"]
        assert await praetorium.outbox.due() == ()
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


# --- the fake outbox keeps the promises of the real one ---

Opened = Callable[[Path], AbstractAsyncContextManager[Outbox]]


@contextlib.asynccontextmanager
async def memory(_: Path) -> AsyncIterator[Outbox]:
    yield MemoryOutbox()


@contextlib.asynccontextmanager
async def sqlite(folder: Path) -> AsyncIterator[Outbox]:
    async with praetorium_in(folder) as praetorium:
        yield praetorium.outbox


both = pytest.mark.parametrize("opened", [memory, sqlite])


async def shown(outbox: Outbox) -> list[tuple[str, int, bool]]:
    return [(it.parcel.payload, it.tries, it.doubtful) for it in await outbox.due()]


async def first(outbox: Outbox) -> Dispatch:
    return (await outbox.due())[0]


@both
@scene
async def test_what_was_added_is_due_in_order(opened: Opened, tmp_path: Path) -> None:
    async with opened(tmp_path) as outbox:
        await outbox.add([Parcel(1, "a"), Parcel(2, "b")])
        await outbox.add([Parcel(1, "c")])
        assert await shown(outbox) == [("a", 0, False), ("b", 0, False), ("c", 0, False)]


@both
@scene
async def test_a_send_that_began_is_counted_and_doubtful(opened: Opened, tmp_path: Path) -> None:
    async with opened(tmp_path) as outbox:
        await outbox.add([Parcel(1, "a")])
        await outbox.start(await first(outbox))
        assert await shown(outbox) == [("a", 1, True)]


@both
@pytest.mark.parametrize("doubtful", [True, False])
@scene
async def test_what_failed_is_due_again_and_as_doubtful_as_was_said(
    opened: Opened, tmp_path: Path, *, doubtful: bool
) -> None:
    async with opened(tmp_path) as outbox:
        await outbox.add([Parcel(1, "a")])
        await outbox.start(await first(outbox))
        await outbox.failed(await first(outbox), "no", final=False, doubtful=doubtful)
        assert await shown(outbox) == [("a", 1, doubtful)]


@both
@scene
async def test_what_was_sent_or_is_undeliverable_is_due_no_more(opened: Opened, tmp_path: Path) -> None:
    async with opened(tmp_path) as outbox:
        await outbox.add([Parcel(1, "a"), Parcel(1, "b"), Parcel(1, "c")])
        await outbox.sent(await first(outbox), 7)
        await outbox.failed(await first(outbox), "blocked", final=True, doubtful=False)
        assert await shown(outbox) == [("c", 0, False)]
