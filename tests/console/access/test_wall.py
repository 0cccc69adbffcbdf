"""Whoever has not signed in gets nothing, and whoever has writes only from the page itself."""

import asyncio
from pathlib import Path

import pytest

from legio.console.access.pauses import WRITES
from legio.console.page import STATIC
from legio.errors import PraetoriumError
from tests.console.access.rig import HIDDEN, PUBLIC, site
from tests.fakes import MemorySettings
from tests.scenes import scene

LOGIN_PAGE = ("/login", "/login/ways", "/static/login.js", "/static/login.css", "/static/icon.svg")
WITHIN = (
    "/rooms",
    "/camp/secret/words",
    "/camp/secret/news",
    "/static/shell.js",
    "/static/kit.js",
    "/nowhere",
)
ROOMS = sorted(f"/static/rooms/{path.name}" for path in (STATIC / "rooms").iterdir())


@scene
async def test_a_stranger_gets_the_login_page_and_not_one_byte_more(tmp_path: Path) -> None:
    async with site(tmp_path) as made:
        stranger = made.browser()
        page = await stranger.get("/")
        assert (page.status_code, page.headers["location"], page.content) == (303, "/login", b"")
        for path in LOGIN_PAGE:
            assert (await stranger.get(path)).status_code == 200
        for path in (*WITHIN, *ROOMS):
            answer = await stranger.get(path)
            assert (answer.status_code, answer.json()) == (401, {"error": "Sign in first."})
        assert (await stranger.post("/camp/secret/words", {})).status_code == 401
        assert (await stranger.post("/logout")).status_code == 401
    assert made.reasons == ["not signed in"] * (len(WITHIN) + len(ROOMS) + 2)
    assert made.written == []


@scene
async def test_who_has_signed_in_gets_the_page_its_rooms_and_the_token_for_writes(tmp_path: Path) -> None:
    async with site(tmp_path) as made:
        browser = await made.signed_in()
        assert "shell.js" in (await browser.get("/")).text
        assert (await browser.get("/static/shell.js")).status_code == 200
        assert (await browser.get("/camp/secret/words")).json() == {"words": HIDDEN}
        assert (await browser.post("/camp/secret/words", {"say": "ave"})).status_code == 200
        rooms = (await browser.get("/rooms")).json()
        assert (rooms["token"], len(rooms["token"])) == (browser.token, 64)
        assert browser.token not in browser.cookie
    assert made.written == ['{"say":"ave"}']
    assert made.reasons == []


@scene
async def test_what_is_answered_keeps_the_browser_strict_and_is_kept_nowhere(tmp_path: Path) -> None:
    async with site(tmp_path) as made:
        browser = await made.signed_in()
        for answer in (
            await browser.get("/camp/secret/words"),
            await made.browser().get("/login"),
            await made.browser().get("/rooms"),
            await made.browser().get("/rooms", host="evil.example"),
        ):
            policy = answer.headers["content-security-policy"]
            assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self'")
            assert policy.endswith("frame-ancestors 'none'")
            assert answer.headers["referrer-policy"] == "no-referrer"
            assert answer.headers["cache-control"] == "no-store"
        assert (await browser.get("/static/kit.js")).headers["cache-control"] == "no-cache"


# --- writes ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("token", ["", "x", "0" * 64])
@scene
async def test_a_write_without_the_token_of_its_visit_is_refused(tmp_path: Path, token: str) -> None:
    async with site(tmp_path) as made:
        browser = await made.signed_in()
        browser.token = token
        answer = await browser.post("/camp/secret/words", {})
        assert answer.status_code == 403
        assert answer.json() == {"error": "This page is out of date. Load it again."}
        assert (await browser.post("/logout")).status_code == 403
    assert made.written == []
    assert made.reasons == ["token"] * 2


@scene
async def test_the_token_of_another_visit_is_no_token_of_this_one(tmp_path: Path) -> None:
    async with site(tmp_path) as made:
        one, other = await made.signed_in(), await made.signed_in()
        assert one.token != other.token
        one.token = other.token
        assert (await one.post("/camp/secret/words", {})).status_code == 403
    assert made.written == []
    assert made.reasons == ["token"]


