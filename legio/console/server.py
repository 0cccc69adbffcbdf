"""What is served: the page behind its wall, and for machines `/healthz`, `/readyz` and `/metrics`.

Alive means that the event loop runs and the record can be read: what a restart can mend. Ready means that
Caesar is heard and answered in time: what a person may have to mend.
"""

import asyncio
import contextlib
import os
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass

import structlog
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from legio import logs
from legio.console.access import Access
from legio.console.health import Bounds, complaints
from legio.console.metrics import CONTENT_TYPE, Metrics
from legio.console.page import Room, page_routes
from legio.errors import LegioError
from legio.loopback import serving
from legio.ports import Pulse, Vitals

log = structlog.get_logger()

OK, UNAVAILABLE = 200, 503
LOOK_SECONDS = 5.0
"""How long the record may take to answer: as long as SQLite waits for a lock that another program holds."""


@dataclass(frozen=True, slots=True)
class Console:
    """What is shown: how all is, what was counted, and what counts as a bad sign."""

    vitals: Vitals
    metrics: Metrics
    bounds: Bounds
    look_seconds: float = LOOK_SECONDS

    async def pulse(self) -> Pulse:
        """How all is; raises `LegioError` when the record cannot be read in time."""
        try:
            async with asyncio.timeout(self.look_seconds):
                return await self.vitals.pulse()
        except TimeoutError as error:
            raise LegioError(f"the record did not answer within {self.look_seconds:g} s.") from error


@contextlib.asynccontextmanager
async def console(app: ASGIApp, *, host: str, port: int) -> AsyncIterator[str]:
    """Serves it while inside, and yields the base URL; port 0, and a place that is taken, serve nothing: "".

    Whoever cannot be looked at can still answer Caesar: what cannot be had is only logged.
    """
    async with contextlib.AsyncExitStack() as stack:
        url = ""
        if port:
            try:
                url = await stack.enter_async_context(
                    serving(app, host=host, port=port, setting="[console] port")
                )
            except LegioError as error:
                log.warning("console.unserved", error=error.what, remedy="Set [console] port.")
        yield url


def create_app(shown: Console, rooms: Sequence[Room], access: Access) -> ASGIApp:
    """The page and the three addresses, behind the wall."""

    async def healthz(_: Request) -> Response:
        try:
            await shown.pulse()
        except LegioError as error:
            return JSONResponse({"alive": False, "reasons": [_clean(error)]}, UNAVAILABLE)
        return JSONResponse({"alive": True, "reasons": []})

    async def readyz(_: Request) -> Response:
        try:
            reasons = [logs.redacted(each) for each in complaints(await shown.pulse(), shown.bounds)]
        except LegioError as error:
            reasons = [_clean(error)]
        body = {"ready": not reasons, "reasons": reasons, "pid": os.getpid()}
        return JSONResponse(body, UNAVAILABLE if reasons else OK)

    async def metrics(_: Request) -> Response:
        try:
            pulse = await shown.pulse()
        except LegioError as error:
            return Response(f"{_clean(error)}\n", UNAVAILABLE, media_type="text/plain")
        text = shown.metrics.exposition(pulse, ready=not complaints(pulse, shown.bounds))
        return Response(text, headers={"Content-Type": CONTENT_TYPE})

    probes = [Route("/healthz", healthz), Route("/readyz", readyz), Route("/metrics", metrics)]
    return access.wall(Starlette(routes=[*probes, *access.routes(), *page_routes(rooms)]))


def _clean(error: LegioError) -> str:
    return logs.redacted(str(error))
