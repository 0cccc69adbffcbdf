"""How many tokens a request would have cost, and how many of them a prompt cache would have known.

Four characters count as one token. The cache works as the API documents it: what stands before a
`cache_control` mark is kept, in the order tools, system, messages, and a later request reads the longest
prefix that was kept. Marks themselves are no part of the content, because clients move them forward.
"""

import hashlib
import json
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

CHARACTERS_PER_TOKEN = 4
MAX_PREFIXES = 4096

Json = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Weight:
    """A prompt's tokens: new and not to be cached, read from the cache, written to it."""

    fresh: int
    cache_read: int = 0
    cache_written: int = 0

    @property
    def total(self) -> int:
        """The size of the whole prompt."""
        return self.fresh + self.cache_read + self.cache_written


def tokens(text: str) -> int:
    """A plausible count for `text`, at least 1."""
    return max(1, len(text) // CHARACTERS_PER_TOKEN)


class PromptCache:
    """The prefixes seen so far, the oldest forgotten first."""

    def __init__(self) -> None:
        self._kept: OrderedDict[bytes, None] = OrderedDict()

    def weigh(self, body: Json) -> Weight:
        """The prompt's tokens; what it marks is in the cache from now on."""
        total = read = marked = 0
        chain = hashlib.sha256()
        kept_now: list[bytes] = []
        for part in _parts(body):
            content = json.dumps({key: value for key, value in part.items() if key != "cache_control"})
            chain.update(content.encode())
            total += tokens(content)
            if chain.digest() in self._kept:
                read = total
            if "cache_control" in part:
                marked = total
                kept_now.append(chain.digest())
        self._keep(kept_now)
        return Weight(fresh=total - max(marked, read), cache_read=read, cache_written=max(marked - read, 0))

    def _keep(self, prefixes: list[bytes]) -> None:
        for prefix in prefixes:
            self._kept[prefix] = None
            self._kept.move_to_end(prefix)
        while len(self._kept) > MAX_PREFIXES:
            self._kept.popitem(last=False)


def _parts(body: Json) -> Iterator[Json]:
    yield from _contents(body.get("tools"))
    yield from _contents(body.get("system"))
    messages = body.get("messages")
    for message in messages if isinstance(messages, list) else []:
        for part in _contents(message.get("content")):
            yield {**part, "role": message.get("role")}


def _contents(value: object) -> list[Json]:
    if isinstance(value, str):
        return [{"type": "text", "text": value}]
    return value if isinstance(value, list) else []
