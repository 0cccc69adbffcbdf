import asyncio

import pytest

from legio.local.botapi.updates import BATCH_LIMIT, POLL_SECONDS, UpdateQueue
from legio.local.botapi.wire import Refusal, Wire
from tests.clocks import FakeClock, settled, timed
from tests.scenes import scene


def queue(count: int = 0) -> UpdateQueue:
    updates = UpdateQueue(FakeClock(), 100)
    for number in range(count):
        updates.put("message", {"text": str(number)})
    return updates


async def ids(updates: UpdateQueue, *, offset: int = 0, limit: int = BATCH_LIMIT) -> list[int]:
    return [update["update_id"] for update in await updates.take(offset=offset, limit=limit, timeout=0)]


@scene
async def test_updates_come_again_until_they_are_acknowledged() -> None:
    updates = queue(3)
    assert await ids(updates) == await ids(updates) == [100, 101, 102]
    assert await ids(updates, offset=102) == [102]
    assert await ids(updates) == [102]
    assert await ids(updates, offset=103) == []


@scene
async def test_an_update_may_come_once_more_with_its_old_id() -> None:
    updates = queue()
    first = updates.put("message", {"text": "ave"})
    assert await ids(updates, offset=101) == []
    updates.repeat(first)
    assert await ids(updates) == [100]


@scene
async def test_what_was_held_comes_when_it_is_released_in_the_order_asked_for() -> None:
    updates = queue(1)
    updates.hold()
    updates.put("message", {"text": "held"})
    updates.hold()  # once more changes nothing
    updates.put("message", {"text": "held too"})
    assert await ids(updates) == [100]
    updates.release(backwards=True)
    updates.put("message", {"text": "free"})
    assert await ids(updates) == [100, 102, 101, 103]


@scene
async def test_release_of_what_was_not_held_changes_nothing() -> None:
    updates = queue(1)
    updates.release()
    assert await ids(updates) == [100]


@scene
async def test_a_negative_offset_keeps_the_last_and_forgets_the_rest() -> None:
    updates = queue(5)
    assert await ids(updates, offset=-2) == [103, 104]
    assert await ids(updates) == [103, 104]


@scene
async def test_a_limit_is_kept_and_a_foolish_one_means_a_hundred() -> None:
    updates = queue(120)
    assert [len(await ids(updates, limit=limit)) for limit in (1, 7, 100, 101, 0, -5)] == [
        1,
        7,
        100,
        100,
        100,
        100,
    ]


@scene
async def test_a_poll_without_news_lasts_as_long_as_it_was_asked_to() -> None:
    clock = FakeClock()
    updates = UpdateQueue(clock, 1)

    async def poll(timeout: float) -> None:  # noqa: ASYNC109
        assert await updates.take(offset=0, limit=10, timeout=timeout) == []

    assert await timed(clock, poll(9)) == 9
    assert await timed(clock, poll(0)) == 0
    assert await timed(clock, poll(3600)) == POLL_SECONDS
    assert not updates.polled


@scene
async def test_an_update_ends_the_poll_at_once() -> None:
    updates = queue()
    poll = asyncio.create_task(updates.take(offset=0, limit=10, timeout=30))
    await settled()
    assert updates.polled
    update = updates.put("message", {"text": "hello"})
    assert await poll == [update]


@scene
async def test_a_second_reader_sends_the_first_one_away() -> None:
    updates = queue()
    older = asyncio.create_task(updates.take(offset=0, limit=10, timeout=30))
    await settled()
    newer = asyncio.create_task(updates.take(offset=0, limit=10, timeout=30))
    with pytest.raises(Refusal, match="Conflict: terminated by other getUpdates request") as refused:
        await older
    assert refused.value.code == 409
    assert updates.polled
    update = updates.put("message", {})
    assert await newer == [update]


@scene
async def test_a_poll_can_be_ended_as_if_its_time_were_up() -> None:
    updates = queue()
    updates.send_away()
    poll = asyncio.create_task(updates.take(offset=0, limit=10, timeout=30))
    await settled()
    updates.send_away()
    assert await poll == []


@scene
async def test_only_what_is_allowed_is_queued_and_what_was_queued_stays() -> None:
    updates = queue(1)
    updates.allow(["callback_query", "message_reaction"])
    updates.put("message", {})
    updates.put("message_reaction", {})
    updates.allow(None)
    updates.put("callback_query", {})
    assert [sorted(update)[0] for update in updates.pending] == [
        "message",
        "message_reaction",
        "callback_query",
    ]


def test_by_default_reactions_are_not_sent() -> None:
    updates = queue()
    updates.allow([])
    dropped: Wire = updates.put("message_reaction", {})
    kept = updates.put("edited_message", {})
    assert updates.pending == [kept]
    assert kept["update_id"] == dropped["update_id"] + 1


def test_updates_are_kept_for_24_hours() -> None:
    clock = FakeClock()
    updates = UpdateQueue(clock, 1)
    updates.put("message", {})
    clock.advance(12 * 3600)
    young = updates.put("message", {})
    clock.advance(12 * 3600 + 1)
    assert updates.pending == [young]


def test_one_can_be_ended_and_all_can() -> None:
    updates = queue(3)
    updates.discard(101)
    assert [update["update_id"] for update in updates.pending] == [100, 102]
    updates.clear()
    assert updates.pending == []
