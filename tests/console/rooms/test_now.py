"""The room Now over HTTP: how everybody is, live, and what is done to one of them."""

import asyncio
import contextlib
import json
import logging
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest

from legio.config import BudgetConfig
from legio.console.rooms.now import now_room
from legio.errors import PraetoriumError
from legio.nuntius import TurnState
from legio.ports import Thread, Threads
from tests.camp import Legion, Setting, legion
from tests.clocks import FakeClock
from tests.console.rig import page_of
from tests.fakes import Stage
from tests.scenes import scene, until
from tests.surveys import MOST_TOKENS, Smithy, survey_of


@contextlib.asynccontextmanager
async def room(
    folder: Path, stage: Stage | None = None, setting: Setting | None = None
) -> AsyncIterator[tuple[httpx.AsyncClient, Legion]]:
    async with (
        legion(folder / "castra", stage or Stage(), setting) as camp,
        page_of(now_room(survey_of(camp))) as url,
        httpx.AsyncClient(base_url=url, trust_env=False, verify=False) as client,
    ):
        yield client, camp


async def agent(client: httpx.AsyncClient, name: str) -> dict[str, Any]:
    shown = (await client.get("/camp/now/agents")).json()["agents"]
    (found,) = [it for it in shown if it["name"] == name]
    return dict(found)


async def done(client: httpx.AsyncClient, act: str, name: str) -> str:
    answer = await client.post(f"/camp/now/{act}", json={"name": name})
    return str(answer.json()["said"])


class Held:
    """Agents who answer once they are let go."""

    def __init__(self) -> None:
        self.go = asyncio.Event()

    async def say(self, _: str) -> str:
        await self.go.wait()
        return "done"


@scene
async def test_an_agent_who_never_did_anything_is_shown_asleep(tmp_path: Path) -> None:
    async with room(tmp_path) as (client, _):
        assert [it["name"] for it in (await client.get("/camp/now/agents")).json()["agents"]] == [
            "legatus",
            "brutus",
            "pullo",
            "vorenus",
        ]
        assert await agent(client, "pullo") == {
            "name": "pullo",
            "description": "pullo's work",
            "trouble": "",
            "state": "asleep",
            "kind": "asleep",
            "seconds": 0,
            "tool": None,
            "waiting": 0,
            "tokens": 0,
            "most": MOST_TOKENS,
            "share": 0.0,
            "cost": 0.0,
            "model": {"value": None, "reason": "nobody named one"},
            "effort": {"value": None, "reason": "nobody named one"},
            "megabytes": None,
            "thread": None,
            "rebuilt": "",
            "begun": None,
            "since": "",
            "active": None,
        }


@scene
async def test_an_agent_at_work_is_shown_with_his_tool_and_stopped(tmp_path: Path) -> None:
    held, clock = Held(), FakeClock()
    stage = Smithy(say=held.say)
    async with room(tmp_path, stage, Setting(clock=clock)) as (client, camp):
        await camp.say("@pullo ave")
        await camp.say("@pullo and more")
        await until(lambda: camp.sessions.of("pullo").tool)
        clock.advance(7)
        it = await agent(client, "pullo")
        assert (it["kind"], it["state"], it["seconds"], it["waiting"]) == ("working", "at work", 7, 1)
        assert it["tool"] == {"name": "Bash", "seconds": 7.0}
        assert await done(client, "stop", "pullo") == "Stopping pullo."
        await camp.settled(2)
        assert (await camp.praetorium.turns.tally()).stopped == 2
        assert await done(client, "stop", "pullo") == "pullo has nothing to stop."
        assert all(turn.state is not TurnState.ANSWERED for turn in camp.ended)


@scene
async def test_a_reset_begins_afresh_and_caesar_is_told_in_the_chat(tmp_path: Path) -> None:
    async with room(tmp_path, Stage(context_tokens=250)) as (client, camp):
        await camp.say("@pullo ave")
        await camp.settled(1)
        it = await agent(client, "pullo")
        assert (it["share"], it["tokens"], it["megabytes"], it["rebuilt"]) == (
            0.25,
            250,
            100,
            "this is its first use",
        )
        assert it["cost"] == pytest.approx(0.01)
        before = len(await camp.sent())
        assert await done(client, "reset", "pullo") == "pullo is being reset."
        assert "pullo begins afresh" in str((await camp.card(before))["text"])
        assert (await agent(client, "pullo"))["rebuilt"] == "Caesar reset it"


@scene
async def test_an_agent_is_sent_to_sleep(tmp_path: Path) -> None:
    async with room(tmp_path) as (client, camp):
        assert await done(client, "sleep", "pullo") == "pullo is asleep already."
        await camp.say("@pullo ave")
        await camp.settled(1)
        await until(lambda: camp.sessions.of("pullo").idle)
        assert "his thread is kept" in await done(client, "sleep", "pullo")
        await until(lambda: camp.stage.closed == ["pullo"])
        assert (await agent(client, "pullo"))["kind"] == "asleep"


