"""The command line as its user meets it: a real process, its output and exit code, its end by signals."""

import signal
import socket
from pathlib import Path

import httpx
import pytest

from legio.local.botapi.faults import Trouble
from legio.local.botapi.server import bot_api_server
from legio.local.botapi.webhook import SECRET_HEADER
from legio.templates import init
from tests.entering import address, entered, link, stranger
from tests.processes import NOWHERE, TOKEN, legio, said, station
from tests.scenes import scene, until


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port: int = taken.getsockname()[1]
    return port


# --- what ends by itself --------------------------------------------------------------------------------


@scene
async def test_an_interrupt_ends_a_command_with_130(tmp_path: Path) -> None:
    async with station(tmp_path) as made:
        made.telegram.faults.arm("getMe", Trouble.HANG)
        async with legio("doctor", folder=tmp_path, environment=made.environment) as process:
            await made.telegram.wait_for(lambda: made.telegram.calls)
            process.signal(signal.SIGINT)
            assert await process.ends() == 130
    assert process.errors == "legio: interrupted.\n"


# --- serving --------------------------------------------------------------------------------------------


@scene(deadline=60)
async def test_run_serves_until_sigterm_and_leaves_no_process_behind(tmp_path: Path) -> None:
    async with station(tmp_path) as made, made.run() as process:
        (answer,) = await made.ask("@vorenus ave")
        assert len(process.family()) > 1
        process.signal(signal.SIGTERM)
        assert await process.ends(seconds=8) == 0
        assert process.family() == []
    assert answer.startswith("⚔️ vorenus — ")
    assert process.stdout == [
        f"Legio serves Caesar 77 on Telegram; its castra is {tmp_path}/castra. Ctrl-C stops it.\n"
    ]
    assert "legio.stopped" in process.errors
    assert "Traceback" not in process.errors


@scene
async def test_run_ends_with_130_on_an_interrupt(tmp_path: Path) -> None:
    async with station(tmp_path) as made, made.run() as process:
        process.signal(signal.SIGINT)
        assert await process.ends(seconds=5) == 130
    assert "legio.stopped" in process.errors


@scene(deadline=60)
async def test_a_second_signal_forces(tmp_path: Path) -> None:
    async with station(tmp_path) as made, made.run() as process:
        made.telegram.say("@vorenus slow 60")
        await until(lambda: made.model.running, deadline=20, what="a running turn")
        process.signal(signal.SIGTERM)
        await process.says("legio.stopping")
        process.signal(signal.SIGTERM)
        assert await process.ends(seconds=2) == 130
        await until(lambda: process.family() == [], what="the end of the CLI")
    assert "legio.stopped" not in process.errors


@scene(deadline=60)
async def test_what_was_asked_for_before_an_end_by_force_is_answered_after_the_next_start(
    tmp_path: Path,
) -> None:
    async with station(tmp_path) as made:
        async with made.run() as process:
            made.telegram.say("@vorenus slow 2 then echo kept")
            await until(lambda: made.model.running, deadline=20, what="a running turn")
            process.signal(signal.SIGKILL)
            assert await process.ends() == -signal.SIGKILL
        async with made.run():
            await until(
                lambda: any(answer.text.plain.endswith("kept") for answer in made.telegram.answers),
                deadline=20,
            )


@scene(deadline=60)
async def test_without_a_token_legio_is_local_and_says_so(tmp_path: Path) -> None:
    init(tmp_path)
    async with legio(folder=tmp_path, environment={"LEGIO_LOCAL_PORT": "0"}) as process:
        announcement = await process.says("Legio is at ")
        async with entered(announcement) as page:
            shown = (await page.get("/chat/state")).status_code
        process.signal(signal.SIGTERM)
        assert await process.ends(seconds=5) == 0
    assert shown == 200
    assert process.stdout == [
        "No TELEGRAM_BOT_TOKEN: this is `legio local`, on this machine alone.\n",
        (
            f"Legio is at {link(announcement)} - open it in a browser. No model credential is set: a scripted"
            ' recruit answers. Ask him for "help". Ctrl-C stops it.\n'
        ),
    ]
    assert link(announcement).partition("#")[2] not in process.errors


@scene(deadline=60)
async def test_legio_login_opens_the_page_of_the_local_one_a_second_time(tmp_path: Path) -> None:
    init(tmp_path)
    environment = {"LEGIO_LOCAL_PORT": str(free_port())}
    async with legio("local", folder=tmp_path, environment=environment) as process:
        first = await process.says("Legio is at ")
        code, second = await said("login", "--local", folder=tmp_path, environment=environment)
        assert (code, address(second)) == (0, address(first))
        async with entered(second) as page:
            assert (await page.get("/chat/state")).status_code == 200
        async with stranger(first) as late:
            given = {"token": link(first).partition("#")[2]}
            answer = await late.post("/login/link", json=given, headers={"Origin": address(first)})
    assert answer.status_code == 403


