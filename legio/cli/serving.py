"""The commands that serve Caesar: on Telegram, or on this machine alone, until a signal."""

import argparse
import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager

from legio import logs
from legio.app import Deployment, legion
from legio.cli.command import INTERRUPTED, configured
from legio.cli.pairing import WELCOME, pair
from legio.config import Config, Secrets
from legio.embedded import embedded
from legio.errors import ConfigurationError, Problem


def start(arguments: argparse.Namespace) -> int:
    """Serve on Telegram if there is a bot, else on this machine, and say so."""
    config, secrets = configured(arguments)
    if secrets.telegram_bot_token:
        return _serve(_on_telegram(config, secrets), secrets)
    print("No TELEGRAM_BOT_TOKEN: this is `legio local`, on this machine alone.", flush=True)
    return _serve(embedded(config, secrets), secrets)


def run(arguments: argparse.Namespace) -> int:
    """Serve on Telegram."""
    config, secrets = configured(arguments)
    return _serve(_on_telegram(config, secrets), secrets)


def local(arguments: argparse.Namespace) -> int:
    """Serve a chat page on this machine."""
    config, secrets = configured(arguments)
    return _serve(embedded(config, secrets), secrets)


@contextlib.asynccontextmanager
async def _on_telegram(config: Config, secrets: Secrets) -> AsyncIterator[str]:
    """A Legio on Telegram, after pairing where nobody is Caesar; yields what to tell whoever started it."""
    caesar_id, token = config.telegram.caesar_id, secrets.telegram_bot_token
    problems = []
    if token is None:
        problems.append(
            Problem(
                "TELEGRAM_BOT_TOKEN",
                "it is not set.",
                "Ask @BotFather for a token and set the variable, or try `legio local` without one.",
            )
        )
    if secrets.model_credential is None and config.claude.base_url is None:
        problems.append(
            Problem(
                "ANTHROPIC_API_KEY",
                "there is no model credential.",
                "Set it, or ANTHROPIC_AUTH_TOKEN or CLAUDE_CODE_OAUTH_TOKEN, or [claude] base_url.",
            )
        )
    if problems or token is None:
        raise ConfigurationError(tuple(problems), where="legio run")
    welcome = caesar_id is None
    if caesar_id is None:
        caesar_id = await pair(config, token)
    async with legion(Deployment(config, secrets, caesar_id, token)) as running:
        if welcome:
            await running.legatus.tell(WELCOME)
        serves = f"Legio serves Caesar {caesar_id} on Telegram; its castra is {config.castra}."
        seen = f"\nThe camp in a browser: {await running.site.link()}" if running.site.url else ""
        yield f"{serves} Ctrl-C stops it.{seen}"


def _serve(legio: AbstractAsyncContextManager[str], secrets: Secrets) -> int:
    logs.configure(json=not sys.stderr.isatty(), level="info", stream=sys.stderr, secrets=secrets.values())
    return asyncio.run(_until_signal(legio))


async def _until_signal(legio: AbstractAsyncContextManager[str]) -> int:
    """Run until SIGINT or SIGTERM; while it starts a signal cancels, and a second one always forces."""
    loop, stop, signals = asyncio.get_running_loop(), asyncio.Event(), []
    starting = asyncio.current_task()

    def heard(number: int) -> None:
        signals.append(number)
        if len(signals) > 1:
            os._exit(INTERRUPTED)
        stop.set()
        if starting is not None and not up.is_set():
            starting.cancel()

    up = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, heard, number)
    try:
        async with legio as announcement:
            up.set()
            print(announcement, flush=True)
            await stop.wait()
    except asyncio.CancelledError:
        if not signals:
            raise
    return INTERRUPTED if signal.SIGINT in signals else 0