@scene
async def test_a_prompt_that_changed_says_so_beside_why_the_thread_began(tmp_path: Path) -> None:
    async with room(tmp_path) as (client, camp):
        await camp.say("@pullo ave")
        await camp.settled(1)
        prompt = camp.castra.prompt("pullo")
        prompt.write_text(prompt.read_text() + "Be brief.\n")
        await camp.say("@pullo ave")
        await camp.settled(2)
        it = await agent(client, "pullo")
        assert it["rebuilt"] == "this is its first use"
        assert "the thread goes on" in it["since"]
        prompt.write_text("broken")
        assert "cannot be used" in (await agent(client, "pullo"))["trouble"]


@scene
async def test_who_waits_for_caesars_word_is_shown_as_held(tmp_path: Path) -> None:
    setting = Setting(budget=BudgetConfig(day_usd=0.015))
    async with room(tmp_path, setting=setting) as (client, camp):
        await camp.say("@pullo ave")
        await camp.settled(1)
        await camp.say("@pullo ave")
        await until(lambda: camp.sessions.of("pullo").held)
        it = await agent(client, "pullo")
        assert (it["kind"], it["state"]) == ("held", "waiting for Caesar's word on the budget")


@pytest.mark.parametrize("act", ["stop", "reset", "sleep"])
@scene
async def test_what_names_nobody_is_refused(tmp_path: Path, act: str) -> None:
    async with room(tmp_path) as (client, camp):
        for content in ('{"name": "titus"}', '{"name": 7}', "{}", "[]", "not JSON", '{"name": "../pullo"}'):
            answer = await client.post(f"/camp/now/{act}", content=content)
            assert answer.status_code == 400
            assert answer.json()["error"]
        assert (await client.get(f"/camp/now/{act}")).status_code == 405
        assert await camp.sent() == []


@contextlib.asynccontextmanager
async def following(client: httpx.AsyncClient, clock: FakeClock, url: str = "") -> AsyncIterator["Reader"]:
    """Somebody who follows the room while inside."""
    async with client.stream("GET", f"{url}/camp/now/live") as answer:
        lines = answer.aiter_lines()
        try:
            yield Reader(lines, clock)
        finally:
            await lines.aclose()  # type: ignore[attr-defined]


class Reader:
    """Somebody who follows the room, and for whom time passes while he waits."""

    def __init__(self, lines: AsyncIterator[str], clock: FakeClock) -> None:
        self._lines = lines
        self._clock = clock

    async def line(self, begin: str) -> str:
        """The next line that begins so, without that."""
        reading = asyncio.create_task(self._line(begin), name="reading")

        def passed() -> bool:
            self._clock.advance(1)
            return reading.done()

        await until(passed)
        return await reading

    async def state(self, name: str) -> dict[str, Any]:
        """How an agent is in the next state."""
        shown = json.loads(await self.line("data: "))["agents"]
        return next(dict(it) for it in shown if it["name"] == name)

    async def _line(self, begin: str) -> str:
        async for line in self._lines:
            if line.startswith(begin):
                return line.removeprefix(begin)
        return "the end"


@scene
async def test_who_follows_is_told_all_anew_when_something_has_changed_and_that_nothing_has(
    tmp_path: Path,
) -> None:
    clock = FakeClock()
    async with (
        room(tmp_path, setting=Setting(clock=clock)) as (client, camp),
        following(client, clock) as reader,
    ):
        assert (await reader.state("pullo"))["kind"] == "asleep"
        assert await reader.line(":") == " still here"
        await camp.say("@pullo ave")
        await camp.settled(1)
        while (it := await reader.state("pullo"))["kind"] != "awake" or not it["megabytes"]:
            pass
        assert it["megabytes"] == 100
        camp.stage.megabytes = 222.0
        assert (await reader.state("pullo"))["megabytes"] == 222


class Flaky:
    """The port `Threads` over a record that is out of reach at the first look."""

    def __init__(self, threads: Threads) -> None:
        self._threads = threads
        self._reached = False

    async def load(self, agent: str) -> Thread | None:
        return await self._threads.load(agent)

    async def save(self, thread: Thread) -> None:
        await self._threads.save(thread)

    async def forget(self, agent: str) -> None:
        await self._threads.forget(agent)

    async def all(self) -> tuple[Thread, ...]:
        if not self._reached:
            self._reached = True
            raise PraetoriumError("another program holds the praetorium.")
        return await self._threads.all()


@scene
async def test_a_record_that_cannot_be_read_is_told_and_taken_up_again(tmp_path: Path) -> None:
    clock = FakeClock()
    async with room(tmp_path, setting=Setting(clock=clock)) as (client, camp):
        survey = replace(survey_of(camp), threads=Flaky(camp.praetorium.threads))
        async with (
            page_of(now_room(survey)) as url,
            following(client, clock, url) as reader,
        ):
            assert await reader.line("event: ") == "trouble"
            assert "holds the praetorium" in await reader.line("data: ")
            assert await reader.line("event: ") == "state"


@scene
async def test_the_stream_ends_when_the_server_stops(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with (
        legion(tmp_path / "castra", Stage()) as camp,
        httpx.AsyncClient(trust_env=False, verify=False) as client,
    ):
        async with page_of(now_room(survey_of(camp))) as url:
            request = client.build_request("GET", f"{url}/camp/now/live")
            lines = (await client.send(request, stream=True)).aiter_lines()
            while not (await anext(lines)).startswith("data: "):
                pass
        assert [line async for line in lines if line] == []
    assert [record.message for record in caplog.records if record.levelno >= logging.ERROR] == []
