"""The commands over a legion without Telegram."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from legio.bot.commands import Commands
from legio.bot.desk import Desk
from legio.clock import SystemClock
from legio.memoria.store import FileMemoria
from tests.camp import Legion, legion
from tests.fakes import Stage


@asynccontextmanager
async def desk(
    tmp_path: Path, stage: Stage | None = None
) -> AsyncIterator[tuple[Commands, Legion, FileMemoria]]:
    async with legion(tmp_path / "castra", stage or Stage()) as camp:
        memoria = FileMemoria(camp.castra, SystemClock())
        yield (
            Commands(
                Desk(
                    camp.legatus,
                    camp.sessions,
                    camp.roster,
                    camp.recruiting,
                    camp.decisions,
                    memoria,
                    camp.praetorium.nuntii,
                    camp.praetorium.turns,
                    camp.praetorium.ledger,
                    camp.messenger,
                )
            ),
            camp,
            memoria,
        )
