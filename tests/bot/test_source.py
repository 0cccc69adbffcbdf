from telegram import Message

from legio import mentions
from legio.bot.source import source
from tests.bot.updates import BOT, message


def typed(text: str, *entities: dict[str, object]) -> str:
    made = Message.de_json(message(text, entities=list(entities)), BOT)
    assert made is not None
    return source(made)


def test_code_gets_its_backticks_back_and_addresses_nobody() -> None:
    text = typed("🦅 run @vorenus now", {"type": "code", "offset": 7, "length": 8})
    assert text == "🦅 run `@vorenus` now"
    assert mentions.find(text, ["vorenus"]).addressed == ()


def test_a_block_gets_its_fence_and_language_back() -> None:
    text = typed("look\n@pullo()\nwell", {"type": "pre", "offset": 5, "length": 8, "language": "python"})
    assert "```python\n@pullo()\n```" in text
    assert mentions.find(text, ["pullo"]).addressed == ()


def test_a_message_that_is_all_code_is_one_fence() -> None:
    assert typed("x = 1", {"type": "pre", "offset": 0, "length": 5}) == "```\nx = 1\n```"


def test_other_entities_change_nothing() -> None:
    text = "@vorenus look here"
    assert typed(text, {"type": "bold", "offset": 9, "length": 4}) == text
    assert mentions.find(text, ["vorenus"]).addressed == ("vorenus",)


def test_several_marks_keep_their_places() -> None:
    entities = [{"type": "code", "offset": 0, "length": 1}, {"type": "code", "offset": 5, "length": 1}]
    assert typed("a, 🦅b", *entities) == "`a`, 🦅`b`"


def test_a_caption_is_read_like_a_text() -> None:
    entities = [{"type": "code", "offset": 5, "length": 6}]
    made = Message.de_json(message(None, caption="look @pullo", caption_entities=entities), BOT)
    assert made is not None
    assert source(made) == "look `@pullo`"
