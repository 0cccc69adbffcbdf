"""Who guesses has to wait; who is right comes in, whatever strangers do."""

from pathlib import Path

import pytest

from legio.console.access.pauses import FREE_TRIES, FREE_TRIES_OF_ALL
from legio.praetorium import open_praetorium
from legio.totp import Authenticator, Verdict
from tests.clocks import FakeClock
from tests.console.access.rig import SECRET, site
from tests.scenes import scene


@scene
async def test_a_link_opens_once_and_not_after_ten_minutes(tmp_path: Path) -> None:
    async with site(tmp_path) as made:
        link = await made.access.link(made.url)
        assert (await made.browser().opens(link)).status_code == 200
        again = await made.browser().opens(link)
        assert again.status_code == 403
        assert again.json()["error"].startswith("This link is not good any more. Ask for a new one.")
        late = await made.access.link(made.url)
        made.clock.advance(601)
        assert (await made.browser().opens(late)).status_code == 403
    assert made.reasons == ["link", "link"]


@scene
async def test_a_code_counts_once_on_the_page_and_in_the_chat_together(tmp_path: Path) -> None:
    clock = FakeClock()
    async with site(tmp_path, clock=clock) as made:
        code = made.code()
        assert (
            await made.browser().post("/login/code", {"code": f"{code[:3]} {code[3:]}"})
        ).status_code == 200
        again = await made.browser().post("/login/code", {"code": code})
        assert (again.status_code, again.json()["error"]) == (
            403,
            "That code was used before. Wait for the next one.",
        )
    assert made.reasons == ["code: used before"]
    async with open_praetorium(tmp_path / "praetorium.db", clock) as praetorium:
        in_the_chat = Authenticator(SECRET, praetorium.settings, clock)
        assert await in_the_chat.accept(code) is Verdict.USED
        clock.advance(30)
        later = made.code()
        assert await in_the_chat.accept(later) is Verdict.RIGHT
    async with site(tmp_path, clock=clock) as again_made:
        assert (await again_made.browser().post("/login/code", {"code": later})).status_code == 403


@scene
async def test_who_guesses_codes_has_to_wait_and_a_right_one_waits_too(tmp_path: Path) -> None:
    async with site(tmp_path) as made:
        for _ in range(FREE_TRIES):
            denied = await made.browser().post("/login/code", {"code": made.wrong})
            assert denied.status_code == 403
        paused = await made.browser().post("/login/code", {"code": made.code()})
        assert (paused.status_code, paused.headers["retry-after"]) == (429, "30")
        assert paused.json() == {"error": "Too many codes were wrong. Wait a while."}
        made.clock.advance(30)
        assert (await made.browser().post("/login/code", {"code": made.code()})).status_code == 200
        made.clock.advance(30)
        assert (await made.browser().post("/login/code", {"code": made.wrong})).status_code == 403
    assert made.reasons == ["code: wrong"] * FREE_TRIES + ["code: too many", "code: wrong"]


@scene
async def test_many_addresses_are_held_as_one_and_a_link_opens_all_the_same(tmp_path: Path) -> None:
    async with site(tmp_path) as made:
        for number in range(FREE_TRIES_OF_ALL):
            async with made.afar(client=f"203.0.113.{number}") as far:
                assert (await far.post("/login/code", {"code": made.wrong})).status_code == 403
        assert (await made.browser().post("/login/code", {"code": made.code()})).status_code == 429
        assert (await made.browser().opens(await made.access.link(made.url))).status_code == 200


@pytest.mark.parametrize(("path", "field"), [("/login/link", "token"), ("/login/telegram", "data")])
@scene
async def test_wrong_links_and_words_are_slowed_down_and_never_keep_a_right_one_out(
    tmp_path: Path, path: str, field: str
) -> None:
    async with site(tmp_path, codes=False) as made:
        found = [
            (await made.browser().post(path, {field: "x" * 43})).status_code for _ in range(FREE_TRIES + 1)
        ]
        assert found == [403] * FREE_TRIES + [429]
        assert (await made.browser().opens(await made.access.link(made.url))).status_code == 200
    assert len(made.reasons) == FREE_TRIES + 1
