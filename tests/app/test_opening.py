"""The whole, built and taken down: what is there while it works, and what is left when it does not."""

import os
import socket
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import httpx
import pytest

from legio.app import Deployment, legion
from legio.clock import SystemClock
from legio.config import ConsoleConfig, Secrets
from legio.errors import CastraError, ConfigurationError, LegioError, Refused
from legio.nuntius import CAESAR as CAESARS_NAME
from legio.nuntius import Nuntius, Tally
from legio.ports import Letter
from legio.praetorium import open_praetorium
from legio.praetorium.lock import holder
from tests.bot.updates import message, update
from tests.console.access.rig import Browser
from tests.e2e.world import CAESAR, TOKEN, World, body, world
from tests.scenes import scene, until


async def tally(made: World) -> Tally:
    async with open_praetorium(made.castra.database, SystemClock()) as praetorium:
        return await praetorium.turns.tally()


# --- the whole ------------------------------------------------------------------------------------------


@scene(deadline=60)
async def test_while_it_works_the_castra_is_locked_and_the_heart_beats(tmp_path: Path) -> None:
    async with world(tmp_path) as made:
        async with made.legio():
            assert holder(made.castra.lock) == os.getpid()
            os.utime(made.castra.lock, (1, 1))
            await made.ask("/version")
            await until(lambda: made.castra.lock.stat().st_mtime > 1, what="a sign of life")
        assert holder(made.castra.lock) is None


@scene
async def test_the_menu_shows_every_command_to_caesar_alone(tmp_path: Path) -> None:
    async with world(tmp_path) as made, made.legio():
        await until(lambda: made.telegram.commands, what="the menu")
        ((scope, _), menu), *others = made.telegram.commands.items()
    assert scope == f"chat {CAESAR}"
    assert {"start", "help", "status", "stop", "version"} <= {command["command"] for command in menu}
    assert others == []


@scene(deadline=60)
async def test_what_was_received_before_the_start_is_answered(tmp_path: Path) -> None:
    async with world(tmp_path) as made:
        letter = update("message", message("echo from before", sender=CAESAR), number=3).to_json()
        question = Nuntius("0b0e", CAESARS_NAME, "echo left open", ("vorenus",), datetime.now(UTC))
        async with open_praetorium(made.castra.database, SystemClock()) as praetorium:
            await praetorium.inbox.put(Letter(3, letter, datetime.now(UTC)))
            await praetorium.inbox.put(Letter(2, "{}", datetime.now(UTC)))
            await praetorium.turns.admit(question, ["vorenus"], update_id=2)
        async with made.legio():
            await until(
                lambda: {"from before", "left open"} <= {body(answer) for answer in made.telegram.answers},
                deadline=20,
                what="both answers",
            )
        ends = await tally(made)
    assert (ends.received, ends.answered) == (2, 2)


@scene(deadline=60)
async def test_a_turn_that_runs_at_the_end_is_not_lost(tmp_path: Path) -> None:
    async with world(tmp_path) as made:
        async with made.legio():
            made.telegram.say("@vorenus slow 60")
            await until(lambda: made.model.running, deadline=20, what="a running turn")
        ends = await tally(made)
    assert ends.received == 1
    assert ends.holds


@scene(deadline=60)
async def test_a_model_server_of_caesars_own_needs_no_credential(tmp_path: Path) -> None:
    async with world(tmp_path) as made, legion(Deployment(made.config, Secrets(), CAESAR, TOKEN)):
        (answer,) = await made.ask("echo here")
    assert body(answer) == "here"
    assert {request.credential for request in made.model.requests} == {"none"}


@scene(deadline=60)
async def test_its_page_is_served_and_opened_by_a_link(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    async with (
        world(tmp_path, console=ConsoleConfig(port)) as made,
        legion(Deployment(made.config, made.secrets, CAESAR, TOKEN)) as running,
        httpx.AsyncClient(base_url=running.site.url, trust_env=False, verify=False) as client,
    ):
        caesar = Browser(client, running.site.url)
        stranger = await caesar.get("/camp/now/agents")
        assert (await caesar.opens(await running.site.link())).status_code == 200
        agents = (await caesar.get("/camp/now/agents")).json()["agents"]
    assert running.site.url == f"http://127.0.0.1:{port}"
    assert stranger.status_code == 401
    assert "vorenus" in [agent["name"] for agent in agents]


@scene(deadline=60)
async def test_where_its_page_cannot_be_served_caesar_is_still_answered(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        console = ConsoleConfig(taken.getsockname()[1])
        async with (
            world(tmp_path, console=console) as made,
            legion(Deployment(made.config, made.secrets, CAESAR, TOKEN)) as running,
        ):
            (answer,) = await made.ask("/version")
            with pytest.raises(Refused, match="the console is not served"):
                await running.site.link()
    assert "Legio" in answer.text.plain


# --- what does not come up ------------------------------------------------------------------------------


@scene
async def test_a_start_that_fails_leaves_nothing_open(tmp_path: Path) -> None:
    async with world(tmp_path) as made:
        with pytest.raises(ConfigurationError, match="Telegram does not know this token"):
            async with legion(Deployment(made.config, Secrets(), CAESAR, "77:" + "B" * 35)):
                pass
        assert holder(made.castra.lock) is None
        async with made.legio():
            await made.ask("/version")


@scene
async def test_a_praetorium_that_cannot_be_trusted_ends_the_start_before_telegram_is_asked(
    tmp_path: Path,
) -> None:
    async with world(tmp_path) as made:
        made.castra.database.write_bytes(b"no database" * 1000)
        with pytest.raises(LegioError, match="this is not a praetorium, or it is damaged"):
            async with made.legio():
                pass
        assert holder(made.castra.lock) is None
    assert not made.telegram.calls


@scene
async def test_a_castra_without_a_legatus_is_refused_before_anything_is_made(tmp_path: Path) -> None:
    async with world(tmp_path) as made:
        nowhere = replace(made.config, castra=tmp_path / "nowhere")
        with pytest.raises(CastraError, match="there is no Legatus in this castra"):
            async with legion(Deployment(nowhere, Secrets(), CAESAR, TOKEN)):
                pass
    assert not (tmp_path / "nowhere").exists()


@scene(deadline=60)
async def test_a_legatus_behind_a_link_is_told_in_the_chat(tmp_path: Path) -> None:
    async with world(tmp_path) as made:
        post = made.castra.post("legatus")
        post.rename(tmp_path / "elsewhere")
        post.symlink_to("legatus")  # it leads to itself
        async with made.legio():
            (failed,) = await made.ask("ave")
    assert "symbolic links are not followed in the castra" in failed.text.plain
