"""`legio login`: a one-time link to the console of the Legio that runs, written into its praetorium."""

import argparse
import asyncio
from pathlib import Path

from legio.castra import Castra
from legio.cli.command import configured
from legio.clock import SystemClock
from legio.config import Config
from legio.console.access import Links
from legio.embedded import DATABASE
from legio.errors import LegioError
from legio.loopback import LOOPBACK, base_url
from legio.praetorium import open_praetorium
from legio.praetorium.lock import holder


def login(arguments: argparse.Namespace) -> int:
    """Print a new link; earlier ones are dead."""
    config, _ = configured(arguments)
    castra = Castra(config.castra)
    record = castra.root / DATABASE if arguments.local else castra.database
    base = _local(config) if arguments.local else _base(config)
    if holder(castra.lock) is None or not record.exists():
        where, remedy = str(config.castra), "Start one; for that of `legio local` add --local."
        raise LegioError("no such Legio is running.", where=where, remedy=remedy)
    print(asyncio.run(_link(record, base)))
    return 0


async def _link(record: Path, base: str) -> str:
    clock = SystemClock()
    async with open_praetorium(record, clock) as praetorium:
        return await Links(praetorium.settings, clock).make(base)


def _base(config: Config) -> str:
    console = config.console
    if not console.port:
        raise LegioError(
            "the console is not served: it is 0.",
            where="[console] port",
            remedy="Set a port, and restart Legio.",
        )
    return console.public_url or base_url(console.host, console.port)


def _local(config: Config) -> str:
    if not config.local.port:
        raise LegioError(
            "it is 0, and which port is taken then is known to nobody else.",
            where="[local] port",
            remedy="Set a port and start Legio anew; it prints a link.",
        )
    return base_url(LOOPBACK, config.local.port)
