"""The parts of a Legio, built and not begun."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from legio.app import Deployment
from legio.app.core import Core, core
from legio.app.door import Door, door
from legio.app.front import Front, front
from legio.config import Config, Secrets
from legio.praetorium import open_praetorium
from tests.camp import write_castra

TOKEN = "7:secret"
SECRET = "JBSWY3DPEHPK3PXP"


@dataclass(frozen=True, slots=True)
class Parts:
    front: Front
    core: Core
    door: Door


@asynccontextmanager
async def parts(tmp_path: Path, secrets: Secrets | None = None) -> AsyncIterator[Parts]:
    castra = write_castra(tmp_path / "castra")
    config = replace(Config(), castra=castra.root)
    deployment = Deployment(config, secrets or Secrets(), caesar_id=7, token=TOKEN)
    async with open_praetorium(castra.database, deployment.clock) as praetorium:
        telegram = front(deployment, praetorium)
        camp = await core(deployment, praetorium, telegram)
        try:
            yield Parts(telegram, camp, door(deployment, praetorium, telegram, camp))
        finally:
            await camp.sessions.close(patience=0)
