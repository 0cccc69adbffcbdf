"""Who is signed in: one visit for each browser, known by a cookie of 256 random bits and kept as its hash.

Visits outlast a restart and no month without use. The token that proves a write to come from the page follows
from the cookie, which no script can read, so nothing more has to be kept.
"""

import asyncio
import hashlib
import hmac
import json
import secrets
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final

import structlog

from legio.errors import LegioError
from legio.ports import Clock, Settings

log = structlog.get_logger()

SETTING: Final = "console.visits"
IDLE: Final = timedelta(days=30)
LONGEST: Final = timedelta(days=90)
NOTED: Final = timedelta(hours=1)
"""How exactly it is kept when a visit was last seen: the record is not written for each request."""
MOST: Final = 50
"""A Mini App may begin one each time it is opened; the one unseen for longest goes."""
LONGEST_COOKIE: Final = 100


@dataclass(frozen=True, slots=True)
class Visit:
    """One browser that is signed in. `key` is the hash of its cookie, `token` what its writes bring."""

    key: str
    began: datetime
    seen: datetime
    token: str = ""


class Visits:
    """Belongs to one event loop, and is the only writer of its setting. `over` is told of each that ends."""

    def __init__(self, settings: Settings, clock: Clock, over: Callable[[str], None]) -> None:
        self._settings = settings
        self._clock = clock
        self._over = over
        self._kept: dict[str, Visit] | None = None
        self._changing = asyncio.Lock()

    async def begin(self) -> str:
        """A new visit; returns the cookie's value, which nobody else ever had."""
        cookie, now = secrets.token_urlsafe(32), self._clock.now()
        async with self._changing:
            kept = await self._all()
            kept[_hashed(cookie)] = Visit(_hashed(cookie), now, now)
            while len(kept) > MOST:
                self._forget(kept, min(kept.values(), key=lambda visit: visit.seen).key)
            await self._keep(kept)
        return cookie

    async def of(self, cookie: str) -> Visit | None:
        """The visit of that cookie, with its token, while it is good."""
        if not cookie or len(cookie) > LONGEST_COOKIE:
            return None
        key, now = _hashed(cookie), self._clock.now()
        async with self._changing:
            kept = await self._all()
            visit = kept.get(key)
            if visit is None:
                return None
            if now - visit.seen > IDLE or now - visit.began > LONGEST:
                self._forget(kept, key)
                await self._note(kept)
                return None
            if now - visit.seen > NOTED:
                kept[key] = visit = replace(visit, seen=now)
                await self._note(kept)
        return replace(visit, token=_token(cookie))

    async def end(self, key: str) -> None:
        """That visit is over."""
        async with self._changing:
            kept = await self._all()
            self._forget(kept, key)
            await self._keep(kept)

    async def end_all(self) -> None:
        """Every visit is over."""
        async with self._changing:
            kept = await self._all()
            for key in tuple(kept):
                self._forget(kept, key)
            await self._keep(kept)

    def _forget(self, kept: dict[str, Visit], key: str) -> None:
        if kept.pop(key, None) is not None:
            self._over(key)

    async def _all(self) -> dict[str, Visit]:
        if self._kept is None:
            self._kept = _read(await self._settings.get(SETTING))
        return self._kept

    async def _note(self, kept: dict[str, Visit]) -> None:
        """As `_keep`, where a full disk shall not keep Caesar out."""
        try:
            await self._keep(kept)
        except LegioError as error:
            log.warning("console.visits_unwritten", error=str(error))

    async def _keep(self, kept: dict[str, Visit]) -> None:
        rows = [[visit.key, visit.began.isoformat(), visit.seen.isoformat()] for visit in kept.values()]
        await self._settings.put(SETTING, json.dumps(rows))


def _read(written: str | None) -> dict[str, Visit]:
    try:
        rows = json.loads(written or "[]")
        visits = [
            Visit(str(key), datetime.fromisoformat(began), datetime.fromisoformat(seen))
            for key, began, seen in rows
        ]
    except (ValueError, TypeError) as error:  # another version's, or changed by hand: one signs in again
        log.warning("console.visits_unreadable", error=str(error))
        return {}
    return {visit.key: visit for visit in visits}


def _hashed(cookie: str) -> str:
    return hashlib.sha256(cookie.encode("utf-8", "replace")).hexdigest()


def _token(cookie: str) -> str:
    return hmac.new(cookie.encode("utf-8", "replace"), b"legio: writes", hashlib.sha256).hexdigest()
