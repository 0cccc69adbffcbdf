"""The line to Telegram: opened even while the network is down, polled or called back, closed in order."""

import asyncio
import contextlib
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any
from urllib.parse import urlsplit

import structlog
from telegram import BotCommand, BotCommandScopeChat, Update
from telegram.error import BadRequest, InvalidToken, NetworkError, RetryAfter, TelegramError
from telegram.ext import Application, ApplicationBuilder, ContextTypes, ExtBot, TypeHandler, Updater

from legio.bot.gate import ALLOWED_UPDATES
from legio.bot.polling import RETRY_SECONDS, Polling, PollingRequest
from legio.bot.receiver import Receiver
from legio.bot.sending import seconds_asked
from legio.config import Address, TelegramConfig
from legio.errors import ConfigurationError, LegioError, Problem
from legio.ports import Clock

log = structlog.get_logger()

TelegramApplication = Application[Any, Any, Any, Any, Any, Any]

SIGN_SECONDS = 30.0
"""How often Telegram is asked for a sign of life when it is not polled."""
GOODBYE_SECONDS = 2.0
"""How long the last word to Telegram may take; the updates it would acknowledge are committed already."""


@dataclass(frozen=True, slots=True)
class Line:
    """How Telegram is reached, and whose bot it is."""

    config: TelegramConfig
    token: str
    clock: Clock


def application(line: Line, queue: "asyncio.Queue[object]") -> TelegramApplication:
    """PTB's application over `queue`, with nothing started yet."""
    return (
        ApplicationBuilder()
        .token(line.token)
        .base_url(line.config.base_url)
        .base_file_url(line.config.base_file_url)
        .get_updates_request(PollingRequest())
        .update_queue(queue)
        .build()
    )


@contextlib.asynccontextmanager
async def reached(line: Line, app: TelegramApplication) -> AsyncIterator[None]:
    """Inside, the bot can send. Waits while the network is down.

    Raises `ConfigurationError` when Telegram refuses the token.
    """
    try:
        await _insist(line, app.initialize, where="[telegram] base_url")
        yield
    finally:
        await app.shutdown()
        await app.bot.shutdown()  # an application that never came up leaves its bot's connections open


@contextlib.asynccontextmanager
async def overheard(
    line: Line, queue: "asyncio.Queue[object]", receiver: Receiver
) -> AsyncIterator[ExtBot[Any]]:
    """Inside, updates are polled into `queue` and nothing else is done with them, webhook or not.

    What came before is dropped; what `queue` has taken is acknowledged at the end. Raises as `reached` does.
    """
    app = application(line, queue)
    async with reached(line, app):
        drop = partial(app.bot.delete_webhook, drop_pending_updates=True)
        await _insist(line, drop, where="[telegram] base_url")
        async with _polled(line, app, receiver):
            yield app.bot


@contextlib.asynccontextmanager
async def listening(
    line: Line, app: TelegramApplication, receiver: Receiver, take: Callable[[Update], Awaitable[None]]
) -> AsyncIterator[None]:
    """Inside, every update is given to `take`, one at a time and in order; by polling, or by webhook."""

    async def handle(update: Update, _: ContextTypes.DEFAULT_TYPE) -> None:
        await take(update)

    app.add_handler(TypeHandler(Update, handle))
    await app.start()
    try:
        async with (
            _polled(line, app, receiver)
            if line.config.webhook_url is None
            else _called(line, app, receiver, line.config.webhook_url)
        ):
            yield
    finally:
        await app.stop()


async def show_menu(bot: ExtBot[Any], caesar_id: int, commands: Sequence[tuple[str, str]]) -> None:
    """Set the command menu in Caesar's chat alone; a failure is logged, as all commands work without it."""
    try:
        await bot.set_my_commands(
            [BotCommand(name, meaning) for name, meaning in commands], scope=BotCommandScopeChat(caesar_id)
        )
    except TelegramError as error:
        log.warning("menu.unset", error=str(error))


async def bot_name(line: Line) -> str:
    """Ask Telegram once who the bot is; raises `LegioError` with what Telegram or the network said."""
    bot = ExtBot[None](line.token, base_url=line.config.base_url)
    try:
        await bot.initialize()
    except InvalidToken as error:
        raise _refused_token() from error
    except TelegramError as error:
        raise LegioError(
            f"Telegram could not be asked ({error}).", remedy="Look at the network and [telegram] base_url."
        ) from error
    else:
        return bot.username
    finally:
        await bot.shutdown()


