"""Signing in and out: what a browser is given, what of it no script can read, and when it is good no more."""

from http.cookies import SimpleCookie
from pathlib import Path

import pytest

from tests.clocks import FakeClock
from tests.console.access.rig import BOT, CAESAR, HIDDEN, PUBLIC, init_data, site
from tests.scenes import scene

DAY = 86_400.0


@scene
async def test_the_cookie_is_for_this_page_alone_and_for_no_script(tmp_path: Path) -> None:
    async with site(tmp_path) as made:
        port = made.url.rpartition(":")[2]
        answer = await made.browser().opens(await made.access.link(made.url))
        (cookie,) = SimpleCookie(answer.headers["set-cookie"]).values()
        assert (cookie.key, len(cookie.value)) == (f"legio-{port}", 43)
        assert (cookie["httponly"], cookie["samesite"], cookie["path"]) == (True, "strict", "/")
        assert (cookie["domain"], cookie["secure"], cookie["max-age"]) == ("", "", str(90 * 86_400))


@scene
async def test_behind_tls_it_is_for_tls_alone(tmp_path: Path) -> None:
    async with site(tmp_path) as made, made.afar() as far:
        answer = await far.opens(await made.access.link(PUBLIC))
        (cookie,) = SimpleCookie(answer.headers["set-cookie"]).values()
        assert (cookie.key, cookie["secure"], cookie["domain"], cookie["path"]) == (
            "__Host-legio",
            True,
            "",
            "/",
        )
        assert (cookie["httponly"], cookie["samesite"]) == (True, "strict")
        left = (await far.post("/logout")).headers["set-cookie"]
        (cookie,) = SimpleCookie(left).values()
        assert (cookie.key, cookie.value, cookie["max-age"], cookie["secure"]) == (
            "__Host-legio",
            "",
            "0",
            True,
        )


@scene
async def test_the_page_says_which_ways_in_there_are(tmp_path: Path) -> None:
    async with site(tmp_path) as made:
        assert (await made.browser().get("/login/ways")).json() == {"code": True, "signed_in": False}
        assert (await (await made.signed_in()).get("/login/ways")).json() == {"code": True, "signed_in": True}
    async with site(tmp_path, codes=False) as made:
        assert (await made.browser().get("/login/ways")).json()["code"] is False
        denied = await made.browser().post("/login/code", {"code": "123456"})
        assert (denied.status_code, made.reasons) == (403, ["code: no authenticator"])


@scene
async def test_each_way_in_opens_the_page(tmp_path: Path) -> None:
    for way, codes in (("link", True), ("code", True), ("telegram", False)):
        async with site(tmp_path, codes=codes) as made:
            bodies = {
                "link": {"token": (await made.access.link(made.url)).partition("#")[2]},
                "code": {"code": made.code()},
                "telegram": {"data": init_data(made.clock)},
            }
            browser = made.browser()
            assert (await browser.signs_in(f"/login/{way}", bodies[way])).status_code == 200
            assert (await browser.get("/camp/secret/words")).json() == {"words": HIDDEN}
        assert [entry["way"] for entry in made.logs if entry["event"] == "console.entered"] == [way]
        assert made.reasons == []


@scene
async def test_where_there_is_an_authenticator_a_phone_alone_opens_nothing(tmp_path: Path) -> None:
    async with site(tmp_path) as made:
        browser = made.browser()
        answer = await browser.signs_in("/login/telegram", {"data": init_data(made.clock)})
        assert (answer.status_code, made.reasons) == (403, ["initData: a code is wanted"])
        assert (await browser.get("/camp/secret/words")).status_code == 401


@scene
async def test_what_is_brought_is_written_into_no_log(tmp_path: Path) -> None:
    async with site(tmp_path) as made:
        link, code = await made.access.link(made.url), made.code()
        browser = made.browser()
        for _ in range(2):
            await browser.opens(link)
            await browser.signs_in("/login/code", {"code": code})
        kept = [link.partition("#")[2], code, browser.cookie.partition("=")[2], browser.token, BOT]
    assert made.reasons == ["link", "code: used before"]
    assert [secret for secret in kept if secret in repr(made.logs)] == []


@scene
async def test_telegrams_word_is_written_into_no_log(tmp_path: Path) -> None:
    async with site(tmp_path, codes=False) as made:
        data = init_data(made.clock)
        browser = made.browser()
        for _ in range(2):
            await browser.signs_in("/login/telegram", {"data": data})
    assert made.reasons == ["initData: used before"]
    assert [secret for secret in (data, browser.token) if secret in repr(made.logs)] == []


# --- sessions -------------------------------------------------------------------------------------------


