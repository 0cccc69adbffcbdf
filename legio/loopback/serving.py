"""An ASGI application served inside the running event loop until the block is left; mostly on loopback."""

import asyncio
import contextlib
import errno
import socket
from collections.abc import AsyncIterator, Iterator

import uvicorn
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Receive, Scope, Send

from legio.errors import LegioError

LOOPBACK = "127.0.0.1"
ANYWHERE = {"0.0.0.0": LOOPBACK, "::": "::1"}  # noqa: S104  (nothing is bound by it)
GRACE_SECONDS = 2
ENDING = "legio.ending"
"""Under this name a request's scope holds the `asyncio.Event` that is set when the server is about to stop:
an answer that would never end by itself has to end then."""


class _Server(uvicorn.Server):
    """uvicorn without its hold on the signals: those belong to the application that embeds it."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


@contextlib.asynccontextmanager
async def serving(
    app: ASGIApp, *, host: str = LOOPBACK, port: int = 0, setting: str = ""
) -> AsyncIterator[str]:
    """Serve `app` and yield its base URL, without a slash at the end; port 0 takes a free one.

    `host` is an address of this machine. Raises `LegioError` when it or the port cannot be had; it names the
    `setting` from which they came.
    """
    ending = asyncio.Event()
    with _listening(host, port, setting) as listener:
        config = uvicorn.Config(
            _forgiving(app, ending),
            log_config=None,
            access_log=False,
            # What a proxy says of the client is not believed: whoever calls could say it as well.
            proxy_headers=False,
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
            yield base_url(host, listener.getsockname()[1])
        finally:
            ending.set()
            server.should_exit = True
            await task


def _forgiving(app: ASGIApp, ending: asyncio.Event) -> ASGIApp:
    """The application, for which a client that leaves in the middle of its request is no error."""

    async def served(scope: Scope, receive: Receive, send: Send) -> None:
        with contextlib.suppress(ClientDisconnect):
            await app({**scope, ENDING: ending}, receive, send)

    return served


@contextlib.contextmanager
def _listening(host: str, port: int, setting: str) -> Iterator[socket.socket]:
    # asyncio turns Nagle's delay off only for sockets that say they are TCP: 44 ms a request otherwise.
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((host, port))
        except OSError as error:
            raise _taken(host, port, setting, error) from error
        yield listener


def _taken(host: str, port: int, setting: str, error: OSError) -> LegioError:
    if error.errno == errno.EADDRNOTAVAIL:
        return LegioError(
            f"{host} is no address of this machine ({error.strerror}).",
            where=setting,
            remedy=f"Take one that it has; {LOOPBACK} is the machine itself.",
        )
    return LegioError(
        f"port {port} cannot be used ({error.strerror}).",
        where=setting,
        remedy="End the program that uses it, or choose another port; 0 takes a free one.",
    )


def base_url(host: str, port: int) -> str:
    """Where this machine finds what listens there; who listens everywhere is found on loopback, too."""
    shown = ANYWHERE.get(host, host)
    return f"http://[{shown}]:{port}" if ":" in shown else f"http://{shown}:{port}"
