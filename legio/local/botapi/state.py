"""All that one embedded Bot API server knows, and what people do in it: say, press, edit, send files.

In memory and bounded; a journal keeps what outlives it. It belongs to one event loop. What a bot may call is
in the modules beside `server`.
"""

import asyncio
import secrets
from collections import deque
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from legio.clock import SystemClock
from legio.local.botapi.chats import Chat, Chats
from legio.local.botapi.events import EventStream
from legio.local.botapi.faults import Faults, FloodLimit
from legio.local.botapi.files import KINDS, FileStore, Upload, media
from legio.local.botapi.journal import Journal
from legio.local.botapi.message import Media, Message, Person, Reply
from legio.local.botapi.parameters import Parameters
from legio.local.botapi.text import CAPTION_LIMIT, TEXT_LIMIT, Text, formatted
from legio.local.botapi.updates import UpdateQueue
from legio.local.botapi.waiting import Signal, first
from legio.local.botapi.webhook import Webhook
from legio.local.botapi.wire import Wire, bad_request, unauthorized
from legio.ports import Clock

T = TypeVar("T")

LOG_LIMIT = 10_000
QUERY_LIMIT = 1000
WAIT_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a bot, as it came in. `at` is the clock's monotonic time."""

    method: str
    arguments: Mapping[str, object]
    at: float


@dataclass(frozen=True, slots=True)
class RefusedCall:
    """One call that was answered with an error."""

    method: str
    code: int
    description: str


