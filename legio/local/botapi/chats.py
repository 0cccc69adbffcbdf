"""The private chats: who opened one, and what stands in it now. Each change is an event.

Who may do what is decided by those who call: the bot's methods and the people's deeds.
"""

from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from legio.local.botapi.events import EventStream
from legio.local.botapi.kept import Gone, Note, Stands, Topics, unkept
from legio.local.botapi.message import Message, Person
from legio.local.botapi.text import Entity, Text
from legio.local.botapi.wire import Refusal, Wire, bad_request
from legio.ports import Clock

MESSAGE_LIMIT = 10_000


@dataclass(slots=True)
class Chat:
    """One person's chat with the bot. A draft is the text that the bot is writing, by its id."""

    person: Person
    messages: OrderedDict[int, Message] = field(default_factory=OrderedDict)
    drafts: dict[int, Text] = field(default_factory=dict)
    topics: dict[int, str] = field(default_factory=dict)
    opened: bool = False
    blocked: bool = False

    def topics_wire(self) -> Wire:
        """The topics' names by their ids."""
        return {str(number): name for number, name in self.topics.items()}


class Chats:
    """All of them. Message ids are shared, as an account's are in Telegram, and begin at `first_id`."""

    def __init__(self, clock: Clock, events: EventStream, first_id: int, note: Note = unkept) -> None:
        self._clock = clock
        self._note = note
        self._events = events
        self._next = first_id
        self._chats: dict[int, Chat] = {}

    def of(self, person: Person) -> Chat:
        """The person's chat, which need not be open."""
        return self._chats.setdefault(person.id, Chat(person))

    def restore(self, messages: Iterable[Message]) -> None:
        """What stood here in an earlier run; no event, as nobody watches yet."""
        for message in messages:
            chat = self.of(message.chat)
            chat.messages[message.id] = message
            chat.opened = True

    def topics(self, chat: Chat, named: Mapping[int, str]) -> None:
        """The chat has these topics from now on."""
        chat.topics = dict(named)
        self._note(Topics(chat.topics))
        self.tell(chat, "topics", chat.topics_wire())

    def writable(self, chat_id: int) -> Chat:
        """The chat for the bot to write to. Raises `Refusal` if it may not."""
        chat = self._chats.get(chat_id)
        if chat is None or not chat.opened:
            raise bad_request("chat not found")
        if chat.blocked:
            raise Refusal(403, "Forbidden: bot was blocked by the user")
        return chat

    def number(self) -> int:
        """A new message id."""
        self._next += 1
        return self._next - 1

    def add(self, message: Message) -> Message:
        """A new message at the end of its chat. The oldest goes when there are too many."""
        chat = self.of(message.chat)
        chat.messages[message.id] = message
        if len(chat.messages) > MESSAGE_LIMIT:
            oldest, _ = chat.messages.popitem(last=False)
            self._note(Gone((oldest,)))
        self._stands(message)
        return message

    def replace(self, message: Message) -> Message:
        """The message of the same id stands like this from now on."""
        self.of(message.chat).messages[message.id] = message
        self._stands(message)
        return message

    def edit(self, message: Message) -> Message:
        """Like `replace`, and marked as edited now."""
        return self.replace(replace(message, edited=self._clock.now()))

    def remove(self, chat: Chat, ids: Sequence[int]) -> None:
        """These are gone; unknown ones always were."""
        gone = [number for number in ids if chat.messages.pop(number, None)]
        if gone:
            self._note(Gone(tuple(gone)))
            self._events.append("deleted", chat.person.id, {"ids": gone})

    def draft(self, chat: Chat, draft_id: int, text: Text) -> None:
        """The bot is writing this."""
        chat.drafts[draft_id] = text
        entities = _entities_wire(text.entities)
        data: Wire = {"id": draft_id, "text": text.plain, "entities": entities}
        self._events.append("draft", chat.person.id, data)

    def end_drafts(self, chat: Chat) -> None:
        """What was being written is written."""
        if chat.drafts:
            chat.drafts.clear()
            self._events.append("drafts_ended", chat.person.id, {})

    def tell(self, chat: Chat, kind: str, data: Wire) -> None:
        """Something passing: typing, the answer to a button."""
        self._events.append(kind, chat.person.id, data)

    def wire(self, message: Message) -> Wire:
        """Telegram's Message with the one it replies to."""
        messages = self.of(message.chat).messages
        answered = messages.get(message.reply.message_id) if message.reply else None
        return message.wire(answered)

    def _stands(self, message: Message) -> None:
        self._note(Stands(message))
        self._events.append("message", message.chat.id, self.view(message))

    def view(self, message: Message) -> Wire:
        """The message as the page shows it: Telegram's, with the bot's reactions."""
        return self.wire(message) | {"reactions": list(message.reactions)}


def _entities_wire(entities: Sequence[Entity]) -> list[Wire]:
    return [entity.wire() for entity in entities]
