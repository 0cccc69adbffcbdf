import pytest
from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import Message

from legio.loopback.guard import foreign, strictly
from tests.scenes import scene


def judged(path: str = "/chat/say", **headers: str) -> str:
    return foreign(Headers({name.replace("_", "-"): value for name, value in headers.items()}), path)


@pytest.mark.parametrize(
    "host", ["127.0.0.1:8080", "localhost:8080", "localhost", "127.0.0.1", "[::1]:8080", "[::1]"]
)
def test_the_names_of_this_machine_pass(host: str) -> None:
    assert judged(host=host) == ""
    assert judged(host=host, origin=f"http://{host}", sec_fetch_site="same-origin") == ""


@pytest.mark.parametrize(
    "host",
    [
        "",
        "evil.example:8080",
        "evil.example",
        "127.0.0.1.evil.example",
        "localhost:x",
        "10.0.0.1:80",
        "[::2]",
    ],
)
def test_any_other_name_is_refused_so_that_rebinding_gains_nothing(host: str) -> None:
    assert "names of this machine only" in judged(host=host)


@pytest.mark.parametrize(
    "origin",
    [
        "null",
        "http://evil.example",
        "https://127.0.0.1:8080",
        "http://127.0.0.1:9999",
        "http://localhost:8080",
    ],
)
def test_another_origin_is_refused(origin: str) -> None:
    assert "may not call this one" in judged(host="127.0.0.1:8080", origin=origin)


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_another_sites_page_may_link_to_us_and_load_nothing(site: str) -> None:
    assert judged("/", host="localhost", sec_fetch_site=site) == ""
    assert "may not load this" in judged("/chat/state", host="localhost", sec_fetch_site=site)


def test_a_page_may_have_another_name_and_other_doors() -> None:
    headers = Headers({"host": "camp.example.org", "origin": "https://camp.example.org"})
    assert foreign(headers, "/", origin=lambda host: f"https://{host}") == ""
    linked = Headers({"host": "localhost", "sec-fetch-site": "cross-site"})
    assert foreign(linked, "/login", linked=("/login",)) == ""
    assert "may not load this" in foreign(linked, "/", linked=("/login",))


@pytest.mark.parametrize(("given", "kept"), [({}, "no-store"), ({"Cache-Control": "private"}, "private")])
@scene
async def test_answers_say_how_long_they_may_be_kept(given: dict[str, str], kept: str) -> None:
    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    async def receive() -> Message:
        raise AssertionError

    answer = PlainTextResponse("ave", headers=given)
    await answer({"type": "http"}, receive, strictly(send, "no-store"))
    headers = Headers(raw=sent[0]["headers"])
    assert (headers["cache-control"], headers["x-content-type-options"]) == (kept, "nosniff")