@pytest.mark.parametrize("method", ["PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "BREW"])
@scene
async def test_every_method_that_is_no_read_is_a_write(tmp_path: Path, method: str) -> None:
    async with site(tmp_path) as made:
        browser = await made.signed_in()
        headers = {"Cookie": browser.cookie, "Origin": made.url}
        answer = await made.home.request(method, "/camp/secret/words", headers=headers)
        assert answer.status_code == 403
    assert made.reasons == ["token"]


@scene
async def test_a_write_that_does_not_say_where_it_comes_from_is_refused(tmp_path: Path) -> None:
    async with site(tmp_path) as made:
        browser = await made.signed_in()
        assert (await browser.post("/camp/secret/words", {}, origin="")).status_code == 403
        assert (
            await browser.post("/camp/secret/words", {}, origin="", sec_fetch_site="none")
        ).status_code == 403
        own = await browser.post("/camp/secret/words", {}, origin="", sec_fetch_site="same-origin")
        assert own.status_code == 200
    assert made.reasons == ["origin"] * 2
    assert len(made.written) == 1


@scene
async def test_who_writes_too_fast_has_to_wait(tmp_path: Path) -> None:
    async with site(tmp_path) as made:
        browser, other = await made.signed_in(), await made.signed_in()
        answers = [(await browser.post("/camp/secret/words", {})).status_code for _ in range(WRITES + 1)]
        assert answers == [200] * WRITES + [429]
        slowed = await browser.post("/camp/secret/words", {})
        assert (slowed.status_code, slowed.headers["retry-after"]) == (429, "1")
        assert (await other.post("/camp/secret/words", {})).status_code == 200
        made.clock.advance(1)
        assert (await browser.post("/camp/secret/words", {})).status_code == 200
    assert made.reasons == ["pace"] * 2


# --- by which name, and from which page --------------------------------------------------------------------


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "camp.example.org.evil.example",
        "127.0.0.1.evil.example",
        "10.0.0.1",
        "camp.example.org:80",
        "CAMP",
    ],
)
@scene
async def test_any_other_name_is_refused_so_that_rebinding_gains_nothing(tmp_path: Path, host: str) -> None:
    async with site(tmp_path) as made:
        browser = await made.signed_in()
        for path in (
            "/",
            "/login",
            "/rooms",
            "/camp/secret/words",
            "/healthz",
            "/metrics",
            "/static/login.js",
        ):
            answer = await browser.get(path, host=host)
            assert answer.status_code == 403
            assert HIDDEN not in answer.text
        rebound = await browser.post("/camp/secret/words", {}, host=host, origin=f"http://{host}")
        assert rebound.status_code == 403
        link = await made.access.link(made.url)
        browser.origin = f"http://{host}"
        assert (await browser.opens(link)).status_code == 403
    assert made.reasons == ["host"] * 9
    assert made.written == []


@pytest.mark.parametrize(
    "origin",
    [
        "null",
        "http://evil.example",
        "http://127.0.0.1:1",
        PUBLIC,
        "https://127.0.0.1",
    ],
)
@scene
async def test_another_sites_page_may_not_call(tmp_path: Path, origin: str) -> None:
    async with site(tmp_path) as made:
        browser = await made.signed_in()
        assert (await browser.post("/camp/secret/words", {}, origin=origin)).status_code == 403
        assert (await browser.get("/camp/secret/words", origin=origin)).status_code == 403
        link = await made.access.link(made.url)
        body = {"token": link.partition("#")[2]}
        assert (await browser.post("/login/link", body, origin=origin)).status_code == 403
        assert (await browser.post("/login/link", body)).status_code == 200, "it was not used up"
    assert made.reasons == ["another site"] * 3
    assert made.written == []


