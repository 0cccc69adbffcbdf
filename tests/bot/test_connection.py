"""The line to the real Bot API server: up whatever the network does first, and down in order."""

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route
from structlog.testing import capture_logs
from telegram import Update

from legio.bot.connection import (
    SIGN_SECONDS,
    Line,
    TelegramApplication,
    application,
    bot_name,
    listening,
    reached,
    show_menu,
)
from legio.bot.intake import CommittingQueue
from legio.bot.polling import RETRY_SECONDS
from legio.bot.receiver import Receiver
from legio.clock import SystemClock
from legio.config import Address, TelegramConfig
from legio.errors import ConfigurationError, LegioError
from legio.local.botapi.faults import Trouble
from legio.local.botapi.message import Person
from legio.local.botapi.server import bot_api_server
from legio.local.botapi.state import BotApiState
from legio.loopback import serving
from legio.ports import Clock
from legio.praetorium import open_praetorium
from tests.clocks import FakeClock
from tests.scenes import scene, until

CAESAR = 77
TOKEN = "123456:" + "A" * 35
NOBODY = TelegramConfig(base_url="http://127.0.0.1:9/bot", base_file_url="http://127.0.0.1:9/file/bot")


class Hasty(SystemClock):
    """Notes how long it is asked to wait, and does not."""

    def __init__(self) -> None:
        self.waits: list[float] = []

    async def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)
        await asyncio.sleep(0)


@dataclass
class Wire:
    """A bot before its server, with what it heard."""

    telegram: BotApiState
    line: Line
    app: TelegramApplication
    receiver: Receiver
    beats: list[None]
    heard: list[str] = field(default_factory=list)

    async def take(self, update: Update) -> None:
        self.heard.append(update.message.text if update.message and update.message.text else "")

    def asked(self, method: str) -> int:
        return sum(call.method == method for call in self.telegram.calls)


async def silent(_: str) -> None: ...


@contextlib.asynccontextmanager
async def wire(
    folder: Path, clock: Clock | None = None, *, webhook: int = 0, token: str = TOKEN, url: str = ""
) -> AsyncIterator[Wire]:
    """A bot that is not connected yet; `webhook` is the port on which it shall be called."""
    telegram = BotApiState(token=TOKEN, owner_id=CAESAR)
    beats: list[None] = []
    async with (
        bot_api_server(telegram) as page,
        open_praetorium(folder / "p.db", SystemClock()) as praetorium,
    ):
        config = TelegramConfig(
            base_url=f"{url or page}/bot",
            webhook_url=f"http://127.0.0.1:{webhook}/hook" if webhook else None,
            webhook_listen=Address("127.0.0.1", webhook),
        )
        line = Line(config, token, clock or SystemClock())
        receiver = Receiver(line.clock, heartbeat=lambda: beats.append(None), tell=silent)
        queue = CommittingQueue(praetorium.inbox, SystemClock(), caesar_id=CAESAR)
        yield Wire(telegram, line, application(line, queue), receiver, beats)


@contextlib.asynccontextmanager
async def at_work(made: Wire) -> AsyncIterator[None]:
    async with reached(made.line, made.app), listening(made.line, made.app, made.receiver, made.take):
        yield


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port: int = taken.getsockname()[1]
    return port


# --- coming up ------------------------------------------------------------------------------------------


@scene
async def test_it_tries_until_telegram_answers_and_says_each_time_when_it_will_try_again(
    tmp_path: Path,
) -> None:
    clock = Hasty()
    async with wire(tmp_path, clock) as made:
        made.telegram.faults.arm("getMe", Trouble.BAD_GATEWAY, times=len(RETRY_SECONDS) + 1)
        with capture_logs() as logs:
            async with reached(made.line, made.app):
                assert made.app.bot.username == "legio_bot"
    assert clock.waits == [*RETRY_SECONDS, RETRY_SECONDS[-1]]
    assert [(entry["event"], entry["again_in"]) for entry in logs] == [
        ("telegram.unreachable", seconds) for seconds in clock.waits
    ]


