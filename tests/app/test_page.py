"""The page of the running Legio: what is in it, how it is entered, and what is not shown."""

import contextlib
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import httpx
import pyotp
import pytest
from starlette.requests import Request
from starlette.routing import Route

from legio.app import Chat
from legio.config import Credential, Secrets
from legio.console import Bounds, Console, Metrics, create_app
from legio.console.page import Room
from legio.console.wire import answering
from legio.errors import Refused
from legio.loopback import serving
from legio.ports import Entry, EntryKind
from legio.totp import Verdict
from tests.app.parts import SECRET, TOKEN, Parts, parts
from tests.console.access.rig import Browser
from tests.console.rig import page_of
from tests.console.signs import StillVitals
from tests.scenes import scene

OUTSIDE = "https://camp.example.org"
HERE = "http://127.0.0.1:8471"
ROOMS = ("now", "feed", "praetorium", "memoria", "agents", "costs")
LOOKS = (
    "/camp/now/agents",
    "/camp/feed/entries",
    "/camp/praetorium/nuntii",
    "/camp/memoria/prompts",
    "/camp/memoria/edicta",
    "/camp/agents/list",
    "/camp/agents/talk",
    "/camp/costs/figures",
    "/camp/costs/health",
    "/camp/costs/outbox",
    "/camp/costs/scorecard",
)
"""What a room asks for at first, in a camp where nothing has happened."""


def chat(people: Callable[[], Sequence[tuple[str, str]]]) -> Room:
    """A room where it is only said who can be named."""

    async def named(_: Request) -> object:
        return [list(each) for each in people()]

    return Room("chat", "Chat", "/static/kit.js", [Route("/chat/people", answering(named))])


@contextlib.asynccontextmanager
async def read(made: Parts) -> AsyncIterator[httpx.AsyncClient]:
    """All rooms, without the wall."""
    async with (
        page_of(*made.rooms) as url,
        httpx.AsyncClient(base_url=url, trust_env=False, verify=False) as client,
    ):
        yield client


@contextlib.asynccontextmanager
async def before(made: Parts) -> AsyncIterator[Browser]:
    """A browser that nobody knows, before the whole page; the site knows where it is served."""
    app = create_app(Console(StillVitals(), Metrics(), Bounds(100)), made.rooms, made.site.access)
    async with (
        serving(app) as made.site.url,
        httpx.AsyncClient(base_url=made.site.url, trust_env=False, verify=False) as client,
    ):
        yield Browser(client, made.site.url)


# --- the way in -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("public_url", [None, OUTSIDE])
@scene
async def test_while_it_is_not_served_there_is_no_way_to_it(tmp_path: Path, public_url: str | None) -> None:
    async with parts(tmp_path, public_url=public_url) as made:
        for way in (made.site.link, made.site.invitation):
            with pytest.raises(Refused, match=r"the console is not served\. Set \[console\] port"):
                await way()


@pytest.mark.parametrize(("public_url", "base"), [(None, HERE), (OUTSIDE, OUTSIDE)])
@scene
async def test_a_link_leads_by_the_public_address_where_there_is_one(
    tmp_path: Path, public_url: str | None, base: str
) -> None:
    async with parts(tmp_path, public_url=public_url) as made:
        made.site.url = HERE
        assert made.site.address == base
        assert (await made.site.link()).startswith(f"{base}/login#")


@scene
async def test_without_an_authenticator_the_invitation_is_a_link_that_opens_the_page_once(
    tmp_path: Path,
) -> None:
    async with parts(tmp_path) as made, before(made) as caesar:
        link = (await made.site.invitation()).splitlines()[-1]
        assert (await caesar.opens(link)).status_code == 200
        inside = await caesar.get("/camp/now/agents")
        again = await Browser(caesar.http, caesar.origin).opens(link)
    assert inside.status_code == 200
    assert again.status_code == 403


