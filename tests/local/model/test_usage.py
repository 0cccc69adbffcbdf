from collections.abc import Mapping

from legio.local.model import usage
from legio.local.model.usage import PromptCache, Weight, tokens
from tests.local.model.asking import body, user

MARK = {"cache_control": {"type": "ephemeral"}}


def text(text: str, *, marked: bool = False) -> Mapping[str, object]:
    return {"type": "text", "text": text, **(MARK if marked else {})}


def asked(*blocks: Mapping[str, object]) -> dict[str, object]:
    return {"system": "s" * 400, "messages": [{"role": "user", "content": [*blocks]}]}


def test_four_characters_are_a_token_and_there_is_always_one() -> None:
    assert (tokens(""), tokens("abc"), tokens("abcdefgh")) == (1, 1, 2)


def test_a_prompt_without_marks_is_all_fresh_however_often_it_comes() -> None:
    cache = PromptCache()
    first, second = cache.weigh(body(user("ave"))), cache.weigh(body(user("ave")))

    assert first == second == Weight(fresh=first.total)
    assert first.total > 10


def test_what_is_marked_is_written_once_and_then_read() -> None:
    cache = PromptCache()
    first = cache.weigh(asked(text("ave", marked=True), text("more")))
    second = cache.weigh(asked(text("ave", marked=True), text("more")))

    assert (first.cache_read, second.cache_written) == (0, 0)
    assert first.cache_written == second.cache_read > 100
    assert first.fresh == second.fresh > 0


def test_a_mark_that_moves_forward_reads_what_stood_before_it() -> None:
    cache = PromptCache()
    first = cache.weigh(asked(text("ave", marked=True)))
    second = cache.weigh(asked(text("ave"), text("vale", marked=True)))

    assert second.cache_read == first.total
    assert second.cache_written > 0
    assert second.fresh == 0


def test_what_is_read_behind_the_last_mark_is_counted_once() -> None:
    cache = PromptCache()
    first = cache.weigh(asked(text("ave", marked=True), text("vale", marked=True)))
    second = cache.weigh(asked(text("ave", marked=True), text("vale")))

    assert second == Weight(fresh=0, cache_read=first.total)


def test_another_beginning_reads_nothing() -> None:
    cache = PromptCache()
    cache.weigh(asked(text("ave", marked=True)))

    changed = cache.weigh({**asked(text("ave", marked=True)), "system": "another"})

    assert changed.cache_read == 0


def test_the_cache_forgets_the_oldest() -> None:
    cache = PromptCache()
    for number in range(usage.MAX_PREFIXES + 1):
        cache.weigh({"messages": [{"role": "user", "content": [text(str(number), marked=True)]}]})

    def read(number: int) -> int:
        content = [text(str(number), marked=True)]
        return cache.weigh({"messages": [{"role": "user", "content": content}]}).cache_read

    assert read(usage.MAX_PREFIXES) > 0
    assert read(0) == 0


def test_a_body_without_messages_weighs_nothing() -> None:
    assert PromptCache().weigh({}) == Weight(fresh=0)
