"""A whole Legio on loopback: real python-telegram-bot, real Agent SDK, its real CLI, embedded servers."""

import contextlib
import re
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

from legio.app import Deployment, legion
from legio.castra import Castra
from legio.clock import SystemClock
from legio.config import BackupConfig, Config, ConsoleConfig, Credential, Secrets, TelegramConfig
from legio.legatus import Legatus
from legio.local.botapi.message import Message
from legio.local.botapi.server import bot_api_server
from legio.local.botapi.state import BotApiState
from legio.local.model import ModelRequest, ModelState, model_server
from legio.ports import Clock
from legio.roster import Roster
from legio.templates import init
from tests.local.room import chat_page
from tests.rollcalls import is_roll_call
from tests.scenes import until

CAESAR = 77
TOKEN = "77:" + "A" * 35
SECONDS = 20.0


@dataclass
class World:
    """The servers, the castra, and how Legio is started on them, as often as a scene wants."""

    telegram: BotApiState
    model: ModelState
    config: Config
    castra: Castra
    page_url: str
    seen: list[int] = field(default_factory=list)
    secrets: Secrets = field(
        default_factory=lambda: Secrets(None, Credential("ANTHROPIC_API_KEY", "scripted"))
    )
    totp_secret: str | None = None
    clock: Clock = field(default_factory=SystemClock)

    @contextlib.asynccontextmanager
    async def legio(self) -> AsyncIterator[Legatus]:
        """Legio at work while inside."""
        secrets = replace(self.secrets, totp_secret=self.totp_secret)
        async with legion(Deployment(self.config, secrets, CAESAR, TOKEN, clock=self.clock)) as running:
            yield running.legatus

    async def ask(self, text: str, *, answers: int = 1, reply_to: int | None = None) -> list[Message]:
        """Caesar writes, and gets that many answers, in the order of their arrival."""
        before = {message.id for message in self.telegram.messages}
        self.telegram.say(text, reply_to=reply_to)
        return await self.answers(before, answers)

    async def answers(self, before: set[int], count: int) -> list[Message]:
        """The next `count` lasting messages of the bot beside those in `before`."""

        def fresh() -> list[Message]:
            return [
                message for message in self.telegram.answers if message.id not in before and lasting(message)
            ]

        await until(lambda: len(fresh()) >= count, deadline=SECONDS, what=f"{count} answers")
        return fresh()

    async def press(self, card: Message, label: str) -> Message:
        """Caesar presses a button and sees what becomes of the card."""
        (button,) = [button for row in card.keyboard for button in row if button.label == label]
        self.telegram.press(card.id, button.value)
        await until(lambda: not self.now(card).keyboard, deadline=SECONDS, what="the card's outcome")
        return self.now(card)

    def now(self, message: Message) -> Message:
        """The message as it stands in the chat by now."""
        return self.telegram.chat.messages[message.id]

    def requests(self, agent: str) -> list[ModelRequest]:
        """What the model was asked by one agent."""
        return [request for request in self.model.requests if f'<agent name="{agent}"/>' in request.system]

    async def called(self, method: str, matches: Callable[[dict[str, object]], bool]) -> None:
        """Wait until the bot has called `method` with arguments that match."""
        await until(
            lambda: any(
                call.method == method and matches(dict(call.arguments)) for call in self.telegram.calls
            ),
            deadline=SECONDS,
            what=f"a call of {method}",
        )


def lasting(message: Message) -> bool:
    """Whether it is no roll-call, which comes only when something takes its time."""
    return not is_roll_call(message.text.plain)


def speaker(message: Message) -> str:
    """Whose answer it is, by its heading; "" if it has none."""
    found = re.match(r"⚔️ (\S+) — ", message.text.plain)
    return found[1] if found else ""


def body(message: Message) -> str:
    """The answer without its heading."""
    return message.text.plain.partition("─\n")[2].lstrip("─\n") or message.text.plain


@contextlib.asynccontextmanager
async def world(folder: Path, *, gather: float = 0.0, **changes: object) -> AsyncIterator[World]:
    """The servers, and a castra newly made in `folder`; `changes` are keys of the configuration's top.

    Each message is answered for itself, unless `gather` says how quickly one belongs to the other.
    """
    init(folder)
    telegram = BotApiState(token=TOKEN, owner_id=CAESAR)
    model = ModelState()
    roster = Roster(Castra(folder / "castra"))
    async with (
        bot_api_server(telegram) as api,
        chat_page(telegram, lambda: [(it.name, it.description) for it in roster.centuriones()]) as page,
        model_server(model) as url,
    ):
        config = replace(
            Config(
                castra=folder / "castra",
                telegram=TelegramConfig(
                    caesar_id=CAESAR,
                    base_url=f"{api}/bot",
                    base_file_url=f"{api}/file/bot",
                    gather_seconds=gather,
                ),
                console=ConsoleConfig(port=0),
                backup=BackupConfig(folder=folder / "backups"),
            ),
            **changes,  # type: ignore[arg-type]
        )
        config = replace(config, claude=replace(config.claude, base_url=url, max_retries=1))
        yield World(telegram, model, config, Castra(config.castra), page)
