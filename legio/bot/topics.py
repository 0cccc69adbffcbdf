"""A topic of Caesar's chat for each centurio, where Caesar has set it so and Telegram bears it.

What a centurio says stands in his topic, and what Caesar writes there is said to him; everything else stays
in the chat itself. Where Telegram refuses topics, Caesar is told once, and one chat is all there is. A topic
that was deleted is made anew.
"""

import json
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import Final

import structlog
from telegram import Bot, Message, Update
from telegram.error import BadRequest, RetryAfter, TelegramError

from legio.bot.alarm import Alarm
from legio.bot.sending import seconds_asked
from legio.ports import Clock, Inbox, Settings

log = structlog.get_logger()

REMEMBERED: Final = 1000
"""Messages of which it is known in which topic they stand: an answer follows soon."""
LOOK_SECONDS: Final = 5.0
"""How soon a new centurio has his topic."""
TROUBLE_SECONDS: Final = 30.0
UNOPENED: Final = "chat not found"
"""Caesar has not written to the bot yet; he may well do so."""
TOPICS: Final = "telegram.topics"
REFUSED: Final = "telegram.topics.refused"

Take = Callable[[Update], Awaitable[None]]


class Topics:
    """Which topic is whose in the one chat `chat`. There are none until `load` or `run` were called."""

    def __init__(self, bot: Bot, chat: int, settings: Settings, clock: Clock) -> None:
        self._bot = bot
        self._chat = chat
        self._settings = settings
        self._clock = clock
        self._threads: dict[str, int] = {}
        self._places: OrderedDict[int, int] = OrderedDict()
        self._changed = False
        self._look = Alarm(clock)

    # --- where something stands -----------------------------------------------------------------------

    def where(self, agent: str, message: int | None) -> int | None:
        """Where something stands that is about `agent` and replies to `message`; None for the chat itself.

        That is his topic. What is about nobody stands beside the message. Who has no topic stays out of those
        of others, and answers in one that Caesar made himself.
        """
        if agent in self._threads:
            return self._threads[agent]
        return None if agent and self.addressed(message) else self._around(message)

    def shared(self, agents: Iterable[str]) -> int | None:
        """The topic of all these, if it is one."""
        threads = {self._threads.get(agent) for agent in agents}
        return threads.pop() if len(threads) == 1 else None

    def addressed(self, message: int | None) -> str:
        """Whom a message addresses by where it stands; "" for nobody."""
        thread = self._around(message)
        return next((agent for agent, known in self._threads.items() if known == thread), "")

    def _around(self, message: int | None) -> int | None:
        """The topic in which Caesar wrote a message a short while ago."""
        return None if message is None else self._places.get(message)

    # --- what happens ---------------------------------------------------------------------------------

    def before(self, take: Take, inbox: Inbox) -> Take:
        """An intake that notes where messages stand; that a topic was made or renamed is no message."""

        async def noting(update: Update) -> None:
            message = update.message or update.edited_message
            if message is not None and _about_a_topic(message):
                await inbox.finish(update.update_id)
                return
            if message is not None and message.message_thread_id is not None and message.is_topic_message:
                self._places[message.message_id] = message.message_thread_id
                while len(self._places) > REMEMBERED:
                    self._places.popitem(last=False)
            await take(update)

        return noting

    def lost(self, thread: int) -> None:
        """A message could not be sent to this topic: it is gone, and whoever had it gets another."""
        self._threads = {agent: known for agent, known in self._threads.items() if known != thread}
        self._changed = True
        self._look.ring()

    async def load(self) -> None:
        """Remember what an earlier process made, if it was in this chat."""
        kept = json.loads(await self._settings.get(TOPICS) or "{}")
        if kept.get("chat") == self._chat:
            self._threads = dict(kept["threads"])

    async def run(self, names: Callable[[], Sequence[str]], tell: Callable[[str], Awaitable[None]]) -> None:
        """Give all of `names` a topic, now and when more come; ends when Telegram refuses, and tells so."""
        while True:
            try:
                for name in names():
                    if name not in self._threads:
                        await self._make(name)
            except RetryAfter as error:
                await self._clock.sleep(seconds_asked(error))
            except TelegramError as error:
                if isinstance(error, BadRequest) and UNOPENED not in error.message.lower():
                    await self._refused(error, tell)
                    return
                log.warning("topics.unmade", error=str(error), again_in=TROUBLE_SECONDS)
                await self._clock.sleep(TROUBLE_SECONDS)
            finally:
                await self._keep()
            await self._look.wait(LOOK_SECONDS)

    async def _make(self, name: str) -> None:
        topic = await self._bot.create_forum_topic(self._chat, name)
        log.info("topic.made", agent=name, thread=topic.message_thread_id)
        self._threads[name] = topic.message_thread_id
        self._changed = True
        await self._keep()  # before the next: one that was forgotten would be made twice
        await self._settings.drop(REFUSED)

    async def _keep(self) -> None:
        if self._changed:
            self._changed = False
            await self._settings.put(TOPICS, json.dumps(_kept(self._chat, self._threads)))

    async def _refused(self, error: TelegramError, tell: Callable[[str], Awaitable[None]]) -> None:
        log.warning("topics.refused", error=str(error))
        self._threads = {}
        if await self._settings.get(REFUSED) is None:
            await self._settings.put(REFUSED, str(error))
            await tell(
                f"⚠️ Telegram makes no topics in this chat ({error}), so all is said in one. Turn on topics"
                " for the bot at @BotFather and restart Legio, or set `topics = false` in legio.toml."
            )


def _kept(chat: int, threads: Mapping[str, int]) -> dict[str, object]:
    return {"chat": chat, "threads": dict(threads)}


def _about_a_topic(message: Message) -> bool:
    return any(
        (
            message.forum_topic_created,
            message.forum_topic_edited,
            message.forum_topic_closed,
            message.forum_topic_reopened,
            message.general_forum_topic_hidden,
            message.general_forum_topic_unhidden,
        )
    )