class BotApiState:
    """One bot, its owner, and whoever else writes to it.

    Ids begin at the second of the start or behind those of an earlier run, so that a bot which remembers
    those meets none twice. The owner's chat is open from the start, and holds what the `journal` kept.
    Raises `CastraError` when that cannot be read.
    """

    def __init__(
        self,
        *,
        token: str,
        owner_id: int,
        owner_name: str = "Caesar",
        bot_username: str = "legio_bot",
        clock: Clock | None = None,
        journal: Journal | None = None,
    ) -> None:
        self.clock = clock or SystemClock()
        self._journal = journal or Journal()
        kept, note = self._journal.read(), self._journal.note
        start = max(int(self.clock.now().timestamp()), kept.next_id)
        self.token = token
        self.owner = Person(owner_id, owner_name)
        self.bot = Person(int(token.partition(":")[0]), "Legio", bot_username, is_bot=True)
        self.events = EventStream(f"{start}{secrets.token_hex(3)}", self.clock)
        self.chats = Chats(self.clock, self.events, start, note)
        self.chats.restore(kept.messages.values())
        self.chat.opened, self.chat.topics = True, dict(kept.topics)
        self.updates = UpdateQueue(self.clock, start, note)
        self.updates.restore(kept.updates.values())
        self.webhook = Webhook(self.updates, self.clock)
        self.files = FileStore(note=note)
        self.files.restore(kept.files.values())
        self.faults = Faults()
        self.revoked = False
        self.flood: FloodLimit | None = None
        self.calls: deque[Call] = deque(maxlen=LOG_LIMIT)
        self.refused: deque[RefusedCall] = deque(maxlen=LOG_LIMIT)
        self.commands: dict[tuple[str, str], list[Wire]] = {}
        self.menu_buttons: dict[int, Wire] = {}
        self.queries: dict[str, tuple[Chat, float]] = {}
        self.topics_enabled = False
        self.topic: int | None = None
        self.activity = Signal()

    # --- what stands in the owner's chat --------------------------------------------------------------

    @property
    def chat(self) -> Chat:
        """The owner's chat. Set `opened` or `blocked` to have the bot refused there."""
        return self.chats.of(self.owner)

    @property
    def messages(self) -> tuple[Message, ...]:
        """The owner's chat, oldest first."""
        return tuple(self.chat.messages.values())

    @property
    def answers(self) -> tuple[Message, ...]:
        """What the bot has written to the owner, oldest first."""
        return tuple(message for message in self.messages if message.sender.is_bot)

    def log(self, method: str, arguments: Mapping[str, object]) -> None:
        """A call came in."""
        self.calls.append(Call(method, arguments, self.clock.monotonic()))
        self.activity.fire()

    async def wait_for(self, predicate: Callable[[], T], *, seconds: float = WAIT_SECONDS) -> T:
        """What `predicate` returns once that is true; asked again at each call and event.

        Raises `TimeoutError` after `seconds` of real time.
        """
        async with asyncio.timeout(seconds):
            while not (outcome := predicate()):
                await first(self.activity.wait(), self.events.news.wait())
        return outcome

    def revoke(self) -> None:
        """The token is taken back: calls with it are unauthorized until `reinstate`, the waiting poll too."""
        self.revoked = True
        self.updates.send_away(unauthorized())

    def reinstate(self) -> None:
        """The token is known again."""
        self.revoked = False

    async def close(self) -> None:
        """Ends polls, streams and the webhook, so that a server can go down at once. Idempotent.

        What happens to the chats behind it is kept too, and the journal longer by it.
        """
        self.updates.send_away()
        self.events.close()
        await self.webhook.stop()
        self._journal.close()

    # --- what people do --------------------------------------------------------------------------------

    def say(
        self,
        text: str,
        *,
        reply_to: int | Reply | None = None,
        entities: Sequence[Wire] = (),
        user: Person | None = None,
        forwarded_from: str = "",
    ) -> Wire:
        """Somebody writes; the owner, unless `user` says who. Returns the update.

        Raises `Refusal` for what no client would send: an empty or too long text, a reply to nothing.
        """
        content = formatted(text, entities, limit=TEXT_LIMIT, too_long="message is too long")
        if not content.plain:
            raise bad_request("message text is empty")
        reply = self._reply(user, reply_to)
        message = replace(self._blank(user), text=content, reply=reply, forwarded_from=forwarded_from)
        return self._arrive(message)

    def edit(self, message_id: int, text: str, *, entities: Sequence[Wire] = ()) -> Wire:
        """The owner corrects a message of his own."""
        message = self.chat.messages.get(message_id)
        if message is None or message.sender.is_bot or message.media:
            raise bad_request("message can't be edited")
        content = formatted(text, entities, limit=TEXT_LIMIT, too_long="message is too long")
        return self.updates.put(
            "edited_message", self.chats.wire(self.chats.edit(replace(message, text=content)))
        )

    def delete_topic(self, thread: int) -> None:
        """The owner deletes a forum topic, and with it what stands in it."""
        gone = [message.id for message in self.messages if message.thread == thread]
        self.chats.remove(self.chat, gone)
        left = {number: name for number, name in self.chat.topics.items() if number != thread}
        self.chats.topics(self.chat, left)

    def press(self, message_id: int, data: str, *, user: Person | None = None) -> Wire:
        """Somebody presses a button of a message in the owner's chat. A client may send any data."""
        message = self.chat.messages.get(message_id)
        if message is None:
            raise bad_request("message not found")
        query_id = str(secrets.randbits(62))
        self.queries[query_id] = (self.chat, self.clock.monotonic())
        while len(self.queries) > QUERY_LIMIT:
            del self.queries[next(iter(self.queries))]
        body: Wire = {
            "id": query_id,
            "from": (user or self.owner).wire(),
            "message": self.chats.wire(message),
            "chat_instance": str(self.chat.person.id),
            "data": data,
        }
        return self.updates.put("callback_query", body)

    def send_file(
        self,
        upload: Upload,
        *,
        kind: str = "document",
        caption: str = "",
        entities: Sequence[Wire] = (),
        reply_to: int | Reply | None = None,
        user: Person | None = None,
    ) -> Wire:
        """Somebody sends a file of one of the `KINDS`."""
        if kind not in KINDS:
            raise bad_request(f"there is no file of the kind {kind}")
        message = replace(
            self._blank(user),
            text=_caption(caption, entities),
            media=media(self.files.add(upload, kind)),
            reply=self._reply(user, reply_to),
        )
        return self._arrive(message)

    def send_album(self, uploads: Sequence[Upload], *, kind: str = "photo", caption: str = "") -> list[Wire]:
        """The owner sends two to ten files at once: one update each, held together by their group's id."""
        album = str(secrets.randbits(53))
        kept = [media(self.files.add(upload, kind)) for upload in uploads]
        captions = [_caption(caption), *(Text() for _ in kept[1:])]
        return [
            self._arrive(replace(self._blank(None), text=text, media=carried, album=album))
            for text, carried in zip(captions, kept, strict=True)
        ]

    def send_location(self, latitude: float, longitude: float, *, user: Person | None = None) -> Wire:
        """Somebody says where he is."""
        place = Media("location", {"latitude": latitude, "longitude": longitude})
        return self._arrive(replace(self._blank(user), media=place))

    def send_venue(self, title: str, address: str, latitude: float, longitude: float) -> Wire:
        """The owner names a place; Telegram tells where it is twice."""
        point = {"latitude": latitude, "longitude": longitude}
        body = {"location": point, "title": title, "address": address}
        venue = Media("venue", body, also={"location": point})
        return self._arrive(replace(self._blank(None), media=venue))

    def send_contact(self, first_name: str, phone_number: str) -> Wire:
        """The owner passes on a contact."""
        contact = Media("contact", {"first_name": first_name, "phone_number": phone_number})
        return self._arrive(replace(self._blank(None), media=contact))

    def send_sticker(self, emoji: str, *, user: Person | None = None) -> Wire:
        """Somebody sends the sticker that stands for an emoji."""
        stored = self.files.add(Upload("sticker.webp", emoji.encode(), "image/webp"), "sticker")
        shape: Wire = {
            "type": "regular",
            "width": 512,
            "height": 512,
            "is_animated": False,
            "is_video": False,
        }
        sticker = Media("sticker", stored.wire() | shape | {"emoji": emoji}, stored.id)
        return self._arrive(replace(self._blank(user), media=sticker))

    def _blank(self, user: Person | None) -> Message:
        person = user or self.owner
        return Message(self.chats.number(), person, person, self.clock.now(), thread=self.topic)

    def _arrive(self, message: Message) -> Wire:
        """Who writes to the bot has opened the chat, and blocks it no longer."""
        chat = self.chats.of(message.chat)
        chat.opened, chat.blocked = True, False
        return self.updates.put("message", self.chats.wire(self.chats.add(message)))

    def _reply(self, user: Person | None, given: int | Reply | None) -> Reply | None:
        if given is None:
            return None
        reply = given if isinstance(given, Reply) else Reply(given)
        if reply.message_id not in self.chats.of(user or self.owner).messages:
            raise bad_request("message to be replied not found")
        return reply


def _caption(plain: str, entities: Sequence[Wire] = ()) -> Text:
    return formatted(plain, entities, limit=CAPTION_LIMIT, too_long="message caption is too long")


Method = Callable[[BotApiState, Parameters], Awaitable[object]]
"""What a bot may call: returns the `result`, or raises `Refusal`."""
