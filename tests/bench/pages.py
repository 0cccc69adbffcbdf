"""The first page of a record that has grown, as a browser is given it, however it is narrowed down."""

import time
from collections.abc import Mapping
from datetime import UTC, datetime
from itertools import cycle, islice
from pathlib import Path
from zoneinfo import ZoneInfo

import httpx
from starlette.applications import Starlette

from legio.attachments import Depot
from legio.castra import Castra
from legio.console.rooms.praetorium import PLACE, praetorium_room
from legio.loopback import serving
from legio.nuntius import ALL, CAESAR
from legio.praetorium import Praetorium
from tests.bench.report import Figure, Sample, spell

MOST_SECONDS = 0.05
SHARE = 99.0


async def first_pages(
    praetorium: Praetorium, folder: Path, last: datetime, agents: tuple[str, ...], *, reads: int
) -> Sample:
    """So many first pages; `last` is when the newest nuntius was said, and of `agents` one is long silent."""
    depot = Depot(Castra(folder))
    room = praetorium_room(praetorium.chronicle, praetorium.ledger, praetorium.search, depot, ZoneInfo("UTC"))
    ways = _ways(last.astimezone(UTC).date().isoformat(), agents)
    async with (
        serving(Starlette(routes=list(room.routes))) as url,
        httpx.AsyncClient(base_url=url, trust_env=False) as client,
    ):
        for way in ways:  # a cold cache is the disk's figure
            await _asked(client, way)
        return Sample(tuple([await _asked(client, way) for way in islice(cycle(ways), reads)]))


def page_figure(sample: Sample, nuntii: int) -> Figure:
    """The line of the report."""
    slow = sample.percentile(SHARE)
    return Figure(
        f"first page of {nuntii:,} nuntii",
        f"{spell(MOST_SECONDS)} at p{SHARE:.0f}",
        f"p{SHARE:.0f} {spell(slow)}; median {sample}",
        slow <= MOST_SECONDS,
    )


def _ways(day: str, agents: tuple[str, ...]) -> list[Mapping[str, str]]:
    """From both ends, of a day, of each agent, of everyone at once, and of each agent on the last day."""
    names = (*agents, CAESAR, ALL)
    return [
        {},
        {"after": "0"},
        {"day": day},
        *({"agent": name} for name in names),
        *({"agent": name, "after": "0"} for name in names),
        *({"agent": name, "day": day} for name in names),
    ]


async def _asked(client: httpx.AsyncClient, way: Mapping[str, str]) -> float:
    began = time.perf_counter()
    response = await client.get(f"{PLACE}/nuntii", params=way)
    took = time.perf_counter() - began
    assert response.status_code == 200, response.text
    return took
