"""Text and its entities, by Telegram's rules: lengths and offsets in UTF-16 units, checked before anything.

Pure. What a message is besides its text is told in `message`.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from legio.local.botapi.wire import Refusal, Wire, bad_request

TEXT_LIMIT = 4096
CAPTION_LIMIT = 1024
ENTITY_LIMIT = 100

FORMATS = frozenset(
    {
        "bold", "italic", "underline", "strikethrough", "spoiler", "code", "pre", "blockquote",
        "expandable_blockquote", "text_link", "text_mention", "custom_emoji",
    }
)  # fmt: skip
DETECTED = frozenset(
    {"mention", "hashtag", "cashtag", "bot_command", "url", "email", "phone_number", "date_time"}
)
OPAQUE = frozenset({"code", "pre", "text_link", "text_mention", "url", "email"})

PATTERNS = (
    ("url", re.compile(r"https?://[^\s<>\"]*[^\s<>\".,:;!?'()\[\]]")),
    ("email", re.compile(r"(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+")),
    ("bot_command", re.compile(r"(?<![\w/@<])/[A-Za-z0-9_]{1,64}(?:@\w{3,32})?(?![\w/])")),
    ("mention", re.compile(r"(?<![\w@])@[A-Za-z0-9_]{3,32}(?!\w)")),
    ("hashtag", re.compile(r"(?<!\w)#\w*[^\W\d_]\w*")),
)


@dataclass(frozen=True, slots=True)
class Entity:
    """A stretch of text with a meaning; `offset` and `length` count UTF-16 units."""

    type: str
    offset: int
    length: int
    url: str = ""
    language: str = ""
    custom_emoji_id: str = ""
    user_id: int = 0

    @property
    def end(self) -> int:
        """The unit after the last."""
        return self.offset + self.length

    def wire(self) -> Wire:
        """As Telegram writes it: only what is set."""
        body: Wire = {"type": self.type, "offset": self.offset, "length": self.length}
        for name in ("url", "language", "custom_emoji_id"):
            if value := getattr(self, name):
                body[name] = value
        if self.user_id:
            body["user"] = {"id": self.user_id, "is_bot": False, "first_name": ""}
        return body


@dataclass(frozen=True, slots=True)
class Text:
    """A text whose entities fit it."""

    plain: str = ""
    entities: tuple[Entity, ...] = ()


def utf16_length(plain: str) -> int:
    """How long Telegram finds it. Raises `Refusal` for half a surrogate pair, which no UTF-8 can carry."""
    try:
        return len(plain.encode("utf-16-le")) // 2
    except UnicodeEncodeError:
        raise bad_request("strings must be encoded in UTF-8") from None


def formatted(plain: str, entities: Sequence[object], *, limit: int, too_long: str) -> Text:
    """The text as it will stand: checked, trimmed as Telegram trims, with what is found in it marked.

    Raises `Refusal` for entities that do not fit the text, and with the words `too_long` above `limit` units.
    """
    given = tuple(_entity(raw) for raw in entities)
    if len(given) > ENTITY_LIMIT:
        raise bad_request("ENTITIES_TOO_LONG")
    _check_ranges(plain, given)
    kept = tuple(entity for entity in given if entity.type in FORMATS)
    text = _trimmed(Text(plain, tuple(sorted(kept, key=_order))))
    if utf16_length(text.plain) > limit:
        raise bad_request(too_long)
    found = tuple(_found(text))
    return Text(text.plain, tuple(sorted((*text.entities, *found), key=_order)))


def pieces(plain: str, limit: int = TEXT_LIMIT) -> list[str]:
    """A long text cut as Telegram's clients cut what a person pastes: at `limit` units, nothing lost."""
    cut: list[str] = []
    start = units = 0
    for index, character in enumerate(plain):
        width = 2 if ord(character) > 0xFFFF else 1
        if units + width > limit:
            cut.append(plain[start:index])
            start, units = index, 0
        units += width
    return [*cut, plain[start:]]