@scene(deadline=60)
async def test_run_prints_where_the_camp_is_seen_in_a_browser(tmp_path: Path) -> None:
    async with station(tmp_path) as made, made.run(LEGIO_CONSOLE_PORT=str(free_port())) as process:
        announcement = await process.says("The camp in a browser: ")
        async with entered(announcement) as page, stranger(announcement) as other:
            rooms = (await page.get("/rooms")).json()["rooms"]
            assert (await other.get("/rooms")).status_code == 401
    assert [each["name"] for each in rooms] == ["now", "feed", "praetorium", "memoria", "agents", "costs"]
    assert process.stdout[1:] == [f"The camp in a browser: {link(announcement)}\n"]


@scene(deadline=60)
async def test_where_the_port_of_the_page_is_taken_caesar_is_served_without_it(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        async with station(tmp_path) as made, made.run(LEGIO_CONSOLE_PORT=port) as process:
            (answer,) = await made.ask("echo still here")
    assert answer.endswith("still here")
    assert len(process.stdout) == 1
    assert "console.unserved" in process.errors


@scene
async def test_with_a_token_legio_without_a_command_is_run(tmp_path: Path) -> None:
    init(tmp_path)
    code, output = await said(folder=tmp_path, environment={"TELEGRAM_BOT_TOKEN": TOKEN})
    assert code == 1
    assert output.startswith("legio: legio run: the configuration cannot be used:\n  - ANTHROPIC_API_KEY: ")


# --- the network ----------------------------------------------------------------------------------------


@scene(deadline=60)
async def test_legio_comes_up_by_itself_when_telegram_is_down_at_the_start(tmp_path: Path) -> None:
    port = free_port()
    async with station(tmp_path) as made:
        environment = made.environment | {"LEGIO_TELEGRAM_BASE_URL": f"http://127.0.0.1:{port}"}
        async with legio("run", folder=tmp_path, environment=environment) as process:
            await process.says("telegram.unreachable")
            assert process.stdout == []
            async with bot_api_server(made.telegram, port=port):
                await process.says("Ctrl-C stops it.")
                (answer,) = await made.ask("echo at last")
                process.signal(signal.SIGTERM)
                assert await process.ends(seconds=8) == 0
    assert answer.endswith("at last")


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 0), (signal.SIGINT, 130)])
@scene
async def test_a_signal_ends_a_start_that_waits_for_the_network(
    tmp_path: Path, number: signal.Signals, code: int
) -> None:
    init(tmp_path)
    async with legio("run", folder=tmp_path, environment=NOWHERE) as process:
        await process.says("telegram.unreachable")
        process.signal(number)
        assert await process.ends(seconds=2) == code
    assert process.stdout == []
    assert "Traceback" not in process.errors


@scene(deadline=60)
async def test_a_telegram_that_hangs_does_not_hold_up_the_end(tmp_path: Path) -> None:
    async with station(tmp_path) as made, made.run() as process:
        await made.telegram.wait_for(lambda: [it for it in made.telegram.calls if it.method == "getUpdates"])
        made.telegram.faults.arm("getUpdates", Trouble.HANG, times=9)
        process.signal(signal.SIGTERM)
        assert await process.ends(seconds=5) == 0
    assert "legio.stopped" in process.errors


@scene(deadline=60)
async def test_a_webhook_brings_messages_and_nobody_else_can_pose_as_telegram(tmp_path: Path) -> None:
    port = free_port()
    address = f"http://127.0.0.1:{port}/hook"
    async with station(tmp_path) as made:
        webhook = {
            "LEGIO_TELEGRAM_WEBHOOK_URL": address,
            "LEGIO_TELEGRAM_WEBHOOK_LISTEN": f"127.0.0.1:{port}",
        }
        async with made.run(**webhook), httpx.AsyncClient(trust_env=False) as stranger:
            (answer,) = await made.ask("echo by webhook")
            forged = {"update_id": 99, "message": {"text": "/stop"}}
            bare = await stranger.post(address, json=forged)
            guessed = await stranger.post(address, json=forged, headers={SECRET_HEADER: "guessed"})
        methods = {call.method for call in made.telegram.calls}
    assert answer.endswith("by webhook")
    assert (bare.status_code, guessed.status_code) == (403, 403)
    assert "setWebhook" in methods
    assert "getUpdates" not in methods