@scene
async def test_with_an_authenticator_the_invitation_opens_nothing_by_itself(tmp_path: Path) -> None:
    async with parts(tmp_path, Secrets(totp_secret=SECRET), public_url=OUTSIDE) as made:
        made.site.url = HERE
        said = await made.site.invitation()
    assert said == f"{OUTSIDE}\n\nSign in there with a code of your authenticator."


@scene
async def test_a_code_that_was_used_in_the_chat_is_used_up_at_the_page(tmp_path: Path) -> None:
    async with parts(tmp_path, Secrets(totp_secret=SECRET)) as made, before(made) as caesar:
        assert made.core.authenticator is not None
        code = pyotp.TOTP(SECRET).now()
        assert await made.core.authenticator.accept(code) is Verdict.RIGHT
        answer = await caesar.signs_in("/login/code", {"code": code})
    assert answer.status_code == 403
    assert "That code was used before." in answer.text


@scene
async def test_a_stranger_gets_nothing_from_any_room(tmp_path: Path) -> None:
    async with parts(tmp_path, chat=Chat(chat, 0)) as made, before(made) as stranger:
        paths = [route.path for room in made.rooms for route in room.routes if isinstance(route, Route)]
        given = {(await stranger.get(path)).status_code for path in ("/rooms", *paths)}
    assert len(paths) > 30
    assert given == {401}


# --- what is in it --------------------------------------------------------------------------------------


@scene
async def test_all_rooms_are_there_and_their_scripts_and_styles(tmp_path: Path) -> None:
    async with parts(tmp_path) as made, read(made) as client:
        assert tuple(room.name for room in made.rooms) == ROOMS
        for room in made.rooms:
            script = await client.get(room.script)
            assert (script.status_code, "export async function open(" in script.text) == (200, True)
            assert not room.style or (await client.get(room.style)).status_code == 200
        assert [room["name"] for room in (await client.get("/rooms")).json()["rooms"]] == list(ROOMS)


@scene
async def test_the_chat_comes_first_where_there_is_one_and_knows_whom_to_name(tmp_path: Path) -> None:
    async with parts(tmp_path, chat=Chat(chat, 0)) as made, read(made) as client:
        assert tuple(room.name for room in made.rooms) == ("chat", *ROOMS)
        before = (await client.get("/chat/people")).json()
        made.deployment.castra.prompt("pullo").write_text("---\ndescription: walls\n---\nYou are pullo.\n")
        after = (await client.get("/chat/people")).json()
    assert [name for name, _ in before] == ["brutus", "pullo", "vorenus"]
    assert dict(after)["pullo"] == "walls"


@scene
async def test_no_address_is_two_rooms(tmp_path: Path) -> None:
    async with parts(tmp_path, chat=Chat(chat, 0)) as made:
        every = [
            (route.path, method)
            for room in made.rooms
            for route in room.routes
            if isinstance(route, Route)
            for method in route.methods or ()
        ]
    assert len(every) == len(set(every))


@scene
async def test_a_new_camp_can_be_looked_at_in_every_room(tmp_path: Path) -> None:
    async with parts(tmp_path) as made, read(made) as client:
        given = {path: (await client.get(path)).status_code for path in LOOKS}
    assert given == dict.fromkeys(LOOKS, 200)


@scene
async def test_the_feed_shows_no_secret_of_this_legio(tmp_path: Path) -> None:
    secrets = replace(Secrets(), model_credential=Credential("ANTHROPIC_API_KEY", "the-key-to-the-model"))
    said = f"env: {TOKEN} the-key-to-the-model harmless"
    async with parts(tmp_path, secrets) as made, read(made) as client:
        await made.praetorium.feed.add([Entry(EntryKind.EVENT, "pullo", said, datetime.now(UTC))])
        answer = await client.get("/camp/feed/entries")
    ((entry,), names) = (answer.json()["entries"], answer.json()["agents"])
    assert entry["text"] == "env: [redacted] [redacted] harmless"
    assert names == ["legatus", "brutus", "pullo", "vorenus"]
