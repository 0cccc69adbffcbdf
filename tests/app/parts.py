"""The parts of a Legio, built and not begun."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from legio.app import Chat, Deployment
from legio.app.core import Core, core
from legio.app.door import Door, door
from legio.app.front import Front, front
from legio.app.page import Site, rooms, site
from legio.config import ClaudeConfig, Config, ConsoleConfig, Secrets
from legio.console import Bounds, Console, Metrics
from legio.console.page import Room
from legio.praetorium import Praetorium, open_praetorium
from tests.camp import write_castra
from tests.console.signs import StillVitals

TOKEN = "7:secret"
SECRET = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"
NOBODY = "http://127.0.0.1:1"
"""Where no model answers."""


@dataclass(frozen=True, slots=True)
class Parts:
    deployment: Deployment
    praetorium: Praetorium
    front: Front
    core: Core
    site: Site
    door: Door

    @property
    def rooms(self) -> tuple[Room, ...]:
        """Those of the page, over a Legio that is well."""
        shown = Console(StillVitals(), Metrics(), Bounds(100))
        return rooms(self.deployment, self.praetorium, self.front, self.core, shown=shown)


@asynccontextmanager
async def parts(
    tmp_path: Path,
    secrets: Secrets | None = None,
    *,
    public_url: str | None = None,
    chat: Chat | None = None,
) -> AsyncIterator[Parts]:
    castra = write_castra(tmp_path / "castra")
    config = replace(
        Config(),
        castra=castra.root,
        claude=ClaudeConfig(base_url=NOBODY),
        console=ConsoleConfig(public_url=public_url),
    )
    deployment = Deployment(config, secrets or Secrets(), caesar_id=7, token=TOKEN, chat=chat)
    async with open_praetorium(castra.database, deployment.clock) as praetorium:
        telegram = front(deployment, praetorium)
        camp = await core(deployment, praetorium, telegram)
        page = site(deployment, praetorium, camp)
        entry = door(deployment, praetorium, telegram, camp, page)
        try:
            yield Parts(deployment, praetorium, telegram, camp, page, entry)
        finally:
            await camp.sessions.close(patience=0)
