"""`legio local`: the same Legio, on a Bot API server and a chat page of its own, on this machine alone.

Without a model credential a scripted recruit answers too, and says that he is one. What is said here is
kept in a praetorium and a chat of its own, so that a trial and the life on Telegram never mix.
"""

import contextlib
import secrets as randomness
from collections.abc import AsyncIterator
from dataclasses import replace
from functools import partial

from legio.app import Chat, Deployment, legion
from legio.castra import Castra
from legio.config import Config, Secrets, TelegramConfig
from legio.console.page import Room
from legio.local import page
from legio.local.botapi.journal import Journal
from legio.local.botapi.server import bot_api_server
from legio.local.botapi.state import BotApiState
from legio.local.model import ModelState, model_server

DATABASE = "praetorium-local.db"
CAESAR_ID = 1
"""Who Caesar is on the page, where the configuration names nobody."""


@contextlib.asynccontextmanager
async def embedded(config: Config, secrets: Secrets) -> AsyncIterator[str]:
    """A Legio on this machine while inside; yields what to tell whoever started it."""
    caesar_id = config.telegram.caesar_id or CAESAR_ID
    token = f"1:{randomness.token_urlsafe(32)}"
    state = BotApiState(token=token, owner_id=caesar_id, journal=Journal(Castra(config.castra)))
    state.topics_enabled = config.telegram.topics
    async with contextlib.AsyncExitStack() as stack:
        api = await stack.enter_async_context(bot_api_server(state))
        # A public address leads to the Legio on Telegram.
        console = replace(config.console, public_url=None)
        config = replace(config, telegram=_loopback(config.telegram, api), console=console)
        model = "The model is the one you configured."
        if secrets.model_credential is None and config.claude.base_url is None:
            url = await stack.enter_async_context(model_server(ModelState()))
            config = replace(config, claude=replace(config.claude, base_url=url))
            model = 'No model credential is set: a scripted recruit answers. Ask him for "help".'
        chat = Chat(partial(_room, state), config.local.port)
        deployment = Deployment(config, secrets, caesar_id, token, DATABASE, chat=chat)
        running = await stack.enter_async_context(legion(deployment))
        yield f"Legio is at {await running.site.link()} - open it in a browser. {model} Ctrl-C stops it."


def _loopback(telegram: TelegramConfig, api: str) -> TelegramConfig:
    return replace(telegram, base_url=f"{api}/bot", base_file_url=f"{api}/file/bot", webhook_url=None)


def _room(state: BotApiState, people: page.People) -> Room:
    return Room(page.NAME, page.TITLE, page.SCRIPT, page.page_routes(state, people), page.STYLE)
