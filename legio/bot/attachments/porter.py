"""Files fetched from Telegram and kept in the castra, each within the bounds of size, type and time.

What is refused or cannot be had comes back as an attachment without a place, with the reason: the rest of
what Caesar sent is not held up by it.
"""

import asyncio
import math
from dataclasses import dataclass
from datetime import date
from fnmatch import fnmatchcase
from typing import Final

import structlog
from telegram import Bot
from telegram.error import BadRequest, Forbidden, InvalidToken, RetryAfter, TelegramError

from legio.attachments import Depot, fit, is_picture
from legio.bot.attachments.contents import Remote
from legio.bot.sending import seconds_asked
from legio.config import AttachmentsConfig
from legio.errors import LegioError, Refused
from legio.nuntius import Attachment
from legio.ports import Clock

log = structlog.get_logger()

TRY_SECONDS: Final = 90.0
"""How long one try may take: 20 MB over a slow line."""
READ_SECONDS: Final = 20.0
WAITS: Final = (1.0, 3.0, 10.0, 30.0)
"""The rests between tries; after the last one it is given up, and said."""
MEGABYTE: Final = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Errand:
    """A file to be fetched: `key` makes its place one of its own, on the day on which it was sent."""

    remote: Remote
    key: str
    day: date


class Porter:
    """Fetches files with `bot` into `depot`."""

    def __init__(self, bot: Bot, depot: Depot, config: AttachmentsConfig, clock: Clock) -> None:
        self._bot = bot
        self._depot = depot
        self._config = config
        self._clock = clock

    async def fetch(self, errand: Errand) -> Attachment:
        """The file as an attachment, without a place where it was not kept. Raises CancelledError alone."""
        remote = errand.remote
        try:
            self._refuse(remote, remote.size or 0)
            content = await self._downloaded(remote)
            self._refuse(remote, len(content))
            if is_picture(remote.media_type):
                await asyncio.to_thread(fit, content)  # what no agent could be shown is better said now
            place = await asyncio.to_thread(self._depot.keep, errand.day, errand.key, remote.name, content)
        except LegioError as error:
            log.warning("attachment.refused", kind=remote.kind, size=remote.size, error=str(error))
            note = f"it was not kept: {error.what.rstrip('.')}"
            return Attachment("", remote.name, remote.media_type, remote.size or 0, remote.kind, note)
        return Attachment(place, remote.name, remote.media_type, len(content), remote.kind)

    def _refuse(self, remote: Remote, size: int) -> None:
        """Raises `Refused` for what is too large or of a type that is not taken."""
        most = self._config.max_mb
        if size > most * MEGABYTE:
            raise Refused(
                f"it has {math.ceil(size / MEGABYTE * 10) / 10} MB, and at most {most} MB are taken."
            )
        if not any(fnmatchcase(remote.media_type, pattern) for pattern in self._config.types.split()):
            raise Refused(f"files of the type {remote.media_type} are not taken.")

    async def _downloaded(self, remote: Remote) -> bytes:
        for wait in (*WAITS, None):
            try:
                async with asyncio.timeout(TRY_SECONDS):
                    file = await self._bot.get_file(remote.id)
                    return bytes(await file.download_as_bytearray(read_timeout=READ_SECONDS))
            except (BadRequest, Forbidden, InvalidToken) as error:
                # So PTB calls a 404, too: Telegram keeps a file for an hour after it was asked for.
                raise Refused(f"Telegram does not hand it out ({self._plain(error)}).") from error
            except (TelegramError, TimeoutError) as error:
                log.info("attachment.again", error=self._plain(error), again_in=wait)
                if wait is None:
                    raise Refused("it could not be fetched from Telegram.") from error
                await self._clock.sleep(seconds_asked(error) if isinstance(error, RetryAfter) else wait)
        raise AssertionError("the last try returns or raises")  # pragma: no cover

    def _plain(self, error: Exception) -> str:
        """What was said, without the token that stands in a file's address."""
        return (str(error) or type(error).__name__).replace(self._bot.token, "…")
