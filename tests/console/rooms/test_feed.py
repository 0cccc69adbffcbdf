"""The room Feed over HTTP: pages of what happened, and the line on which it comes."""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest
from structlog.testing import capture_logs

from legio.clock import SystemClock
from legio.console.rooms.feed import SHOWN_CHARACTERS, feed_room
from legio.console.streaming import HEARTBEAT_SECONDS
from legio.errors import PraetoriumError
from legio.logs import REDACTED, redacted
from legio.ports import Clock, Entry, EntryKind, Feed
from tests.clocks import FakeClock
from tests.console.rig import page_of
from tests.fakes import MemoryFeed
from tests.praetorium.record import START, praetorium_in, said
from tests.scenes import scene, until

STEP = Entry(EntryKind.EVENT, "pullo", "one", START)


def steps(*texts: str, agent: str = "pullo") -> list[Entry]:
    return [replace(STEP, text=text, agent=agent) for text in texts]


@contextlib.asynccontextmanager
async def room(feed: Feed, clock: Clock | None = None, **more: Any) -> AsyncIterator[httpx.AsyncClient]:
    shown = feed_room(feed, clock or SystemClock(), lambda: ("legatus", "pullo"), **more)
    async with (
        page_of(shown) as url,
        httpx.AsyncClient(base_url=url, trust_env=False, verify=False, timeout=30) as client,
    ):
        yield client


async def page(client: httpx.AsyncClient, **place: Any) -> list[dict[str, Any]]:
    answer = await client.get("/camp/feed/entries", params=place)
    assert answer.status_code == 200
    return list(answer.json()["entries"])


def texts(entries: list[dict[str, Any]]) -> list[str]:
    return [entry["text"] for entry in entries]


# --- pages ----------------------------------------------------------------------------------------------


@scene
async def test_the_newest_come_first_page_by_page_back_and_forth() -> None:
    feed = MemoryFeed()
    await feed.add(steps(*map(str, range(1, 8))))
    await feed.add(steps("other", agent="vorenus"))
    async with room(feed) as client:
        assert texts(await page(client, limit=3)) == ["6", "7", "other"]
        assert texts(await page(client, limit=3, before=6)) == ["3", "4", "5"]
        assert texts(await page(client, limit=3, after=2)) == ["3", "4", "5"]
        assert texts(await page(client, agent="vorenus")) == ["other"]
        assert texts(await page(client, agent="pullo", limit=1)) == ["7"]
        assert await page(client, agent="nobody'; --") == []
        assert len(await page(client, limit=10**9)) == 8
        answer = (await client.get("/camp/feed/entries")).json()
    assert answer["agents"] == ["legatus", "pullo"]


@scene
async def test_an_entry_says_what_a_page_has_to_show(tmp_path: Path) -> None:
    async with praetorium_in(tmp_path) as praetorium, room(praetorium.feed) as client:
        (turn,) = await praetorium.turns.admit(said("the ford", audience=("pullo",)), ["pullo"])
        await praetorium.feed.add([replace(STEP, kind=EntryKind.TOOL, text='Bash\n{"command":"ls"}', turn=1)])
        user, tool = await page(client)
    assert user == {
        "id": 1,
        "at": START.isoformat(),
        "kind": "user",
        "agent": "pullo",
        "sender": "caesar",
        "tool": "",
        "text": "the ford",
        "nuntius": turn.nuntius.seq,
        "turn": turn.id,
    }
    assert (tool["kind"], tool["tool"], tool["text"]) == ("tool", "Bash", '{"command":"ls"}')


@scene
async def test_no_secret_is_shown_not_even_the_beginning_of_one_and_long_texts_are_cut() -> None:
    feed, secret = MemoryFeed(), "the-secret-of-caesar"
    await feed.add(steps(f"sk-ant-abc {secret}", f"{'x' * (SHOWN_CHARACTERS - 9)}{secret}{'y' * 300}"))
    async with room(feed, clean=lambda text: redacted(text, [secret])) as client:
        short, long = texts(await page(client))
    assert short == f"{REDACTED} {REDACTED}"
    assert "the-" not in long
    assert (len(long), long[-1]) == (SHOWN_CHARACTERS, "…")


@pytest.mark.parametrize("place", [{"before": "x"}, {"limit": "-1"}, {"after": "1" * 19}, {"before": "٣"}])
@scene
async def test_a_place_that_is_none_is_refused(place: dict[str, str]) -> None:
    async with room(MemoryFeed()) as client:
        for path in ("entries", "live") if "after" in place else ("entries",):
            answer = await client.get(f"/camp/feed/{path}", params=place)
            assert answer.status_code == 400
            assert "whole number" in answer.json()["error"]