def _order(entity: Entity) -> tuple[int, int]:
    return entity.offset, -entity.length


def _entity(raw: object) -> Entity:
    if not isinstance(raw, dict):
        raise bad_request("can't parse entities: expected an Object")
    kind, offset, length = raw.get("type"), raw.get("offset"), raw.get("length")
    if not isinstance(kind, str) or kind not in FORMATS | DETECTED:
        raise bad_request("can't parse MessageEntity: Unsupported type specified")
    if not isinstance(offset, int) or not isinstance(length, int):
        raise bad_request('can\'t parse MessageEntity: Field "offset" and "length" must be of type Number')
    entity = Entity(
        kind,
        offset,
        length,
        url=str(raw.get("url") or ""),
        language=str(raw.get("language") or ""),
        custom_emoji_id=str(raw.get("custom_emoji_id") or ""),
        user_id=_user(raw.get("user")),
    )
    if kind == "text_link" and not re.match(r"(https?|tg)://[^\s]", entity.url):
        raise bad_request(f"entity URL '{entity.url}' is invalid: Wrong HTTP URL")
    return entity


def _user(raw: object) -> int:
    identity = raw.get("id") if isinstance(raw, dict) else 0
    return identity if isinstance(identity, int) else 0


def _check_ranges(plain: str, entities: Sequence[Entity]) -> None:
    """Every entity lies in the text, splits no character, and is inside or outside of every other."""
    total = utf16_length(plain)
    inside = _inside_pairs(plain)
    enclosing: list[Entity] = []
    for entity in sorted(entities, key=_order):
        if entity.offset < 0 or entity.length <= 0:
            raise _misfit(entity, "has a wrong offset or length")
        if entity.offset in inside:
            raise _misfit(entity, "begins in a middle of a UTF-16 symbol")
        if entity.end in inside:
            raise _misfit(entity, "ends in a middle of a UTF-16 symbol")
        while enclosing and enclosing[-1].end <= entity.offset:
            enclosing.pop()
        # An entity that crosses the end of another one is refused with the same words.
        if entity.end > (enclosing[-1].end if enclosing else total):
            raise _misfit(entity, f"ends after the end of the text at UTF-16 offset {entity.end}")
        enclosing.append(entity)


def _misfit(entity: Entity, how: str) -> Refusal:
    return bad_request(f"entity beginning at UTF-16 offset {entity.offset} {how}")


def _inside_pairs(plain: str) -> set[int]:
    """The offsets that fall between the two units of one character."""
    inside: set[int] = set()
    position = 0
    for character in plain:
        if ord(character) > 0xFFFF:
            inside.add(position + 1)
            position += 1
        position += 1
    return inside


def _trimmed(text: Text) -> Text:
    """Without white space at both ends, but never into an entity at the beginning."""
    if not text.plain.strip():
        return Text()
    leading = len(text.plain) - len(text.plain.lstrip())
    if text.entities:
        leading = min(leading, text.entities[0].offset)
    plain = text.plain[leading:].rstrip()
    end = utf16_length(plain)
    shifted = (replace(entity, offset=entity.offset - leading) for entity in text.entities)
    clipped = (replace(entity, length=min(entity.end, end) - entity.offset) for entity in shifted)
    return Text(plain, tuple(entity for entity in clipped if entity.length > 0))


def _found(text: Text) -> Iterator[Entity]:
    """Links, commands, mentions and the like, which Telegram marks by itself in every text."""
    taken = list(text.entities)
    for kind, pattern in PATTERNS:
        for match in pattern.finditer(text.plain):
            offset = utf16_length(text.plain[: match.start()])
            entity = Entity(kind, offset, utf16_length(match.group()))
            if all(_goes_with(entity, other) for other in taken):
                taken.append(entity)
                yield entity


def _goes_with(entity: Entity, other: Entity) -> bool:
    apart = entity.end <= other.offset or other.end <= entity.offset
    within = other.offset <= entity.offset and entity.end <= other.end
    return apart or (within and other.type not in OPAQUE and other.type in FORMATS)