@pytest.mark.parametrize("fetched", ["cross-site", "same-site"])
@scene
async def test_another_sites_page_may_link_to_the_page_and_load_nothing(tmp_path: Path, fetched: str) -> None:
    async with site(tmp_path) as made:
        browser = await made.signed_in()
        assert (await browser.get("/", sec_fetch_site=fetched)).status_code == 200
        assert (await browser.get("/login", sec_fetch_site=fetched)).status_code == 200
        for path in ("/camp/secret/words", "/static/shell.js", "/login/ways", "/rooms", "/metrics"):
            assert (await browser.get(path, sec_fetch_site=fetched)).status_code == 403
    assert made.reasons == ["another site"] * 5


@scene
async def test_who_is_elsewhere_does_not_come_by_the_names_of_this_machine(tmp_path: Path) -> None:
    async with site(tmp_path) as made, made.afar("http://127.0.0.1:8471") as far:
        for path in ("/", "/login", "/rooms", "/metrics", "/healthz"):
            answer = await far.get(path, x_forwarded_for="127.0.0.1", x_forwarded_host="127.0.0.1")
            assert answer.status_code == 403
            assert HIDDEN not in answer.text
        assert (await far.opens(await made.access.link(made.url))).status_code == 403
    assert made.reasons == ["host"] * 6
    assert {entry["client"] for entry in made.logs if entry["event"] == "console.refused"} == {"203.0.113.5"}


@scene
async def test_who_is_elsewhere_comes_by_the_public_name_through_tls(tmp_path: Path) -> None:
    async with site(tmp_path) as made, made.afar() as far:
        answer = await far.opens(await made.access.link(PUBLIC))
        assert answer.headers["set-cookie"].startswith("__Host-legio=")
        assert (await far.get("/camp/secret/words")).json() == {"words": HIDDEN}
        assert (await far.post("/camp/secret/words", {})).status_code == 200
        plain = await far.post("/camp/secret/words", {}, origin="http://camp.example.org")
        assert plain.status_code == 403
    assert made.reasons == ["another site"]


@scene
async def test_without_a_public_name_there_is_none(tmp_path: Path) -> None:
    async with site(tmp_path, public_url=None) as made, made.afar() as far:
        assert (await far.get("/login")).status_code == 403


# --- health and figures ---------------------------------------------------------------------------------


@scene
async def test_programs_of_this_machine_see_how_legio_is(tmp_path: Path) -> None:
    async with site(tmp_path) as made:
        for path in ("/healthz", "/readyz", "/metrics"):
            answer = await made.browser().get(path)
            assert (answer.status_code, answer.text) == (503, HIDDEN)
    assert made.reasons == []


@scene
async def test_from_elsewhere_probes_say_whether_and_not_why_and_figures_are_caesars(tmp_path: Path) -> None:
    async with site(tmp_path) as made, made.afar() as far:
        for path in ("/healthz", "/readyz"):
            answer = await far.get(path)
            assert (answer.status_code, answer.text) == (503, "")
        assert (await far.get("/metrics")).status_code == 401
        passed = await made.browser().get("/metrics", x_forwarded_for="203.0.113.5")
        assert passed.status_code == 401, (
            "a proxy that calls us by a name of this machine is no program of it"
        )
        assert (await made.browser().get("/readyz", forwarded="for=203.0.113.5")).text == ""
        await far.opens(await made.access.link(PUBLIC))
        for path in ("/healthz", "/readyz", "/metrics"):
            assert (await far.get(path)).text == HIDDEN
    assert made.reasons == ["not signed in"] * 2


# --- ways around ----------------------------------------------------------------------------------------

TRAVERSALS = [
    "/static/../page.py",
    "/static/../../../pyproject.toml",
    "/static/%2e%2e/page.py",
    "/static/%2e%2e%2fpage.py",
    "/static/%252e%252e%252fpage.py",
    "/static/..%5cpage.py",
    "/static/..\\page.py",
    "/static//etc/passwd",
    "/static/%2fetc/passwd",
    "/static/login.js/../../page.py",
    "/static/login.js%00",
    "/static/login.js/",
    "/static/./shell.js",
    "/login/../static/shell.js",
    "/login%2f..%2frooms",
    "//rooms",
    "/rooms/",
    "/ROOMS",
    "/static/rooms/../shell.js",
    "http://evil.example/static/shell.js",
]