@scene
async def test_it_waits_as_long_as_telegram_asks(tmp_path: Path) -> None:
    clock = Hasty()
    async with wire(tmp_path, clock) as made:
        made.telegram.faults.arm("getMe", Trouble.FLOOD, retry_after=7)
        async with reached(made.line, made.app):
            pass
    assert clock.waits == [7]


@scene
async def test_a_token_that_telegram_refuses_is_told_and_no_connection_stays_open(tmp_path: Path) -> None:
    async with wire(tmp_path, token="123456:" + "B" * 35) as made:
        with pytest.raises(ConfigurationError, match="Telegram does not know this token") as refused:
            async with reached(made.line, made.app):
                pass
        with pytest.raises(RuntimeError, match="not initialized"):
            await made.app.bot.request.do_request("http://127.0.0.1:9/", "GET")
    assert "BBBB" not in str(refused.value)


Answer = Callable[[], Response]


@contextlib.asynccontextmanager
async def answering(*answers: Answer) -> AsyncIterator[str]:
    """A server that is no Bot API: it gives these answers in turn, the last one for ever."""
    left = list(answers)

    async def answer(_: Request) -> Response:
        return left.pop(0)() if len(left) > 1 else left[0]()

    async with serving(Starlette(routes=[Route("/{path:path}", answer, methods=["POST"])])) as url:
        yield url


def portal() -> Response:
    return HTMLResponse("<html>Please log in to the hotel's network</html>")


def forbidden() -> Response:
    return JSONResponse({"ok": False, "error_code": 403, "description": "Forbidden"}, 403)


def myself() -> Response:
    person = {"id": 123456, "is_bot": True, "first_name": "Legio", "username": "legio_bot"}
    return JSONResponse({"ok": True, "result": person})


@scene
async def test_what_is_not_telegram_is_a_network_that_is_down(tmp_path: Path) -> None:
    clock = Hasty()
    async with (
        answering(portal, forbidden, myself) as url,
        wire(tmp_path, clock, url=url) as made,
        reached(made.line, made.app),
    ):
        assert made.app.bot.username == "legio_bot"
    assert clock.waits == [1, 2]


@scene
async def test_what_telegram_refuses_for_good_names_the_setting(tmp_path: Path) -> None:
    def refusal() -> Response:
        return JSONResponse({"ok": False, "error_code": 400, "description": "Bad Request: no"}, 400)

    async with answering(refusal) as url, wire(tmp_path, url=url) as made:
        with pytest.raises(LegioError) as refused:
            async with reached(made.line, made.app):
                pass
    assert str(refused.value) == "[telegram] base_url: Telegram refused it: No. Correct it."


# --- polling --------------------------------------------------------------------------------------------


@scene
async def test_updates_are_taken_one_at_a_time_and_in_order(tmp_path: Path) -> None:
    async with wire(tmp_path) as made:
        for word in ("one", "two", "three"):
            made.telegram.say(word)
        made.telegram.say("not mine", user=Person(666, "Stranger"))
        async with at_work(made):
            made.telegram.say("four")
            await until(lambda: len(made.heard) == 4)
    assert made.heard == ["one", "two", "three", "four"]
    assert made.beats


@scene
async def test_a_webhook_of_an_earlier_life_is_taken_down(tmp_path: Path) -> None:
    async with wire(tmp_path) as made:
        async with made.app.bot:
            await made.app.bot.set_webhook("http://127.0.0.1:9/hook")
        async with at_work(made):
            made.telegram.say("one")
            await until(lambda: made.heard)
    assert not made.telegram.webhook.active


@scene
async def test_a_token_that_is_not_known_for_a_moment_leaves_the_bot_hearing(tmp_path: Path) -> None:
    async with wire(tmp_path) as made, at_work(made):
        known, made.telegram.token = made.telegram.token, "123456:" + "B" * 35
        made.telegram.say("one")
        await until(lambda: made.telegram.refused)
        made.telegram.token = known
        await until(lambda: made.heard)
    assert made.heard == ["one"]


