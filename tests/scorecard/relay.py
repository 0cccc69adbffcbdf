"""A wire between Legio and a server: it can be cut, taken away, and fall silent like a half-open socket."""

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator
from urllib.parse import urlsplit

LOOPBACK = "127.0.0.1"
CHUNK_BYTES = 65_536


class Relay:
    """Passes bytes on to `target` and back, while it is up and not silent. Made by `relay`."""

    def __init__(self, target: str) -> None:
        self._target = (LOOPBACK, urlsplit(target).port)
        self._keeper = _bound(
            0
        )  # never listens: it keeps the port while nobody does, who connects is refused
        self._server: asyncio.Server | None = None
        self._writers: set[asyncio.StreamWriter] = set()
        self._flowing = _flowing()
        self._forgotten: list[asyncio.Event] = []

    @property
    def url(self) -> str:
        """Where Legio finds the server, as long as the wire holds."""
        return f"http://{LOOPBACK}:{self._keeper.getsockname()[1]}"

    async def up(self) -> None:
        """Connections are taken, again."""
        listener = _bound(self._keeper.getsockname()[1])
        self._server = await asyncio.start_server(self._pass_on, sock=listener)

    async def down(self) -> None:
        """What is connected is reset, and who connects is refused."""
        server, self._server = self._server, None
        if server is not None:
            server.close()
            self.reset()
            await server.wait_closed()

    def reset(self) -> None:
        """What is connected is reset."""
        for writer in self._writers:
            writer.transport.abort()

    def silent(self) -> None:
        """Nothing passes any more, either way, and nobody is told: connections still open, and stay so."""
        self._flowing.clear()

    def heard(self) -> None:
        """All that was held up passes, and what comes then."""
        self._flowing.set()

    def forget(self) -> None:
        """What is connected is silent for good, and nobody is told; who connects anew is served."""
        self.silent()
        self._forgotten.append(self._flowing)
        self._flowing = _flowing()

    async def close(self) -> None:
        """Idempotent."""
        await self.down()
        for held_up in (self._flowing, *self._forgotten):
            held_up.set()
        self._keeper.close()

    async def _pass_on(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._writers.add(writer)
        try:
            with contextlib.suppress(OSError):
                await self._joined(reader, writer)
        finally:
            self._writers.discard(writer)
            writer.transport.abort()

    async def _joined(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        flowing = self._flowing
        await flowing.wait()
        there, back = await asyncio.open_connection(*self._target)
        self._writers.add(back)
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(_pump(reader, back, flowing))
                group.create_task(_pump(there, writer, flowing))
        except* OSError:
            pass  # one of the two ends is gone, and so the other goes
        finally:
            self._writers.discard(back)
            back.transport.abort()


@contextlib.asynccontextmanager
async def relay(target: str) -> AsyncIterator[Relay]:
    """A wire to the server at `target`, up."""
    made = Relay(target)
    await made.up()
    try:
        yield made
    finally:
        await made.close()


async def _pump(source: asyncio.StreamReader, sink: asyncio.StreamWriter, flowing: asyncio.Event) -> None:
    while content := await source.read(CHUNK_BYTES):
        await flowing.wait()
        sink.write(content)
        await sink.drain()
    raise ConnectionResetError  # so that the other direction ends too


def _flowing() -> asyncio.Event:
    event = asyncio.Event()
    event.set()
    return event


def _bound(port: int) -> socket.socket:
    found = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    found.bind((LOOPBACK, port))
    return found
