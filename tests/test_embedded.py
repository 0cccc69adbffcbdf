"""`legio local` in this process: the page, the bot behind it, and whoever answers."""

import asyncio
import socket
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from legio.config import (
    ClaudeConfig,
    Config,
    ConsoleConfig,
    Credential,
    LocalConfig,
    Secrets,
    TelegramConfig,
)
from legio.embedded import embedded
from legio.errors import LegioError
from legio.local.model import ModelState, model_server
from legio.templates import init
from tests.entering import address, entered, link, stranger
from tests.rollcalls import is_roll_call
from tests.scenes import TICK_SECONDS, scene

RECRUIT = 'No model credential is set: a scripted recruit answers. Ask him for "help".'
CONFIGURED = "The model is the one you configured."


def trial(folder: Path) -> Config:
    init(folder)
    return Config(castra=folder / "castra", local=LocalConfig(port=0))


async def answers(announcement: str, text: str) -> str:
    """What the bot says to a text that is written on the page."""
    shown: list[dict[str, Any]] = []
    async with entered(announcement) as page:
        before = (await page.get("/chat/state")).json()["messages"]
        assert (await page.post("/chat/say", json={"text": text})).status_code == 200

        async def look() -> bool:
            messages = (await page.get("/chat/state")).json()["messages"]
            shown[:] = [it for it in messages[len(before) + 1 :] if not is_roll_call(it["text"])]
            return bool(shown)

        while not await look():  # noqa: ASYNC110  (the page is another side: it has no event for us)
            await asyncio.sleep(TICK_SECONDS)
    return str(shown[-1]["text"])


@scene(deadline=60)
async def test_without_a_credential_a_scripted_recruit_answers_and_says_so(tmp_path: Path) -> None:
    async with embedded(trial(tmp_path), Secrets()) as announcement:
        answer = await answers(announcement, "ave")
    assert (
        announcement == f"Legio is at {link(announcement)} - open it in a browser. {RECRUIT} Ctrl-C stops it."
    )
    assert "scripted" in answer


@scene(deadline=60)
async def test_a_trial_has_a_praetorium_of_its_own(tmp_path: Path) -> None:
    async with embedded(trial(tmp_path), Secrets()):
        pass
    assert (tmp_path / "castra/praetorium-local.db").exists()
    assert not (tmp_path / "castra/praetorium.db").exists()


@scene(deadline=60)
async def test_a_model_that_is_configured_is_asked(tmp_path: Path) -> None:
    model = ModelState(key="mine")
    async with model_server(model) as url:
        config = replace(trial(tmp_path), claude=ClaudeConfig(base_url=url))
        secrets = Secrets(None, Credential("ANTHROPIC_AUTH_TOKEN", "mine"))
        async with embedded(config, secrets) as announcement:
            answer = await answers(announcement, "echo here")
    assert CONFIGURED in announcement
    assert answer.endswith("here")
    assert model.requests


@pytest.mark.parametrize(("given", "shown"), [(None, 1), (4711, 4711)])
@scene(deadline=60)
async def test_caesar_on_the_page_is_whom_the_configuration_names(
    tmp_path: Path, given: int | None, shown: int
) -> None:
    config = replace(trial(tmp_path), telegram=TelegramConfig(caesar_id=given))
    async with embedded(config, Secrets()) as announcement, entered(announcement) as page:
        state = (await page.get("/chat/state")).json()
    assert state["owner"]["id"] == shown


