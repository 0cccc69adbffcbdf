import asyncio

import httpx
import pytest
from telegram import Bot
from telegram.error import InvalidToken, NetworkError, RetryAfter, TimedOut

from legio.local.botapi.faults import Trouble
from legio.local.botapi.state import RefusedCall
from tests.local.botapi.rig import OWNER, TOKEN, Rig, rig
from tests.scenes import scene, until


@scene
async def test_a_wrong_token_is_unauthorized_and_nonsense_is_not_found() -> None:
    async with rig() as camp:
        for token, code, words in [
            ("123456:wrong", 401, "Unauthorized"),
            ("999999:" + "A" * 35, 401, "Unauthorized"),
            ("nonsense", 404, "Not Found"),
            ("0:a", 404, "Not Found"),
        ]:
            for address in (f"/bot{token}/getMe", f"/file/bot{token}/documents/file_1.txt"):
                answer = await camp.http.get(camp.url + address)
                assert answer.status_code == code
                assert answer.json() == {"ok": False, "error_code": code, "description": words}
        with pytest.raises(InvalidToken):
            async with Bot("123456:wrong", base_url=f"{camp.url}/bot"):
                pass


@scene
async def test_an_unknown_method_is_not_found_and_names_know_no_case() -> None:
    async with rig() as camp:
        assert await camp.call("sendTelepathy") == {
            "ok": False,
            "error_code": 404,
            "description": "Not Found",
        }
        assert (await camp.result("GETME"))["username"] == "legio_bot"


@scene
async def test_get_json_form_and_multipart_all_reach_a_method() -> None:
    async with rig() as camp:
        address = f"{camp.url}/bot{TOKEN}/sendMessage"
        fields = {"chat_id": str(OWNER), "text": "hello"}
        answers = [
            await camp.http.get(address, params=fields),
            await camp.http.post(address, json=fields),
            await camp.http.post(address, data=fields),
            await camp.http.post(address, data=fields, files={"unused": b"x"}),
        ]
        assert [answer.json()["result"]["text"] for answer in answers] == ["hello"] * 4


@scene
async def test_calls_and_refusals_are_kept() -> None:
    async with rig() as camp:
        await camp.result("sendMessage", chat_id=OWNER, text="hello")
        await camp.refusal("sendMessage", chat_id=8, text="hello")
        call = camp.state.calls[-2]
        assert (call.method, call.arguments) == ("sendMessage", {"chat_id": OWNER, "text": "hello"})
        assert call.at <= camp.state.calls[-1].at
        assert list(camp.state.refused) == [RefusedCall("sendMessage", 400, "Bad Request: chat not found")]


@scene
async def test_a_file_that_is_not_there_is_not_found() -> None:
    async with rig() as camp:
        for path in ("documents/file_1.txt", "../../pyproject.toml", ""):
            answer = await camp.http.get(f"{camp.url}/file/bot{TOKEN}/{path}")
            assert answer.status_code == 404


async def _met(camp: Rig, trouble: Trouble) -> Exception | None:
    camp.state.faults.arm("sendMessage", trouble, retry_after=3)
    try:
        await camp.bot.send_message(OWNER, trouble.value, read_timeout=0.3)
    except Exception as error:  # noqa: BLE001  (whatever it is, the scene looks at it)
        return error
    return None


@scene
@pytest.mark.parametrize(
    ("trouble", "kind", "accepted"),
    [
        (Trouble.FLOOD, RetryAfter, 0),
        (Trouble.SERVER_ERROR, NetworkError, 0),
        (Trouble.BAD_GATEWAY, NetworkError, 0),
        (Trouble.RESET_BEFORE, NetworkError, 0),
        (Trouble.RESET_AFTER, NetworkError, 1),
        (Trouble.HANG, TimedOut, 0),
        (Trouble.HANG_AFTER, TimedOut, 1),
    ],
)
async def test_armed_trouble_is_met_once_and_then_all_is_well(
    trouble: Trouble, kind: type[Exception], accepted: int
) -> None:
    async with rig() as camp:
        assert type(await _met(camp, trouble)) is kind
        assert len(camp.state.messages) == accepted
        await camp.bot.send_message(OWNER, "after")
        assert camp.state.messages[-1].text.plain == "after"


@scene
async def test_a_broken_connection_brings_not_a_single_byte() -> None:
    async with rig() as camp:
        camp.state.faults.arm("getMe", Trouble.RESET_BEFORE)
        with pytest.raises((httpx.RemoteProtocolError, httpx.ReadError)):
            await camp.http.get(f"{camp.url}/bot{TOKEN}/getMe")


@scene
async def test_a_revoked_token_ends_the_poll_that_waits_and_is_known_again_when_reinstated() -> None:
    async with rig() as camp:
        poll = asyncio.create_task(camp.call("getUpdates", timeout=30))
        await until(lambda: camp.state.updates.polled, what="the poll")
        camp.state.revoke()
        for answer in (await poll, await camp.call("getMe")):
            assert answer == {"ok": False, "error_code": 401, "description": "Unauthorized"}
        camp.state.reinstate()
        assert (await camp.result("getMe"))["username"] == "legio_bot"


@scene
async def test_it_serves_bots_and_no_page() -> None:
    async with rig() as camp:
        for address in ("/", "/chat/state", "/chat/events", "/static/page.css"):
            assert (await camp.http.get(camp.url + address)).status_code == 404


@scene
async def test_the_server_goes_down_at_once_with_a_poll_waiting() -> None:
    started = asyncio.get_running_loop().time()
    async with rig() as camp:
        poll = asyncio.create_task(camp.bot.get_updates(timeout=30))
        await until(lambda: camp.state.updates.polled, what="the poll")
        await camp.state.close()
        assert await poll == ()
    assert asyncio.get_running_loop().time() - started < 5
