"""What one row of the outbox says: a message to be sent, as a value and as JSON.

The messenger writes it, the courier reads it, perhaps in a later version of the program: so it is read
strictly, and refused as a whole where it makes no sense. What is sent how is the courier's business.
"""

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields, replace
from types import UnionType
from typing import Any, Final, TypeVar, assert_never

from legio.bot.piece import Entity
from legio.errors import LegioError
from legio.ports import Button

T = TypeVar("T")

Rows = tuple[tuple[Button, ...], ...]
"""Buttons as they stand under a message, row by row."""

ROW_CHARACTERS: Final = 34
FRAME_CHARACTERS: Final = 2
"""What stands side by side under a message on a phone, and what of it each button takes beside its label."""


@dataclass(frozen=True, slots=True)
class TextMessage:
    """A text. `reply_to` is Telegram's id of the message it answers.

    `silent` rings no phone, and `urgent` rings it in quiet hours, too. `thread` is the topic it stands in.
    """

    text: str
    entities: tuple[Entity, ...] = ()
    reply_to: int | None = None
    buttons: Rows = ()
    silent: bool = False
    urgent: bool = False
    thread: int | None = None


@dataclass(frozen=True, slots=True)
class DocumentMessage:
    """A text file, `content` in UTF-8, with a plain caption."""

    file_name: str
    content: str
    caption: str = ""
    reply_to: int | None = None
    silent: bool = False
    thread: int | None = None


@dataclass(frozen=True, slots=True)
class FileMessage:
    """A file of the castra, `path` relative to it, as a picture if that is meant and taken."""

    path: str
    file_name: str
    caption: str = ""
    picture: bool = False
    reply_to: int | None = None
    silent: bool = False
    thread: int | None = None


Message = TextMessage | DocumentMessage | FileMessage

_TEXT: Final = "text"
_DOCUMENT: Final = "document"
_FILE: Final = "file"


def in_rows(buttons: Iterable[Button]) -> Rows:
    """Side by side while their labels fit, row under row."""
    rows: list[tuple[Button, ...]] = []
    for button in buttons:
        wide = sum(len(it.label) + FRAME_CHARACTERS for it in (*(rows[-1] if rows else ()), button))
        if rows and wide <= ROW_CHARACTERS:
            rows[-1] += (button,)
        else:
            rows.append((button,))
    return tuple(rows)


def encode(message: Message) -> str:
    """The message as JSON."""
    match message:
        case TextMessage():
            kind = _TEXT
        case DocumentMessage():
            kind = _DOCUMENT
        case FileMessage():
            kind = _FILE
        case _:
            assert_never(message)
    return json.dumps({"kind": kind, **asdict(message)}, ensure_ascii=False, separators=(",", ":"))


def hushed(message: Message) -> Message:
    """The message as it is sent in quiet hours."""
    if isinstance(message, TextMessage) and message.urgent:
        return message
    return replace(message, silent=True)


def decode(payload: str) -> Message:
    """The message that `encode` wrote. Raises `LegioError` for anything else."""
    try:
        return _message(json.loads(payload))
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise LegioError(
            f"a message in the outbox cannot be read ({error}).",
            where="praetorium",
            remedy="It was written by another version of Legio, or changed by hand.",
        ) from error


def _message(row: dict[str, Any]) -> Message:
    kind = row.pop("kind")
    row = {"thread": None, **row}  # a row that was written before there were topics has none
    if kind == _TEXT:
        return _text_message(row)
    if kind == _DOCUMENT:
        return _strictly(DocumentMessage, row)
    if kind == _FILE:
        return _strictly(FileMessage, row)
    raise ValueError(f"unknown kind {kind!r}")


def _text_message(row: dict[str, Any]) -> TextMessage:
    entities = tuple(_strictly(Entity, entity) for entity in row.pop("entities"))
    buttons = tuple(tuple(_strictly(Button, button) for button in line) for line in row.pop("buttons"))
    # A row that was written before there was any urgency has none.
    return _strictly(TextMessage, {"urgent": False, **row, "entities": entities, "buttons": buttons})


def _strictly(kind: type[T], row: dict[str, Any]) -> T:
    """A value of `kind` from exactly its fields, each of exactly its type."""
    expected: dict[str, Any] = {field.name: field.type for field in fields(kind)}  # type: ignore[arg-type]
    if row.keys() != expected.keys():
        raise ValueError(f"{kind.__name__} has the fields {', '.join(sorted(row))}")
    for name, value in row.items():
        if not _is(value, expected[name]):
            raise TypeError(f"{kind.__name__}.{name} is {value!r}")
    return kind(**row)


def _is(value: object, annotation: type | UnionType) -> bool:
    """Whether a JSON value fits a plain annotation; true is no number here."""
    if isinstance(value, tuple):  # entities and buttons, which were built strictly before
        return True
    if isinstance(value, bool):
        return annotation is bool
    return isinstance(value, annotation)
