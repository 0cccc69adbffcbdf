"""What Telegram tells a Mini App of who opened it (`initData`), and whether Telegram said so.

The check is that of https://core.telegram.org/bots/webapps#validating-data-received-via-the-mini-app: a hash
over all other fields, sorted, with a key that follows from the bot's token.
"""

import asyncio
import hashlib
import hmac
import json
from datetime import UTC, datetime, timedelta
from typing import Final
from urllib.parse import parse_qsl

from legio.ports import Clock, Settings

OLDEST: Final = timedelta(minutes=5)
SKEW: Final = timedelta(seconds=30)
"""How far Telegram's clock may be ahead of this machine's."""
LONGEST: Final = 8192
MOST_FIELDS: Final = 50
SETTING: Final = "console.initdata"

UNREADABLE = "unreadable"
FORGED = "forged"
STALE = "stale"
EARLY = "from the future"
STRANGER = "somebody else"
USED = "used before"


class InitData:
    """Judges it, each once, also over a restart. Belongs to one event loop."""

    def __init__(self, settings: Settings, clock: Clock, *, token: str, caesar_id: int) -> None:
        self._settings = settings
        self._clock = clock
        self._key = hmac.new(b"WebAppData", token.encode(), hashlib.sha256).digest()
        self._caesar_id = caesar_id
        self._taking = asyncio.Lock()

    async def take(self, raw: str) -> str:
        """What is wrong with it, or an empty text; then it is used up, on the disk, when this returns."""
        fields = _fields(raw)
        if fields is None:
            return UNREADABLE
        given = fields.pop("hash", "")
        if not hmac.compare_digest(self._signed(fields).encode(), given.encode("utf-8", "replace")):
            return FORGED
        # From here on the words are Telegram's.
        return self._judged(fields) or await self._spent(given)

    def _signed(self, fields: dict[str, str]) -> str:
        checked = "\n".join(f"{name}={fields[name]}" for name in sorted(fields))
        return hmac.new(self._key, checked.encode("utf-8", "replace"), hashlib.sha256).hexdigest()

    def _judged(self, fields: dict[str, str]) -> str:
        try:
            made = datetime.fromtimestamp(int(fields["auth_date"]), UTC)
            user = json.loads(fields["user"])["id"]
        except (ValueError, KeyError, TypeError, OverflowError, OSError, RecursionError):
            return UNREADABLE
        age = self._clock.now() - made
        if age > OLDEST:
            return STALE
        if age < -SKEW:
            return EARLY
        return "" if isinstance(user, int) and user == self._caesar_id else STRANGER

    async def _spent(self, given: str) -> str:
        now = self._clock.now()
        async with self._taking:  # two who bring the same at once: the second finds it used
            kept = _kept(await self._settings.get(SETTING), now)
            key = hashlib.sha256(given.encode()).hexdigest()
            if key in kept:
                return USED
            kept[key] = (now + OLDEST + SKEW).timestamp()
            await self._settings.put(SETTING, json.dumps(kept))
        return ""


def _fields(raw: str) -> dict[str, str] | None:
    """The fields, each there once; None for what is no such list."""
    if len(raw) > LONGEST:
        return None
    try:
        pairs = parse_qsl(raw, keep_blank_values=True, strict_parsing=True, max_num_fields=MOST_FIELDS)
    except ValueError:
        return None
    fields = dict(pairs)
    return fields if fields and len(fields) == len(pairs) else None


def _kept(written: str | None, now: datetime) -> dict[str, float]:
    """Those used that would still be young enough; what was changed by hand counts for nothing."""
    try:
        found = json.loads(written or "{}").items()
        return {str(key): float(until) for key, until in found if float(until) > now.timestamp()}
    except (ValueError, TypeError, AttributeError):
        return {}
