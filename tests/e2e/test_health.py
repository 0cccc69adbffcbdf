"""Faults outside of Legio, as its owner and the machines that watch it see them: told once, and recovered."""

import asyncio
import contextlib
import re
import socket
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
import pytest

from legio.config import ConsoleConfig
from legio.health import health
from legio.local.model import Failure
from tests.e2e.world import SECONDS, World, body, world
from tests.scenes import TICK_SECONDS, scene

pytestmark = pytest.mark.cli

REFUSED = "⛔ Legio: the model did not accept the credential. Renew it, then restart Legio."


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port: int = taken.getsockname()[1]
    return port


@contextlib.asynccontextmanager
async def seen(folder: Path) -> AsyncIterator[tuple[World, httpx.AsyncClient]]:
    """Legio at work with its console open, and somebody who looks at it."""
    port = free_port()
    async with (
        world(folder, console=ConsoleConfig(port)) as made,
        made.legio(),
        httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", trust_env=False, verify=False) as client,
    ):
        yield made, client


async def reasons(client: httpx.AsyncClient) -> list[str]:
    said: list[str] = (await client.get("/readyz")).json()["reasons"]
    return said


@scene(deadline=60)
async def test_a_legio_at_work_is_well_and_its_figures_are_those_of_its_record(tmp_path: Path) -> None:
    async with seen(tmp_path) as (made, client):
        await made.ask("@vorenus @pullo ave", answers=2)
        alive, ready = await client.get("/healthz"), await client.get("/readyz")
        figures = dict(re.findall(r"^(legio_\S+) (\S+)$", (await client.get("/metrics")).text, re.MULTILINE))
        said = health(made.castra.root, port=client.base_url.port or 0)
    assert (alive.status_code, ready.status_code) == (200, 200)
    assert "is alive" in said
    assert figures['legio_turns{state="answered"}'] == "2.0"
    assert figures['legio_turn_seconds_count{outcome="answered"}'] == "2.0"
    assert float(figures['legio_tokens_total{agent="pullo",kind="output"}']) > 0
    assert figures["legio_live_sessions"] == "2.0"
    assert figures["legio_outbox_depth"] == "0.0"
    own, started = (
        float(figures[f'legio_resident_memory_bytes{{of="{of}"}}']) for of in ("legio", "started")
    )
    assert started > own > 10_000_000


@scene(deadline=60)
async def test_a_token_that_is_revoked_is_seen_and_when_it_is_valid_again_nothing_is_lost(
    tmp_path: Path,
) -> None:
    async with seen(tmp_path) as (made, client):
        await made.ask("ave")
        before = {message.id for message in made.telegram.messages}
        made.telegram.revoke()
        made.telegram.say("echo said meanwhile")
        async with asyncio.timeout(SECONDS):
            while not (revoked := await reasons(client)):  # noqa: ASYNC110  (asked over the wire)
                await asyncio.sleep(TICK_SECONDS)
        made.telegram.reinstate()
        (answer,) = await made.answers(before, 1)
        after = await reasons(client)
    assert revoked == ["Telegram does not know the bot's token any more: was it revoked?"]
    assert body(answer) == "said meanwhile"
    assert after == []


@scene(deadline=60)
async def test_a_credential_that_is_refused_is_told_at_the_start_and_once(tmp_path: Path) -> None:
    async with world(tmp_path) as made:
        made.model.key = "another"
        async with made.legio():
            (told,) = await made.answers(set(), 1)
            (failed,) = await made.ask("ave")
    assert told.text.plain == REFUSED
    assert failed.text.plain == REFUSED.replace("Legio", "legatus", 1)
    assert [message.text.plain for message in made.telegram.answers].count(REFUSED) == 1


@scene(deadline=60)
async def test_a_rate_limit_is_told_with_the_time_when_it_ends(tmp_path: Path) -> None:
    async with world(tmp_path) as made:
        made.config = replace(made.config, claude=replace(made.config.claude, max_retries=1))
        async with made.legio():
            for _ in range(2):
                made.model.script_next(Failure(429, retry_after=2))
            (failed,) = await made.ask("ave")
            (answer,) = await made.ask("echo again")
    found = re.fullmatch(
        r"⛔ legatus: the model's rate limit is used up until (\d\d:\d\d UTC on \d+ \w+)\."
        r" Write again then\.",
        failed.text.plain,
    )
    assert found, failed.text.plain
    soon = [datetime.now(UTC) + timedelta(seconds=seconds) for seconds in (0, 60, 120)]
    assert found[1] in {f"{each:%H:%M} UTC on {each.day} {each:%B}" for each in soon}
    assert body(answer) == "again"