async def _insist(line: Line, attempt: Callable[[], Awaitable[object]], *, where: str) -> None:
    """Try until Telegram answers; raises `LegioError` for what it refuses, naming the setting `where`."""
    waits = iter(RETRY_SECONDS)
    while True:
        try:
            await attempt()
        except InvalidToken as error:
            raise _refused_token() from error
        except BadRequest as error:
            raise LegioError(f"Telegram refused it: {error}.", where=where, remedy="Correct it.") from error
        except RetryAfter as error:
            wait = seconds_asked(error)
        except TelegramError as error:
            wait = next(waits, RETRY_SECONDS[-1])
            log.warning("telegram.unreachable", error=str(error), again_in=wait)
        else:
            return
        await line.clock.sleep(wait)


@contextlib.asynccontextmanager
async def _polled(line: Line, app: TelegramApplication, receiver: Receiver) -> AsyncIterator[None]:
    # A webhook of an earlier life would keep all updates to itself.
    await _insist(line, app.bot.delete_webhook, where="[telegram] base_url")
    polling = Polling(app.bot, app.update_queue, line.clock, receiver)
    async with _beside("telegram:polling", polling.run()):
        yield
    await _within(GOODBYE_SECONDS, polling.acknowledge())


@contextlib.asynccontextmanager
async def _called(line: Line, app: TelegramApplication, receiver: Receiver, url: str) -> AsyncIterator[None]:
    updater = app.updater
    assert updater is not None
    try:
        await _be_called(line, updater, url)
        async with _beside("telegram:signs", _signs_of_life(line, app.bot, receiver)):
            yield
    finally:
        if updater.running:
            await _within(GOODBYE_SECONDS, updater.stop())


async def _be_called(line: Line, updater: Updater, url: str) -> None:
    address = line.config.webhook_listen
    await _bindable(address)
    # Only Telegram knows it, so nobody else can pose as Telegram.
    secret = secrets.token_urlsafe(32)
    register = partial(updater.bot.set_webhook, url, allowed_updates=ALLOWED_UPDATES, secret_token=secret)
    # PTB registers it once more, and would say nothing of why it tries for ever.
    await _insist(line, register, where="[telegram] webhook_url")
    await updater.start_webhook(
        listen=address.host,
        port=address.port,
        url_path=urlsplit(url).path.lstrip("/"),
        webhook_url=url,
        secret_token=secret,
        bootstrap_retries=-1,
        allowed_updates=ALLOWED_UPDATES,
    )


async def _bindable(address: Address) -> None:
    """Found out before Telegram is told to call here."""
    try:
        server = await asyncio.start_server(lambda *_: None, address.host, address.port)
    except OSError as error:
        reason = str(error.strerror).rpartition(": ")[2]
        raise LegioError(
            f"{address} cannot be listened on ({reason}).",
            where="[telegram] webhook_listen",
            remedy="End the program that uses it, or choose another host or port of this machine.",
        ) from error
    server.close()
    await server.wait_closed()


async def _signs_of_life(line: Line, bot: ExtBot[Any], receiver: Receiver) -> None:
    """Ask Telegram now and then how the delivery goes: a quiet Caesar is no broken line."""
    while True:
        try:
            delivery = await bot.get_webhook_info()
        except TelegramError as error:
            await receiver.failed(error)
        else:
            # The last error is remembered long after it is over; what waits is the sign that it is not.
            if delivery.last_error_message and delivery.pending_update_count:
                await receiver.failed(NetworkError(f"undelivered: {delivery.last_error_message}"))
            else:
                await receiver.heard()
        await line.clock.sleep(SIGN_SECONDS)


@contextlib.asynccontextmanager
async def _beside(name: str, body: Coroutine[Any, Any, None]) -> AsyncIterator[None]:
    """Inside, `body` runs as a task of that name."""
    task = asyncio.create_task(body, name=name)
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def _within(seconds: float, goodbye: Coroutine[Any, Any, None]) -> None:
    """Wait for it no longer than that."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await goodbye


def _refused_token() -> ConfigurationError:
    problem = Problem(
        "TELEGRAM_BOT_TOKEN",
        "Telegram does not know this token.",
        "Ask @BotFather for the bot's token and set the variable to it.",
    )
    return ConfigurationError((problem,), where="environment")
