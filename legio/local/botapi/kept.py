"""What outlives a server, as a closed set of changes, and what they add up to.

Who makes a change says so to a `Note`, and does not know where it goes.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Annotated, TypeVar, assert_never

from pydantic import Field

from legio.local.botapi.message import Message
from legio.local.botapi.wire import Wire

_Id = TypeVar("_Id")
_Thing = TypeVar("_Thing")


@dataclass(frozen=True, slots=True)
class Stands:
    """A message is new, or another one than before."""

    message: Message


@dataclass(frozen=True, slots=True)
class Gone:
    """Messages do not stand any more."""

    ids: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Topics:
    """The owner's chat has these topics, by their ids."""

    names: dict[int, str]


@dataclass(frozen=True, slots=True)
class Stored:
    """A file is new. Its bytes are kept apart from what is said of it here."""

    id: str
    kind: str
    path: str
    name: str
    type: str
    data: Annotated[bytes, Field(exclude=True)] = field(default=b"", repr=False)


@dataclass(frozen=True, slots=True)
class Lost:
    """Files had to make room."""

    ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Queued:
    """An update waits for the bot, since `at`."""

    at: datetime
    update: Wire


@dataclass(frozen=True, slots=True)
class Taken:
    """Updates wait no longer."""

    ids: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Reached:
    """Every id that was ever given is below this one."""

    next_id: int


Change = Stands | Gone | Topics | Stored | Lost | Queued | Taken | Reached
Note = Callable[[Change], None]


def unkept(_: Change) -> None:
    """The note of a server whose chats nobody needs after it."""


@dataclass(slots=True)
class Kept:
    """What the changes so far add up to: everything by its id, oldest first."""

    messages: dict[int, Message] = field(default_factory=dict)
    topics: dict[int, str] = field(default_factory=dict)
    files: dict[str, Stored] = field(default_factory=dict)
    updates: dict[int, Queued] = field(default_factory=dict)
    next_id: int = 0

    def take(self, change: Change) -> None:
        """One more of them."""
        match change:
            case Stands(message=message):
                self.messages[message.id] = message
                self._reach(message.id)
            case Queued(update=update):
                self.updates[update["update_id"]] = change
                self._reach(update["update_id"])
            case Topics(names=topics):
                self.topics = topics
                self._reach(*topics)
            case Stored(id=number):
                self.files[number] = change
            case Gone(ids=ids):
                _drop(self.messages, ids)
            case Taken(ids=ids):
                _drop(self.updates, ids)
            case Lost(ids=names):
                _drop(self.files, names)
            case Reached(next_id=next_id):
                self._reach(next_id - 1)
            case _:
                assert_never(change)

    def changes(self) -> Iterator[Change]:
        """The fewest that add up to this."""
        yield Reached(self.next_id)
        yield Topics(self.topics)
        yield from self.files.values()
        yield from map(Stands, self.messages.values())
        yield from self.updates.values()

    def _reach(self, *numbers: int) -> None:
        self.next_id = max(self.next_id, *(number + 1 for number in numbers), 0)


def _drop(known: dict[_Id, _Thing], ids: tuple[_Id, ...]) -> None:
    for number in ids:
        known.pop(number, None)
