"""The one-time link: 256 random bits, good once and for ten minutes, and kept as a hash alone.

Only the newest is good. It may be made by another process than the one that takes it: `legio login` writes it
into the praetorium of the Legio that runs.
"""

import asyncio
import hashlib
import hmac
import secrets
from datetime import datetime, timedelta
from typing import Final

from legio.ports import Clock, Settings

SETTING: Final = "console.link"
GOOD_FOR: Final = timedelta(minutes=10)
LONGEST: Final = 100
"""In characters, of what is looked at at all."""


class Links:
    """Belongs to one event loop."""

    def __init__(self, settings: Settings, clock: Clock) -> None:
        self._settings = settings
        self._clock = clock
        self._taking = asyncio.Lock()

    async def make(self, base_url: str) -> str:
        """A new link, in an earlier one's place; no server is told what stands behind its '#'."""
        token = secrets.token_urlsafe(32)
        expires = self._clock.now() + GOOD_FOR
        await self._settings.put(SETTING, f"{_hashed(token)} {expires.isoformat()}")
        return f"{base_url}/login#{token}"

    async def take(self, token: str) -> bool:
        """Whether it is the newest link's token and still good; then it is used up when this returns."""
        async with self._taking:  # two who bring one token at once: the second finds it gone
            kept = await self._settings.get(SETTING)
            if kept is None or not self._fits(token, kept):
                return False
            await self._settings.drop(SETTING)
            return True

    def _fits(self, token: str, kept: str) -> bool:
        digest, _, expires = kept.partition(" ")
        known = len(token) <= LONGEST and hmac.compare_digest(_hashed(token), digest)
        return known and self._clock.now() <= datetime.fromisoformat(expires)


def _hashed(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()