@scene
async def test_a_cookie_that_somebody_planted_is_never_made_good(tmp_path: Path) -> None:
    async with site(tmp_path) as made:
        victim, attacker = made.browser(), made.browser()
        planted = f"legio-{made.url.rpartition(':')[2]}={'A' * 43}"
        victim.cookie = attacker.cookie = planted
        await victim.opens(await made.access.link(made.url))
        assert victim.cookie != planted
        assert (await attacker.get("/rooms")).status_code == 401


@scene
async def test_who_signs_in_again_leaves_no_old_visit_behind(tmp_path: Path) -> None:
    async with site(tmp_path) as made:
        browser, attacker = await made.signed_in(), made.browser()
        attacker.cookie = browser.cookie
        assert (await attacker.get("/rooms")).status_code == 200
        await browser.opens(await made.access.link(made.url))
        assert (await attacker.get("/rooms")).status_code == 401
        assert (await browser.get("/rooms")).status_code == 200


@scene
async def test_signing_out_ends_this_visit_for_whoever_has_its_cookie(tmp_path: Path) -> None:
    async with site(tmp_path) as made:
        browser, other = await made.signed_in(), await made.signed_in()
        answer = await browser.post("/logout")
        assert (answer.status_code, "Max-Age=0" in answer.headers["set-cookie"]) == (200, True)
        assert (await browser.get("/rooms")).status_code == 401
        assert (await other.get("/rooms")).status_code == 200


@scene
async def test_signing_out_everywhere_ends_all(tmp_path: Path) -> None:
    async with site(tmp_path) as made:
        browser, other = await made.signed_in(), await made.signed_in()
        assert (await browser.post("/logout/everywhere")).status_code == 200
        assert (await browser.get("/rooms")).status_code == 401
        assert (await other.get("/rooms")).status_code == 401


@scene
async def test_a_get_signs_nobody_out(tmp_path: Path) -> None:
    async with site(tmp_path) as made:
        browser = await made.signed_in()
        assert (await browser.get("/logout")).status_code == 405
        assert (await browser.get("/rooms")).status_code == 200


@scene
async def test_a_visit_outlasts_a_restart_and_no_month_without_use(tmp_path: Path) -> None:
    clock = FakeClock()
    async with site(tmp_path, clock=clock) as made:
        browser = await made.signed_in()
    async with site(tmp_path, clock=clock) as again:
        again_browser = again.browser()
        again_browser.cookie = f"legio-{again.url.rpartition(':')[2]}={browser.cookie.partition('=')[2]}"
        assert (await again_browser.get("/rooms")).json()["token"] == browser.token
        clock.advance(29 * DAY)
        assert (await again_browser.get("/rooms")).status_code == 200
        clock.advance(29 * DAY)
        assert (await again_browser.get("/rooms")).status_code == 200
        clock.advance(31 * DAY)
        assert (await again_browser.get("/rooms")).status_code == 401


# --- what is no way in ------------------------------------------------------------------------------------


@pytest.mark.parametrize("body", [b"", b"[]", b"{}", b'{"token": 7}', b"\xff\xfe", b"[" * 10_000, b"token=x"])
@scene
async def test_what_makes_no_sense_is_refused(tmp_path: Path, body: bytes) -> None:
    async with site(tmp_path) as made:
        headers = {"Origin": made.url, "Content-Type": "application/json"}
        answer = await made.home.post("/login/link", content=body, headers=headers)
        assert (answer.status_code, answer.json()) == (403, {"error": "This is no way in."})
    assert made.reasons == ["body: unreadable"]


@pytest.mark.parametrize("path", ["/login/link", "/login/code", "/login/telegram"])
@scene
async def test_a_huge_body_is_not_read_to_its_end(tmp_path: Path, path: str) -> None:
    async with site(tmp_path) as made:
        answer = await made.browser().post(path, {"token": "x" * 30_000, "code": "1", "data": "x"})
        assert (answer.status_code, answer.json()) == (403, {"error": "This is too large."})
    assert made.reasons == ["body: too large"]


@pytest.mark.parametrize("kind", ["", "text/plain", "application/x-www-form-urlencoded"])
@scene
async def test_a_form_of_another_site_can_write_no_json(tmp_path: Path, kind: str) -> None:
    async with site(tmp_path) as made:
        link = await made.access.link(made.url)
        body = f'{{"token": "{link.partition("#")[2]}"}}'
        headers = {"Origin": made.url} | ({"Content-Type": kind} if kind else {})
        answer = await made.home.post("/login/link", content=body, headers=headers)
        assert answer.status_code == 403
    assert made.reasons == ["no JSON"]


@scene
async def test_another_telegram_user_gets_nothing(tmp_path: Path) -> None:
    async with site(tmp_path, codes=False) as made:
        data = init_data(made.clock, user=CAESAR + 1)
        answer = await made.browser().signs_in("/login/telegram", {"data": data})
        assert answer.status_code == 403
        assert "set-cookie" not in answer.headers
    assert made.reasons == ["initData: somebody else"]
