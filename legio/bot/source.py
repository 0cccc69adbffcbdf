"""The text as Caesar typed it: his client makes entities of backticks and takes them out of the text.

Without them `@vorenus` in code would address vorenus, and an agent would not see what was code.
"""

from collections.abc import Iterable

from telegram import Message, MessageEntity

from legio.bot.piece import utf16_length


def source(message: Message) -> str:
    """The message's text or caption with code marked as Markdown marks it; "" if it has none."""
    text = message.text or message.caption or ""
    entities = message.entities if message.text else message.caption_entities
    marks = [mark for entity in entities for mark in _marks(text, entity)]
    return _inserted(text, marks)


def _marks(text: str, entity: MessageEntity) -> Iterable[tuple[int, str]]:
    """What to write where, in UTF-16 offsets; a fence needs lines of its own."""
    end = entity.offset + entity.length
    if entity.type == MessageEntity.CODE:
        return ((entity.offset, "`"), (end, "`"))
    if entity.type == MessageEntity.PRE:
        before = "" if entity.offset == 0 else "\n"
        after = "" if end == utf16_length(text) else "\n"
        return ((entity.offset, f"{before}```{entity.language or ''}\n"), (end, f"\n```{after}"))
    return ()


def _inserted(text: str, marks: Iterable[tuple[int, str]]) -> str:
    encoded = text.encode("utf-16-le")
    for offset, mark in sorted(marks, reverse=True):
        encoded = encoded[: 2 * offset] + mark.encode("utf-16-le") + encoded[2 * offset :]
    return encoded.decode("utf-16-le")