@scene
async def test_the_page_is_where_the_configuration_wants_it_or_it_is_told_why_not(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        config = replace(trial(tmp_path), local=LocalConfig(port=port))
        with pytest.raises(LegioError, match=rf"\[local\] port: port {port} cannot be used"):
            async with embedded(config, Secrets()):
                pass
    async with embedded(config, Secrets()) as announcement:
        assert address(announcement) == f"http://127.0.0.1:{port}"


@scene(deadline=60)
async def test_the_page_has_topics_where_they_are_wanted(tmp_path: Path) -> None:
    config = replace(trial(tmp_path), telegram=TelegramConfig(topics=True))
    async with embedded(config, Secrets()) as announcement, entered(announcement) as page:
        shown: dict[str, str] = {}
        while len(shown) < 3:
            shown = (await page.get("/chat/state")).json()["topics"]
            await asyncio.sleep(TICK_SECONDS)
    assert sorted(shown.values()) == ["brutus", "pullo", "vorenus"]


@scene(deadline=60)
async def test_the_chat_is_the_first_of_the_rooms_and_the_link_opens_them_once(tmp_path: Path) -> None:
    async with embedded(trial(tmp_path), Secrets()) as announcement, entered(announcement) as page:
        told = (await page.get("/rooms")).json()
        shown = {each["name"]: await page.get(each["script"]) for each in told["rooms"]}
        token = link(announcement).partition("#")[2]
        async with stranger(announcement) as second:
            headers = {"Origin": address(announcement)}
            again = await second.post("/login/link", json={"token": token}, headers=headers)
            seen = await second.get("/rooms")
    assert list(shown) == ["chat", "now", "feed", "praetorium", "memoria", "agents", "costs"]
    assert {answer.status_code for answer in shown.values()} == {200}
    assert (again.status_code, seen.status_code) == (403, 401)


READS = ("state", "events", "earlier", "people", "commands", "file/x", "static/room.js")
DEEDS = ("say", "edit", "press", "upload", "fault")


@scene(deadline=60)
async def test_a_stranger_reads_nothing_of_the_chat_and_says_nothing_in_it(tmp_path: Path) -> None:
    async with embedded(trial(tmp_path), Secrets()) as announcement, entered(announcement) as page:
        before = (await page.get("/chat/state")).json()["messages"]
        async with stranger(announcement) as other:
            other.headers["X-Legio-Token"] = page.headers["X-Legio-Token"]
            read = [await other.get(f"/chat/{path}") for path in READS]
            bare = [await other.post(f"/chat/{deed}", json={"text": "mine"}) for deed in DEEDS]
            other.headers["Origin"] = address(announcement)
            posed = [await other.post(f"/chat/{deed}", json={"text": "mine"}) for deed in DEEDS]
        after = (await page.get("/chat/state")).json()["messages"]
    assert {(answer.status_code, answer.text) for answer in (*read, *posed)} == {
        (401, '{"error":"Sign in first."}')
    }
    assert {answer.status_code for answer in bare} == {403}
    assert after == before


OTHERS = (
    {"Origin": "https://evil.example"},
    {"Host": "evil.example"},
    {"Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "same-site", "Origin": "http://127.0.0.1:1"},
)
"""What a browser says of pages that are not ours, while it brings Caesar's cookie."""


@scene(deadline=60)
async def test_another_site_in_caesars_own_browser_gets_and_does_nothing_either(tmp_path: Path) -> None:
    async with embedded(trial(tmp_path), Secrets()) as announcement, entered(announcement) as page:
        before = (await page.get("/chat/state")).json()["messages"]
        read = [await page.get("/chat/state", headers=given) for given in OTHERS]
        said = [
            await page.post("/chat/say", json={"text": "mine"}, headers=given)
            for given in (*OTHERS, {"X-Legio-Token": ""}, {"X-Legio-Token": "guessed"})
        ]
        after = (await page.get("/chat/state")).json()["messages"]
    assert {answer.status_code for answer in (*read, *said)} == {403}
    assert after == before


@scene(deadline=60)
async def test_it_is_for_this_machine_also_where_the_console_has_a_public_address(tmp_path: Path) -> None:
    console = ConsoleConfig(public_url="https://camp.example.org")
    async with (
        embedded(replace(trial(tmp_path), console=console), Secrets()) as announcement,
        entered(announcement) as page,
    ):
        named = await page.get("/rooms", headers={"Host": "camp.example.org"})
    assert named.status_code == 403
