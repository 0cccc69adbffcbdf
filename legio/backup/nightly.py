"""A backup a day while Legio works: made in the night, made up for after downtime, the oldest taken away.

When one is due is seen from the files alone, so it is never forgotten and never doubled. What was never
spoken of needs no backup: a castra without a nuntius has none.
"""

import asyncio
import shutil
import threading
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime, timedelta, tzinfo
from pathlib import Path
from typing import Final

import structlog

from legio.backup.archive import DRAFT, NIGHTLY, Archive, Source, make, name, taken
from legio.config import BackupConfig
from legio.errors import LegioError
from legio.ports import Clock, Nuntii

BACKUP_MADE: Final = "backup.made"
BACKUP_FAILED: Final = "backup.failed"
BACKUP_UNROTATED: Final = "backup.unrotated"

LOOK_SECONDS: Final = 300.0
AGAIN_SECONDS: Final = 3600.0
LEFT_BEHIND: Final = timedelta(days=1)
"""The age from which a draft is one that a killed process has left."""

log = structlog.get_logger()


class Abandoned(Exception):
    """Legio stops, and does not wait for a backup."""


class Nightly:
    """`run` is the body of a guarded task. `tell` speaks to Caesar; `zone` is this machine's unless given."""

    def __init__(
        self,
        settings: BackupConfig,
        source: Source,
        nuntii: Nuntii,
        clock: Clock,
        tell: Callable[[str], Awaitable[None]],
        *,
        zone: tzinfo | None = None,
    ) -> None:
        self._settings = settings
        self._source = source
        self._nuntii = nuntii
        self._clock = clock
        self._tell = tell
        self._zone = zone
        self._failing = False

    async def run(self) -> None:
        """Look now and then, for ever, and make a backup whenever one is due; nothing, if none is kept."""
        while self._settings.keep:
            well = await self._make() if await self._due() else True
            await self._clock.sleep(LOOK_SECONDS if well else AGAIN_SECONDS)

    async def _due(self) -> bool:
        """Whether nothing was kept since the hour last struck, and there was something to keep by then."""
        struck, now = self._struck(), self._clock.now()
        if any(
            struck <= taken(path) <= now for path in self._kept()
        ):  # one of a wrong clock's future is none
            return False
        first = await self._nuntii.get(1)
        return first is not None and first.timestamp < struck

    def _struck(self) -> datetime:
        now = self._clock.now().astimezone(self._zone)
        today = now.replace(hour=self._settings.hour, minute=0, second=0, microsecond=0)
        return today if today <= now else today - timedelta(days=1)

    def _kept(self) -> Sequence[Path]:
        """The nightly backups that there are, oldest first."""
        return sorted(self._settings.folder.glob(f"{NIGHTLY}-????-??-??T??-??-??Z.tar.gz"))

    async def _make(self) -> bool:
        now = self._clock.now()
        try:
            archive = await self._in_a_thread(self._settings.folder / name(NIGHTLY, now), now)
        except (
            Exception
        ) as error:  # the border of one backup: whatever it was, it must not come at once again
            log.exception(BACKUP_FAILED, error=str(error))
            await self._complain(str(error) if isinstance(error, LegioError) else "The log says why.")
            return False
        log.info(BACKUP_MADE, path=str(archive.path), bytes=archive.size, left_out=archive.left_out)
        self._failing = False
        self._rotate(now)
        return True

    async def _in_a_thread(self, target: Path, now: datetime) -> Archive:
        stopping = threading.Event()

        def proceed() -> None:
            if stopping.is_set():
                raise Abandoned

        try:
            return await asyncio.to_thread(make, self._source, target, now=now, proceed=proceed)
        finally:
            stopping.set()  # a thread cannot be cancelled, and the process would wait for it

    async def _complain(self, reason: str) -> None:
        if not self._failing:
            await self._tell(f"⚠️ The nightly backup failed; it is tried again every hour. {reason}")
        self._failing = True

    def _rotate(self, now: datetime) -> None:
        try:
            for path in self._kept()[: -self._settings.keep]:
                path.unlink(missing_ok=True)
            for draft in self._settings.folder.glob(f"{DRAFT}*"):
                if draft.stat().st_mtime < (now - LEFT_BEHIND).timestamp():
                    shutil.rmtree(draft)
        except OSError as error:
            log.warning(BACKUP_UNROTATED, error=str(error))