async def raw(port: int, target: str, *headers: str) -> str:
    """The answer to a request that no client would write."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    lines = [f"GET {target} HTTP/1.1", f"Host: 127.0.0.1:{port}", "Connection: close", *headers, "", ""]
    writer.write("\r\n".join(lines).encode())
    answer = await reader.read()
    writer.close()
    await writer.wait_closed()
    return answer.decode("utf-8", "replace")


@pytest.mark.parametrize("target", TRAVERSALS)
@scene
async def test_no_path_leads_around_the_wall_or_out_of_the_static_folder(tmp_path: Path, target: str) -> None:
    async with site(tmp_path) as made:
        port = int(made.url.rpartition(":")[2])
        strange = await raw(port, target)
        inside = await raw(port, target, f"Cookie: {(await made.signed_in()).cookie}")
    assert strange.startswith("HTTP/1.1 401 ")
    assert made.reasons[0] == "not signed in"
    for answer in (strange, inside):
        for leaked in ("page_routes", "root:", "[project]"):
            assert leaked not in answer
    assert "kit.get" not in strange


@pytest.mark.parametrize("header", ["X-Long: " + "x" * 200_000, "Host: evil.example", "Cookie"])
@scene
async def test_headers_that_no_browser_sends_are_refused_by_the_server(tmp_path: Path, header: str) -> None:
    async with site(tmp_path) as made:
        port = int(made.url.rpartition(":")[2])
        try:
            answer = await raw(port, "/camp/secret/words", header)
        except ConnectionError:  # it does not hear the end of them
            answer = "HTTP/1.1 400 "
    assert answer.startswith("HTTP/1.1 400 ")


@scene
async def test_a_cookie_that_is_huge_or_there_twice_is_none(tmp_path: Path) -> None:
    async with site(tmp_path) as made:
        browser = await made.signed_in()
        name, _, value = browser.cookie.partition("=")
        for cookie in (
            f"{name}={value}; {name}={value}",
            f"{name}={value}; padding={'x' * 9000}",
            f"{name}={value}x",
            f"{name}={'x' * 500}",
            f"{name}=",
            f"other={value}",
            name,
            ";;==;",
        ):
            browser.cookie = cookie
            assert (await browser.get("/rooms")).status_code == 401


@scene
async def test_nothing_but_http_is_spoken(tmp_path: Path) -> None:
    async with site(tmp_path) as made:
        sent: list[object] = []

        async def send(message: object) -> None:
            sent.append(message)

        async def receive() -> dict[str, object]:
            raise AssertionError

        await made.app({"type": "websocket", "path": "/", "headers": []}, receive, send)
    assert sent == []


@scene
async def test_a_stream_ends_with_its_visit(tmp_path: Path) -> None:
    async with site(tmp_path) as made:
        browser, other = await made.signed_in(), await made.signed_in()
        async with made.home.stream("GET", "/camp/secret/news", headers={"Cookie": browser.cookie}) as stream:
            lines = stream.aiter_lines()
            assert HIDDEN in [await anext(lines) for _ in range(4)][-1]
            await other.post("/logout")
            await browser.post("/logout")
            assert [line async for line in lines] == [""]
        assert (await browser.get("/camp/secret/news")).status_code == 401


class Broken(MemorySettings):
    async def get(self, name: str) -> str | None:
        raise PraetoriumError("it cannot be read.", where="praetorium.db")


@scene
async def test_a_record_that_cannot_be_read_lets_nobody_in_and_says_so(tmp_path: Path) -> None:
    async with site(tmp_path, settings=Broken()) as made:
        browser = made.browser()
        browser.cookie = f"legio-{made.url.rpartition(':')[2]}=x"
        answer = await browser.get("/rooms")
        link = await made.browser().post("/login/link", {"token": "x" * 43})
    assert (answer.status_code, answer.json()) == (503, {"error": "praetorium.db: it cannot be read."})
    assert (link.status_code, link.json()) == (400, answer.json())
