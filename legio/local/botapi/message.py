"""What stands in a chat: people, files by their description, messages; and how Telegram writes each. Pure."""

from dataclasses import dataclass, field
from datetime import datetime

from legio.local.botapi.markup import Keyboard, keyboard_wire
from legio.local.botapi.text import Text
from legio.local.botapi.wire import Wire


@dataclass(frozen=True, slots=True)
class Person:
    """A user or the bot. A private chat bears the id of its person."""

    id: int
    name: str
    username: str = ""
    is_bot: bool = False

    def wire(self) -> Wire:
        """Telegram's User."""
        body: Wire = {"id": self.id, "is_bot": self.is_bot, "first_name": self.name}
        return body | ({"username": self.username} if self.username else {})

    def chat_wire(self) -> Wire:
        """Telegram's Chat, private."""
        body: Wire = {"id": self.id, "type": "private", "first_name": self.name}
        return body | ({"username": self.username} if self.username else {})


@dataclass(frozen=True, slots=True)
class Media:
    """What a message carries besides text: the field of Telegram's Message and what stands in it.

    `file_id` names the stored file, if there is one (a location has none). `also` are fields for bots that
    know an older Bot API: an animation is a document too.
    """

    kind: str
    body: object
    file_id: str = ""
    also: Wire = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Reply:
    """The message that is answered, and the words of it that are quoted."""

    message_id: int
    quote: str = ""


@dataclass(frozen=True, slots=True)
class Message:
    """One message in the private chat with `chat`. With `media`, `text` is the caption."""

    id: int
    chat: Person
    sender: Person
    date: datetime
    text: Text = field(default_factory=Text)
    media: Media | None = None
    keyboard: Keyboard = ()
    reply: Reply | None = None
    thread: int | None = None
    album: str = ""
    forwarded_from: str = ""
    edited: datetime | None = None
    reactions: tuple[str, ...] = ()

    def wire(self, answered: "Message | None" = None) -> Wire:
        """Telegram's Message; `answered` is the one it replies to, if that still exists."""
        body: Wire = {
            "message_id": self.id,
            "from": self.sender.wire(),
            "chat": self.chat.chat_wire(),
            "date": int(self.date.timestamp()),
        }
        body |= self._content() | self._origin()
        if self.keyboard:
            body["reply_markup"] = keyboard_wire(self.keyboard)
        if self.reply and answered:
            body["reply_to_message"] = answered.wire()
            body |= _quote(self.reply, answered)
        return body

    def _content(self) -> Wire:
        body: Wire = {self.media.kind: self.media.body, **self.media.also} if self.media else {}
        text, entities = ("caption", "caption_entities") if self.media else ("text", "entities")
        if self.text.plain:
            body[text] = self.text.plain
        if self.text.entities:
            body[entities] = [entity.wire() for entity in self.text.entities]
        return body

    def _origin(self) -> Wire:
        body: Wire = {}
        if self.edited:
            body["edit_date"] = int(self.edited.timestamp())
        if self.thread is not None:
            body |= {"message_thread_id": self.thread, "is_topic_message": True}
        if self.album:
            body["media_group_id"] = self.album
        if self.forwarded_from:
            body["forward_origin"] = {
                "type": "hidden_user",
                "date": int(self.date.timestamp()),
                "sender_user_name": self.forwarded_from,
            }
        return body


def _quote(reply: Reply, answered: Message) -> Wire:
    if not reply.quote:
        return {}
    before = answered.text.plain.partition(reply.quote)[0]
    position = len(before.encode("utf-16-le")) // 2
    return {"quote": {"text": reply.quote, "position": position, "is_manual": True}}
