"""Where it is measured: one loopback model, a Bot API server for each bot, and Legio in a process of its own.

The servers live in the bench's process and each candidate in its own, so that no candidate shares its event
loop, its memory or its core with the servers.
"""

import contextlib
import tempfile
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from pathlib import Path

import tomli_w

from legio.castra import Castra
from legio.errors import LegioError
from legio.local.botapi.server import bot_api_server
from legio.local.botapi.state import BotApiState, Call
from legio.local.model import ModelState, model_server
from legio.roster import Roster
from legio.templates import blueprint, init
from tests.bench.child import Child, child
from tests.rollcalls import is_roll_call

CENTURIONES = ("brutus", "pullo", "vorenus", "atia", "cato", "flavius", "niobe", "titus")
"""Eight; the first three are those that Legio ships."""
TOKEN = "123456:" + "A" * 35
CAESAR_ID = 7
PATIENCE_SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class Camp:
    """The folder of this run, and the model that all candidates ask."""

    folder: Path
    model: ModelState
    model_url: str


@dataclass(frozen=True, slots=True)
class Bot:
    """A candidate that is reached over Telegram: its Bot API server, and its process."""

    telegram: BotApiState
    child: Child

    async def answers(
        self, text: str, *, count: int = 1, within: float = PATIENCE_SECONDS, mark: str = ""
    ) -> float:
        """Seconds from the update to the `sendMessage` that brings the last of `count` answers to `text`.

        Raises `LegioError` when they do not come `within` so many. An answer quotes what was asked, or holds
        the `mark`.
        """
        began = self.telegram.clock.monotonic()
        self.telegram.say(text)
        known = mark or text.split()[-1]
        found = await self._wait(lambda: sent(self.telegram, known, since=began, count=count), within)
        return found[-1].at - began

    async def starts(self, text: str) -> None:
        """Until Legio shows that somebody is at work on `text`: typing."""
        began = self.telegram.clock.monotonic()
        self.telegram.say(text)
        await self._wait(
            lambda: [it for it in self.telegram.calls if it.method == "sendChatAction" and it.at > began]
        )

    async def polled(self) -> float:
        """Seconds from the start of the process to its first poll."""
        found = await self._wait(lambda: [it for it in self.telegram.calls if it.method == "getUpdates"])
        return found[0].at - self.child.started

    async def ready(self) -> None:
        """Until the process has set its menu, which is the last thing it does at its start."""
        await self._wait(lambda: [it for it in self.telegram.calls if it.method == "setMyCommands"])

    async def _wait(self, look: Callable[[], list[Call]], seconds: float = PATIENCE_SECONDS) -> list[Call]:
        try:
            return await self.telegram.wait_for(look, seconds=seconds)
        except TimeoutError as error:
            raise LegioError(
                f"waited {seconds:.0f} s in vain; it says:\n{self.child.complaint()}",
                where=self.child.log.name,
            ) from error


@contextlib.asynccontextmanager
async def camp() -> AsyncIterator[Camp]:
    """A folder and a model without latency while inside; its `latency` may be changed."""
    model = ModelState()
    with tempfile.TemporaryDirectory(prefix="legio-bench-") as folder:
        async with model_server(model) as url:
            yield Camp(Path(folder), model, url)


@contextlib.asynccontextmanager
async def legio(camp: Camp, name: str = "legio") -> AsyncIterator[Bot]:
    """`legio run` over the castra `name`, which is written if it is not there."""
    state = BotApiState(token=TOKEN, owner_id=CAESAR_ID)
    folder = camp.folder / name
    async with bot_api_server(state) as url:
        configuration = pitch(folder)
        configuration.write_text(tomli_w.dumps(_settings(url, camp.model_url)))
        secrets = {"TELEGRAM_BOT_TOKEN": TOKEN, "ANTHROPIC_API_KEY": "scripted"}
        arguments = ("legio", "run", "--config", str(configuration))
        async with child(*arguments, log=folder / "legio.log", environment=secrets) as process:
            yield Bot(state, process)


def pitch(folder: Path) -> Path:
    """A castra with eight centuriones in `folder`; returns the path of its `legio.toml`."""
    init(folder)
    roster = Roster(Castra(folder / "castra"))
    for name in CENTURIONES:
        if name not in roster.names():
            roster.create(name, "tents", blueprint(name, "counts the tents"), limit=len(CENTURIONES))
    return folder / "legio.toml"


def _settings(telegram_url: str, model_url: str) -> dict[str, object]:
    return {
        "castra": "castra",
        "max_live_sessions": len(CENTURIONES) + 1,
        "telegram": {
            "caesar_id": CAESAR_ID,
            "base_url": f"{telegram_url}/bot",
            # Each message is timed for itself.
            "gather_seconds": 0,
        },
        "claude": {"base_url": model_url},
    }


def sent(telegram: BotApiState, mark: str, *, since: float, count: int) -> list[Call]:
    """The messages that answer, in order; none as long as there are fewer than `count`."""
    found: list[Call] = []
    for call in reversed(telegram.calls):
        if call.at < since:
            break
        text = str(call.arguments.get("text", ""))
        if call.method == "sendMessage" and mark in text and not is_roll_call(text):
            found.append(call)
    return found[::-1] if len(found) >= count else []
