"""Telegram as the bot's library sees it, with nothing behind: every call is noted, and answered by script."""

import asyncio
import json
from collections import defaultdict, deque
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import httpx
from telegram.error import NetworkError, TimedOut
from telegram.ext import ExtBot
from telegram.request import BaseRequest, RequestData

from legio.bot.pace import Budget
from legio.bot.rollcall import Chat
from legio.ports import Called, Clock, Dispatch, Parcel, Standing

TOKEN = "7:secret"

Answer = tuple[int, bytes]
Reply = Answer | BaseException | Callable[[], Awaitable[None]]
"""An HTTP answer, an error to be raised, or something to wait for before the call goes well."""


@dataclass(frozen=True, slots=True)
class Call:
    """One call of the Bot API: its method, its parameters, and the fake time at which it came."""

    method: str
    parameters: Mapping[str, Any]
    at: float = 0.0


_DONE = {"sendChatAction", "deleteMessage", "sendMessageDraft", "setMessageReaction"}
"""What Telegram answers with no more than that it was done."""


class FakeTelegram(BaseRequest):
    """A transport that accepts everything, but for what the script of a method says first."""

    def __init__(self, time: Callable[[], float] = lambda: 0.0) -> None:
        self.calls: list[Call] = []
        self.script: defaultdict[str, deque[Reply]] = defaultdict(deque)
        self._time = time
        self._message = 100

    @property
    def read_timeout(self) -> float | None:
        return None

    async def initialize(self) -> None: ...

    async def shutdown(self) -> None: ...

    async def do_request(
        self, url: str, method: str, request_data: RequestData | None = None, *_: Any, **__: Any
    ) -> Answer:
        name = url.rsplit("/", 1)[1]
        self.calls.append(Call(name, request_data.parameters if request_data else {}, self._time()))
        reply = self.script[name].popleft() if self.script[name] else None
        if isinstance(reply, BaseException):
            raise reply
        if isinstance(reply, tuple):
            return reply
        if reply is not None:
            await reply()
        return self._accepted(name, self.calls[-1].parameters)

    def of(self, *methods: str) -> list[Call]:
        """The calls of these methods, in order."""
        return [call for call in self.calls if call.method in methods]

    @property
    def texts(self) -> list[str]:
        """What was sent as text, accepted or not."""
        return [call.parameters["text"] for call in self.of("sendMessage")]

    def _accepted(self, name: str, parameters: Mapping[str, Any]) -> Answer:
        if name in {"sendMessage", "sendDocument"}:
            self._message += 1
        message = {"message_id": self._message, "date": 0, "chat": {"id": 1, "type": "private"}, "text": "x"}
        result = True if name in _DONE else message
        return 200, json.dumps({"ok": True, "result": result}).encode()


def bot_on(telegram: FakeTelegram) -> ExtBot[Any]:
    """The real bot over the fake transport."""
    return ExtBot(TOKEN, request=telegram)


def refused(code: int, description: str, **parameters: object) -> Answer:
    """An error as the Bot API writes it."""
    body = {"ok": False, "error_code": code, "description": description}
    return code, json.dumps(body | ({"parameters": parameters} if parameters else {})).encode()


def flooded(seconds: int) -> Answer:
    return refused(429, f"Too Many Requests: retry after {seconds}", retry_after=seconds)


def broken(error: httpx.HTTPError) -> NetworkError:
    """A network error as python-telegram-bot raises it."""
    raised = TimedOut() if isinstance(error, httpx.TimeoutException) else NetworkError(f"httpx: {error}")
    raised.__cause__ = error
    return raised


def unconnected() -> NetworkError:
    return broken(httpx.ConnectError("no route"))


def unanswered() -> NetworkError:
    return broken(httpx.ReadTimeout("no answer"))


async def for_ever() -> None:
    """Telegram that never answers."""
    await asyncio.Event().wait()


def chat_on(bot: ExtBot[Any], chat: int, clock: Clock) -> Chat:
    """The chat of that id, with a budget of its own."""
    return Chat(bot, chat, clock, Budget(clock))


class MemoryRollCalls:
    """The port `RollCalls` in memory; `turns` are those under each root, `trouble` is raised by all."""

    def __init__(self) -> None:
        self.rows: dict[int, int] = {}
        self.turns: dict[int, tuple[Called, ...]] = {}
        self.trouble: Exception | None = None

    async def stands(self, message: int, root: int) -> None:
        self._fail()
        self.rows[message] = root

    async def folded(self, message: int) -> None:
        self._fail()
        self.rows.pop(message, None)

    async def standing(self) -> tuple[Standing, ...]:
        self._fail()
        return tuple(
            Standing(message, root, self.turns.get(root, ())) for message, root in sorted(self.rows.items())
        )

    def _fail(self) -> None:
        if self.trouble:
            raise self.trouble


class MemoryOutbox:
    """The port `Outbox` in memory."""

    def __init__(self) -> None:
        self.rows: dict[int, Dispatch] = {}
        self.ended: dict[int, int | str] = {}
        self.troubles: deque[Exception] = deque()

    async def add(self, parcels: Sequence[Parcel]) -> None:
        for parcel in parcels:
            number = len(self.rows) + 1
            self.rows[number] = Dispatch(number, parcel, tries=0, doubtful=False)

    async def due(self) -> tuple[Dispatch, ...]:
        if self.troubles:
            raise self.troubles.popleft()
        return tuple(row for number, row in self.rows.items() if number not in self.ended)

    async def start(self, dispatch: Dispatch) -> None:
        row = self.rows[dispatch.id]
        self.rows[dispatch.id] = Dispatch(row.id, row.parcel, tries=row.tries + 1, doubtful=True)

    async def sent(self, dispatch: Dispatch, message: int) -> None:
        if self.troubles:
            raise self.troubles.popleft()
        self.ended[dispatch.id] = message

    async def failed(self, dispatch: Dispatch, error: str, *, final: bool, doubtful: bool) -> None:
        row = self.rows[dispatch.id]
        self.rows[dispatch.id] = Dispatch(row.id, row.parcel, tries=row.tries, doubtful=doubtful)
        if final:
            self.ended[dispatch.id] = error
