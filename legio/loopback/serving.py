"""An ASGI application served on loopback inside the running event loop, until the block is left."""

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator, Iterator

import uvicorn
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Receive, Scope, Send

from legio.errors import LegioError

LOOPBACK = "127.0.0.1"
GRACE_SECONDS = 2


class _Server(uvicorn.Server):
    """uvicorn without its hold on the signals: those belong to the application that embeds it."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


@contextlib.asynccontextmanager
async def serving(app: ASGIApp, *, port: int = 0, setting: str = "") -> AsyncIterator[str]:
    """Serve `app` on 127.0.0.1 and yield its base URL, without a slash at the end; port 0 takes a free one.

    Raises `LegioError` when the port is taken; it names the `setting` from which the port came.
    """
    with _listening(port, setting) as listener:
        config = uvicorn.Config(
            _forgiving(app),
            log_config=None,
            access_log=False,
            lifespan="off",
            timeout_graceful_shutdown=GRACE_SECONDS,
        )
        server = _Server(config)
        task = asyncio.create_task(server.serve(sockets=[listener]), name=f"serving:{port}")
        try:
            while not server.started:  # uvicorn offers no event to wait for
                if task.done():
                    await task
                await asyncio.sleep(0.005)
            yield f"http://{LOOPBACK}:{listener.getsockname()[1]}"
        finally:
            server.should_exit = True
            await task


def _forgiving(app: ASGIApp) -> ASGIApp:
    """The application, for which a client that leaves in the middle of its request is no error."""

    async def served(scope: Scope, receive: Receive, send: Send) -> None:
        with contextlib.suppress(ClientDisconnect):
            await app(scope, receive, send)

    return served


@contextlib.contextmanager
def _listening(port: int, setting: str) -> Iterator[socket.socket]:
    # asyncio turns Nagle's delay off only for sockets that say they are TCP: 44 ms a request otherwise.
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((LOOPBACK, port))
        except OSError as error:
            raise LegioError(
                f"port {port} cannot be used ({error.strerror}).",
                where=setting,
                remedy="End the program that uses it, or choose another port; 0 takes a free one.",
            ) from error
        yield listener
