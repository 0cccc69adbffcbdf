"""How many tokens a text has, asked of the model's provider by a call that costs nothing.

What was counted is kept, as a draft is counted while it is typed. Who does not answer is let alone for a
while; until then, and where nobody counts at all, it is guessed, and said so.
"""

import asyncio
import hashlib
import math
import ssl
from collections import OrderedDict
from collections.abc import Sequence
from functools import lru_cache

import httpx
import structlog

from legio.claude.agent import Line
from legio.claude.probe import MODEL, PROVIDER, headers
from legio.ports import Clock, Tokens
from legio.tuning import ALIASES

log = structlog.get_logger()

ANSWER_SECONDS = 5.0
"""For all texts of one question together."""
REST_SECONDS = 30.0
"""So long nobody is asked who did not answer; the provider's own limits are by the minute."""
MOST_KEPT = 500
BYTES_PER_TOKEN = 3.5
"""Of English, by the provider's glossary (https://docs.anthropic.com/en/docs/about-claude/glossary)."""
GUESSED = f"guessed: {BYTES_PER_TOKEN} bytes a token"

_Key = tuple[str, bytes]


class ProviderCounter:
    """The `TokenCounter` port over a line to the model."""

    def __init__(self, line: Line, clock: Clock, *, seconds: float = ANSWER_SECONDS) -> None:
        self._line = line
        self._clock = clock
        self._seconds = seconds
        self._counted: OrderedDict[_Key, int] = OrderedDict()
        self._asked_again = 0.0

    async def count(self, texts: Sequence[str], *, model: str | None = None) -> tuple[Tokens, ...]:
        """Each text by itself. What an alias means the CLI alone knows, so another model counts for it."""
        own = model is not None and model not in ALIASES
        by = model if own and model else MODEL
        try:
            await self._ask_for(["", *texts], by)
        except (httpx.HTTPError, TimeoutError, ValueError, LookupError, TypeError) as error:
            log.info("tokens.uncounted", model=by, error=f"{type(error).__name__}: {error}")
            self._asked_again = self._clock.monotonic() + REST_SECONDS
        return tuple(self._told(text, by, own=own) for text in texts)

    def _told(self, text: str, model: str, *, own: bool) -> Tokens:
        whole, base = self._counted.get(_key(text, model)), self._counted.get(_key("", model))
        if whole is None or base is None:
            return Tokens(guess(text), about=True, rule=GUESSED)
        number = max(whole - base, 0)
        if own:
            return Tokens(number, about=False, rule=f"counted by {model}")
        return Tokens(number, about=True, rule=f"counted by {model}, in the place of the agent's own model")

    async def _ask_for(self, texts: Sequence[str], model: str) -> None:
        """See that all are counted; without a text, what a conversation has that has no system prompt."""
        for text in texts:
            if (key := _key(text, model)) in self._counted:
                self._counted.move_to_end(key)
        lacking = [text for text in dict.fromkeys(texts) if _key(text, model) not in self._counted]
        if not lacking or self._clock.monotonic() < self._asked_again:
            return
        url = f"{self._line.base_url or PROVIDER}/v1/messages/count_tokens"
        verify = await asyncio.to_thread(_certificates) if url.startswith("https:") else False
        async with (
            asyncio.timeout(self._seconds),
            httpx.AsyncClient(timeout=self._seconds, verify=verify) as client,
        ):
            asked = (self._ask(client, url, text, model) for text in lacking)
            failures = [each for each in await asyncio.gather(*asked, return_exceptions=True) if each]
        if failures:
            raise failures[0]

    async def _ask(self, client: httpx.AsyncClient, url: str, text: str, model: str) -> None:
        body: dict[str, object] = {"model": model, "messages": [{"role": "user", "content": "ave"}]}
        if text:
            body["system"] = text
        answer = await client.post(url, json=body, headers=headers(self._line))
        number = answer.raise_for_status().json()["input_tokens"]
        self._counted[_key(text, model)] = int(number)
        while len(self._counted) > MOST_KEPT:
            self._counted.popitem(last=False)


def guess(text: str) -> int:
    """A number of tokens that is near the real one for most languages."""
    return math.ceil(len(text.encode("utf-8", "surrogatepass")) / BYTES_PER_TOKEN)


def _key(text: str, model: str) -> _Key:
    return model, hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


@lru_cache(maxsize=1)
def _certificates() -> ssl.SSLContext:
    """To load them takes longer than a call."""
    return httpx.create_ssl_context()
