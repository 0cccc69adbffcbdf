import asyncio

from legio.console.access.streams import Ending, Streams
from legio.loopback import ENDING
from tests.scenes import scene


@scene
async def test_a_visit_that_ends_ends_its_own_streams_and_no_other() -> None:
    streams = Streams()
    with streams.of("a", {"path": "/"}) as one, streams.of("a", {}) as two, streams.of("b", {}) as other:
        assert one["path"] == "/"
        streams.end("a")
        assert await one[ENDING].wait()
        assert await two[ENDING].wait()
        assert [scope[ENDING].is_set() for scope in (one, two, other)] == [True, True, False]
    streams.end("a")
    streams.end("nobody")


@scene
async def test_a_server_that_stops_ends_them_too() -> None:
    stopping = asyncio.Event()
    with Streams().of("a", {ENDING: stopping}) as scope:
        waiting = asyncio.create_task(scope[ENDING].wait())
        await asyncio.sleep(0)
        assert not waiting.done()
        stopping.set()
        assert await waiting


@scene
async def test_who_gives_up_waiting_leaves_nothing_behind() -> None:
    waiting = asyncio.create_task(Ending(asyncio.Event(), asyncio.Event()).wait())
    await asyncio.sleep(0)
    waiting.cancel()
    assert isinstance((await asyncio.gather(waiting, return_exceptions=True))[0], asyncio.CancelledError)


def test_nothing_is_kept_of_streams_that_are_over() -> None:
    streams = Streams()
    with streams.of("a", {}), streams.of("a", {}):
        pass
    assert not streams._open
