"""A Bot API server on loopback with the real python-telegram-bot before it, and a way to call it raw.

Beside it the page that shows the chat.
"""

import contextlib
import os
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import Any

import httpx
from telegram import Bot
from telegram.request import HTTPXRequest

from legio.console.page import Room
from legio.local.botapi.server import bot_api_server
from legio.local.botapi.state import BotApiState
from legio.ports import Clock
from tests.local.room import chat_page

# python-telegram-bot warns of its older form, and a warning fails a test.
os.environ.setdefault("PTB_TIMEDELTA", "true")

TOKEN = "123456:" + "A" * 35
OWNER = 7
PEOPLE = (("pullo", "Builds bridges"), ("vorenus", "Surveys fords & fields"))
PNG = (
    b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x06\x00\x00\x00\x1f\x15\xc4\x89"
    b"\x00\x00\x00\rIDATx\x9cc\xf8\xcf\xc0\xf0\x1f\x00\x05\x00\x01\xff\x89\x99=\x1d\x00\x00\x00\x00IEND\xaeB`\x82"
)


@dataclass(frozen=True, slots=True)
class Rig:
    """All that a scene needs: the state, the addresses, a real bot, and a client without opinions."""

    state: BotApiState
    url: str
    page: str
    bot: Bot
    http: httpx.AsyncClient

    async def call(self, method: str, **values: Any) -> dict[str, Any]:
        """The whole answer to a raw JSON call."""
        answer = await self.http.post(f"{self.url}/bot{TOKEN}/{method}", json=values)
        body: dict[str, Any] = answer.json()
        assert answer.status_code == body.get("error_code", 200)
        return body

    async def refusal(self, method: str, **values: Any) -> str:
        """The words with which a raw call is refused."""
        body = await self.call(method, **values)
        assert not body["ok"], body
        return str(body["description"]).removeprefix("Bad Request: ")

    async def result(self, method: str, **values: Any) -> Any:
        """The result of a raw call that succeeds."""
        body = await self.call(method, **values)
        assert body["ok"], body
        return body["result"]


def fresh_state(clock: Clock | None = None) -> BotApiState:
    return BotApiState(token=TOKEN, owner_id=OWNER, clock=clock)


@contextlib.asynccontextmanager
async def a_bot(url: str) -> AsyncIterator[Bot]:
    # Nothing here is encrypted; to load the certificates for each bot takes longer than most scenes.
    plain = {"verify": False}
    bot = Bot(
        TOKEN,
        base_url=f"{url}/bot",
        base_file_url=f"{url}/file/bot",
        request=HTTPXRequest(httpx_kwargs=plain),
        get_updates_request=HTTPXRequest(httpx_kwargs=plain),
    )
    async with bot:
        yield bot


@contextlib.asynccontextmanager
async def rig(clock: Clock | None = None, beside: Sequence[Room] = ()) -> AsyncIterator[Rig]:
    state = fresh_state(clock)
    async with (
        bot_api_server(state) as url,
        chat_page(state, lambda: PEOPLE, beside=beside) as page,
        a_bot(url) as bot,
        httpx.AsyncClient(trust_env=False, verify=False) as http,
    ):
        yield Rig(state, url, page, bot, http)
