"""The room Memoria over a real castra, with a real counter on the embedded model server."""

import contextlib
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import httpx

from legio.castra import Castra
from legio.claude.counting import ProviderCounter
from legio.config import Config, ServerConfig
from legio.console.page import Room
from legio.console.rooms.memoria import memoria_room
from legio.local.model import ModelState, model_server
from legio.memoria.history import FileHistory
from legio.memoria.store import FileMemoria
from legio.muster import Muster
from legio.ports import Request, Tool
from legio.roster import Roster
from legio.tuning import Tuning
from tests.camp import write_castra
from tests.claude.line import line
from tests.clocks import FakeClock
from tests.console.rig import page_of
from tests.fakes import MemorySettings

HOSTILE = '<img src=x onerror="alert(1)">'


@dataclass(frozen=True, slots=True)
class Desk:
    """What stands behind the room."""

    castra: Castra
    clock: FakeClock
    memoria: FileMemoria
    history: FileHistory
    muster: Muster
    room: Room


def desk(castra: Castra, model_url: str, clock: FakeClock | None = None) -> Desk:
    """The room over a castra, counting at that address."""
    clock = clock or FakeClock()
    memoria, history = FileMemoria(castra, clock), FileHistory(castra, clock)
    config = Config(castra=castra.root, model="scripted-recruit", mcp={"hub": ServerConfig(command="hub")})
    muster = Muster(
        config=config,
        castra=castra,
        roster=Roster(castra),
        memoria=memoria,
        memoria_tools=_none,
        legatus_tools=tuple,
        approve=_never,
        file_tools=_none,
        search_tools=_none,
        tuning=Tuning(MemorySettings(), model=config.model),
    )
    counter = ProviderCounter(line(model_url), clock)
    return Desk(castra, clock, memoria, history, muster, memoria_room(muster, history, counter, clock))


@contextlib.asynccontextmanager
async def opened(folder: Path) -> AsyncIterator[tuple[httpx.AsyncClient, Desk]]:
    """The room, and whoever asks it."""
    async with model_server(ModelState(key="scripted")) as model_url:
        made = desk(write_castra(folder / "castra"), model_url)
        async with (
            page_of(made.room) as url,
            httpx.AsyncClient(base_url=f"{url}/camp/memoria/", trust_env=False) as client,
        ):
            yield client, made


async def post(client: httpx.AsyncClient, path: str, **given: object) -> Mapping[str, object]:
    """What a write that goes well is answered."""
    response = await client.post(path, json=given)
    assert response.status_code == 200, response.text
    return dict(response.json())


async def get(client: httpx.AsyncClient, path: str, **parameters: str) -> dict[str, object]:
    """What a read that goes well is answered."""
    response = await client.get(path, params=parameters)
    assert response.status_code == 200, response.text
    return dict(response.json())


def complaint(response: httpx.Response) -> str:
    """Why something was refused."""
    assert response.status_code == 400, response.text
    return str(response.json()["error"])


def _none(_: str) -> tuple[Tool, ...]:
    return ()


async def _never(_: Request) -> bool:
    return False
