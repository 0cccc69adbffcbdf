"""What one row of the outbox says: a message to be sent, as a value and as JSON.

The messenger writes it, the courier reads it, perhaps in a later version of the program: so it is read
strictly, and refused as a whole where it makes no sense. What is sent how is the courier's business.
"""

import json
from dataclasses import asdict, dataclass, fields
from types import UnionType
from typing import Any, Final, TypeVar, assert_never

from legio.bot.piece import Entity
from legio.errors import LegioError
from legio.ports import Button

T = TypeVar("T")

Rows = tuple[tuple[Button, ...], ...]
"""Buttons as they stand under a message, row by row."""


@dataclass(frozen=True, slots=True)
class TextMessage:
    """A text. `reply_to` is Telegram's id of the message it answers; `silent` rings no phone."""

    text: str
    entities: tuple[Entity, ...] = ()
    reply_to: int | None = None
    buttons: Rows = ()
    silent: bool = False


@dataclass(frozen=True, slots=True)
class DocumentMessage:
    """A text file, `content` in UTF-8, with a plain caption."""

    file_name: str
    content: str
    caption: str = ""
    reply_to: int | None = None
    silent: bool = False


Message = TextMessage | DocumentMessage

_TEXT: Final = "text"
_DOCUMENT: Final = "document"


def encode(message: Message) -> str:
    """The message as JSON."""
    match message:
        case TextMessage():
            kind = _TEXT
        case DocumentMessage():
            kind = _DOCUMENT
        case _:
            assert_never(message)
    return json.dumps({"kind": kind, **asdict(message)}, ensure_ascii=False, separators=(",", ":"))


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
    if kind == _TEXT:
        return _text_message(row)
    if kind == _DOCUMENT:
        return _strictly(DocumentMessage, row)
    raise ValueError(f"unknown kind {kind!r}")


def _text_message(row: dict[str, Any]) -> TextMessage:
    entities = tuple(_strictly(Entity, entity) for entity in row.pop("entities"))
    buttons = tuple(tuple(_strictly(Button, button) for button in line) for line in row.pop("buttons"))
    return _strictly(TextMessage, {**row, "entities": entities, "buttons": buttons})


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
