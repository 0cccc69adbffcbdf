"""`legio local`: the same Legio, on a Bot API server and a chat page of its own, on this machine alone.

Without a model credential a scripted recruit answers too, and says that he is one. What is said here is
kept in a praetorium of its own, so that a trial and the life on Telegram never mix.
"""

import contextlib
import secrets as randomness
from collections.abc import AsyncIterator
from dataclasses import replace

from legio.app import Deployment, legion
from legio.config import Config, Secrets, TelegramConfig
from legio.local.botapi.state import BotApiState
from legio.local.model import ModelState, model_server
from legio.local.page import chat_server

DATABASE = "praetorium-local.db"
CAESAR_ID = 1
"""Who Caesar is on the page, where the configuration names nobody."""


@contextlib.asynccontextmanager
async def embedded(config: Config, secrets: Secrets) -> AsyncIterator[str]:
    """A Legio on this machine while inside; yields what to tell whoever started it."""
    caesar_id = config.telegram.caesar_id or CAESAR_ID
    token = f"1:{randomness.token_urlsafe(32)}"
    state = BotApiState(token=token, owner_id=caesar_id)
    state.topics_enabled = config.telegram.topics
    async with contextlib.AsyncExitStack() as stack:
        page = await stack.enter_async_context(chat_server(state, port=config.local.port))
        config = replace(config, telegram=_loopback(config.telegram, page))
        model = "The model is the one you configured."
        if secrets.model_credential is None and config.claude.base_url is None:
            url = await stack.enter_async_context(model_server(ModelState()))
            config = replace(config, claude=replace(config.claude, base_url=url))
            model = 'No model credential is set: a scripted recruit answers. Ask him for "help".'
        await stack.enter_async_context(legion(Deployment(config, secrets, caesar_id, token, DATABASE)))
        yield f"Legio is at {page} - open it in a browser. {model} Ctrl-C stops it."


def _loopback(telegram: TelegramConfig, page: str) -> TelegramConfig:
    return replace(telegram, base_url=f"{page}/bot", base_file_url=f"{page}/file/bot", webhook_url=None)
