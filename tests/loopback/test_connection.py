"""A connection that is broken on purpose: the caller hears of it, and the server's log does not."""

import httpx
import pytest
from starlette.types import Receive, Scope, Send

from legio.loopback import connection, serving
from tests.scenes import scene


@pytest.mark.parametrize("how", ["abort", "close"])
@scene
async def test_whoever_has_the_request_can_break_its_connection(
    how: str, caplog: pytest.LogCaptureFixture
) -> None:
    async def app(_: Scope, receive: Receive, __: Send) -> None:
        await receive()
        getattr(connection(receive), how)()
        await receive()

    async with serving(app) as url, httpx.AsyncClient(trust_env=False, verify=False) as client:
        with pytest.raises(httpx.TransportError):
            await client.get(url)
    assert caplog.messages == []