@scene
async def test_it_can_only_be_read() -> None:
    async with room(MemoryFeed()) as client:
        for path in ("entries", "live"):
            assert (await client.post(f"/camp/feed/{path}", json={})).status_code == 405


# --- live -----------------------------------------------------------------------------------------------


class Follower:
    """Somebody who follows the feed, and all that he was told."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    @property
    def ids(self) -> list[int]:
        return [int(line[4:]) for line in self.lines if line.startswith("id: ")]

    @property
    def texts(self) -> list[str]:
        told = [json.loads(line[6:]) for line in self.lines if line.startswith("data: {")]
        return [entry["text"] for entry in told if entry]

    async def read(self, answer: httpx.Response) -> None:
        async for line in answer.aiter_lines():
            self.lines.append(line)


@contextlib.asynccontextmanager
async def following(
    client: httpx.AsyncClient, last: str = "", **place: Any
) -> AsyncIterator[tuple[Follower, asyncio.Task[None]]]:
    follower, headers = Follower(), {"Last-Event-ID": last} if last else {}
    async with client.stream("GET", "/camp/feed/live", params=place, headers=headers) as answer:
        assert answer.headers["content-type"].startswith("text/event-stream")
        task = asyncio.create_task(follower.read(answer), name="follower")
        try:
            yield follower, task
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)


@scene
async def test_what_happens_is_told_with_its_id_as_it_happens(tmp_path: Path) -> None:
    async with praetorium_in(tmp_path) as praetorium, room(praetorium.feed) as client:
        await praetorium.feed.add(steps("before"))
        async with following(client, after=1) as (follower, _):
            await praetorium.feed.add(steps("two\nlines"))
            await until(lambda: follower.texts == ["two\nlines"])
            await praetorium.turns.admit(said("the ford", audience=("pullo",)), ["pullo"])
            await until(lambda: follower.texts == ["two\nlines", "the ford"])
    assert follower.ids == [2, 3]
    assert follower.lines[:3] == ["retry: 1000", "", "id: 2"]


@scene
async def test_who_comes_again_is_told_all_that_he_missed_and_nothing_twice() -> None:
    feed = MemoryFeed()
    await feed.add(steps(*map(str, range(1, 1001))))
    async with room(feed) as client:
        async with following(client, last="400", after=7) as (follower, _):
            await until(lambda: len(follower.ids) == 600)
        async with following(client, last="what", after=998) as (careless, _):
            await until(lambda: len(careless.ids) == 2)
    assert follower.ids == list(range(401, 1001))


@scene
async def test_one_agent_alone_can_be_followed() -> None:
    feed = MemoryFeed()
    async with room(feed) as client, following(client, agent="vorenus") as (follower, _):
        await feed.add(steps("his"))
        await feed.add(steps("mine", agent="vorenus"))
        await until(lambda: follower.texts)
    assert (follower.texts, follower.ids) == (["mine"], [2])


@scene
async def test_who_has_seen_more_than_there_is_begins_anew() -> None:
    feed = MemoryFeed()
    await feed.add(steps("one", "two"))
    async with room(feed) as client, following(client, last="5000") as (follower, _):
        await until(lambda: "event: reset" in follower.lines)
        await feed.add(steps("three"))
        await until(lambda: follower.texts == ["three"])


@scene
async def test_a_silent_line_shows_that_it_is_alive() -> None:
    clock = FakeClock()
    async with room(MemoryFeed(), clock) as client, following(client) as (follower, _):
        await until(lambda: clock.sleepers)
        clock.advance(HEARTBEAT_SECONDS)
        await until(lambda: ": still here" in follower.lines)


@scene
async def test_nobody_looks_for_news_when_nobody_follows() -> None:
    clock = FakeClock()
    async with room(MemoryFeed(), clock) as client:
        async with following(client):
            await until(lambda: clock.sleepers)
        await until(lambda: not clock.sleepers)


@scene
async def test_a_server_that_stops_waits_for_no_follower() -> None:
    shown = feed_room(MemoryFeed(), SystemClock(), tuple)
    async with (
        httpx.AsyncClient(trust_env=False, verify=False) as client,
        contextlib.AsyncExitStack() as stack,
    ):
        client.base_url = httpx.URL(await stack.enter_async_context(page_of(shown)))
        async with following(client) as (follower, task):
            await until(lambda: follower.lines)
            await stack.aclose()
            await asyncio.wait_for(task, 30)
            assert task.done()


@scene
async def test_a_record_that_cannot_be_read_ends_the_line_and_is_logged() -> None:
    feed = MemoryFeed()
    feed.trouble = PraetoriumError("the disk failed.", where="here", remedy="Look at it.")
    with capture_logs() as logs:
        async with room(feed) as client, following(client) as (_, task):
            await asyncio.wait_for(task, 30)
    assert [entry["event"] for entry in logs] == ["feed.unreadable"]