@scene
async def test_the_end_does_not_wait_for_a_telegram_that_hangs(tmp_path: Path) -> None:
    async with wire(tmp_path) as made:
        loop = asyncio.get_running_loop()
        async with at_work(made):
            await until(lambda: made.asked("getUpdates"))
            made.telegram.faults.arm("getUpdates", Trouble.HANG, times=9)
            start = loop.time()
        assert loop.time() - start < 4


# --- being called ---------------------------------------------------------------------------------------


@scene
async def test_a_webhook_brings_what_was_said(tmp_path: Path) -> None:
    async with wire(tmp_path, SystemClock(), webhook=free_port()) as made, at_work(made):
        made.telegram.say("one")
        await until(lambda: made.heard)
    assert made.heard == ["one"]
    assert not made.asked("getUpdates")


@scene
async def test_a_quiet_webhook_gives_signs_of_life(tmp_path: Path) -> None:
    clock = FakeClock()
    async with wire(tmp_path, clock, webhook=free_port()) as made, at_work(made):
        await until(lambda: len(made.beats) == 1)
        await until(lambda: clock.sleepers)
        clock.advance(SIGN_SECONDS)
        await until(lambda: len(made.beats) == 2)
        await until(lambda: clock.sleepers)
        made.telegram.faults.arm("getWebhookInfo", Trouble.BAD_GATEWAY)
        with capture_logs() as logs:
            clock.advance(SIGN_SECONDS)
            await until(lambda: clock.sleepers)
    assert len(made.beats) == 2
    assert [entry["event"] for entry in logs] == ["telegram.trouble"]


@scene
async def test_what_telegram_cannot_deliver_is_said(tmp_path: Path) -> None:
    clock = FakeClock()
    async with wire(tmp_path, clock, webhook=free_port()) as made, at_work(made):
        await until(lambda: clock.sleepers)
        await made.app.bot.set_webhook(f"http://127.0.0.1:{free_port()}/elsewhere")
        made.telegram.say("one")
        await until(lambda: "last_error_message" in made.telegram.webhook.info())
        with capture_logs() as logs:
            clock.advance(SIGN_SECONDS)
            await until(lambda: logs)
    assert logs[0]["event"] == "telegram.trouble"
    assert logs[0]["error"].startswith("NetworkError: undelivered: Connection failed: ")


@scene
async def test_a_port_that_is_taken_is_told(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        async with wire(tmp_path, webhook=port) as made:
            with pytest.raises(LegioError, match=f"127.0.0.1:{port} cannot be listened on"):
                async with at_work(made):
                    pass


# --- beside it ------------------------------------------------------------------------------------------


@scene
async def test_the_menu_is_set_in_caesars_chat_alone(tmp_path: Path) -> None:
    async with wire(tmp_path) as made, reached(made.line, made.app):
        await show_menu(made.app.bot, CAESAR, [("help", "All commands")])
    assert list(made.telegram.commands) == [("chat 77", "")]


@scene
async def test_a_menu_that_cannot_be_set_is_only_logged(tmp_path: Path) -> None:
    async with wire(tmp_path) as made, reached(made.line, made.app):
        made.telegram.faults.arm("setMyCommands", Trouble.BAD_GATEWAY)
        with capture_logs() as logs:
            await show_menu(made.app.bot, CAESAR, [("help", "All commands")])
    assert [entry["event"] for entry in logs] == ["menu.unset"]


def asked(config: TelegramConfig, token: str = TOKEN) -> Awaitable[str]:
    return bot_name(Line(config, token, SystemClock()))


@scene
async def test_the_bots_name_is_asked_once(tmp_path: Path) -> None:
    async with wire(tmp_path) as made:
        assert await asked(made.line.config) == "legio_bot"
        with pytest.raises(ConfigurationError, match="Telegram does not know this token"):
            await asked(made.line.config, "123456:" + "B" * 35)
    with pytest.raises(LegioError, match=r"Telegram could not be asked \(.*\)\. Look at the network"):
        await asked(NOBODY)
