"""The prompts over HTTP: read, checked as they are written, saved, and put back as they stood."""

from pathlib import Path
from typing import Any, cast

import httpx
import pytest

from legio.claude.counting import GUESSED
from legio.ports import Kind
from tests.camp import write_castra
from tests.console.rig import page_of
from tests.console.rooms.memoria.desk import HOSTILE, complaint, desk, get, opened, post
from tests.scenes import scene

Json = dict[str, Any]
DRAFT = "---\ndescription: builds\n---\nYou build bridges.\n"


async def check(client: httpx.AsyncClient, name: str, text: str) -> Json:
    return cast("Json", await post(client, "prompts/check", name=name, text=text))


@scene
async def test_every_agent_is_listed_with_what_he_is_for_or_what_is_wrong(tmp_path: Path) -> None:
    async with opened(tmp_path) as (client, made):
        made.castra.prompt("brutus").write_text(f"---\n{HOSTILE}\n---\nYou doubt.")
        listed = cast("list[Json]", (await get(client, "prompts"))["prompts"])
        broken = await get(client, "prompts/brutus")

    assert [each["name"] for each in listed] == ["legatus", "brutus", "pullo", "vorenus"]
    assert listed[0] == {"name": "legatus", "description": "legatus's work", "trouble": ""}
    assert listed[1]["trouble"].startswith("centuriones/brutus/prompt.md: this prompt cannot be used")
    assert HOSTILE in cast("str", broken["text"])


@scene
async def test_a_draft_is_told_all_that_is_wrong_with_it_by_line(tmp_path: Path) -> None:
    async with opened(tmp_path) as (client, _):
        wrong = await check(client, "pullo", "---\ndescription: x\nmodle: y\neffort: huge\n---\n")
        hindered = await check(
            client, "pullo", "---\ndescription: x\ntools: [Raed, mcp__hubb]\n---\nYou build."
        )

    assert [(each["line"], each["said"].split(".")[0]) for each in wrong["flaws"]] == [
        (3, "there is no key 'modle'"),
        (4, 'effort: found the text "huge"'),
        (None, "there is no text below the front matter"),
    ]
    assert (wrong["whole"], wrong["parts"]) == (None, [])
    (flaw,) = hindered["flaws"]
    assert flaw["said"] == "there is no MCP server 'hubb' in legio.toml. Did you mean 'hub'?"
    (doubt,) = hindered["doubts"]
    assert "the CLI is not known to have a tool 'Raed'" in doubt
    assert hindered["whole"]["tokens"] > 0


@scene
async def test_a_draft_is_told_as_it_would_be_and_counted_part_by_part(tmp_path: Path) -> None:
    async with opened(tmp_path) as (client, made):
        made.memoria.write(Kind.EDICTUM, title="Order", text="Speak <plainly>.", author="caesar")
        found = await check(client, "legatus", "---\ndescription: leads\n---\nYou lead otherwise.\n")
        his = await check(client, "pullo", DRAFT)

    assert [each["source"] for each in found["parts"]] == ["legio", "prompt", "edicta", "roster"]
    assert [each["source"] for each in his["parts"]] == ["legio", "prompt", "edicta"]
    assert found["parts"][1]["text"] == "You lead otherwise."
    assert "Speak &lt;plainly&gt;." in found["parts"][2]["text"]
    assert all(each["tokens"] > 0 for each in found["parts"])
    assert found["whole"]["rule"] == "counted by scripted-recruit"
    assert not found["whole"]["about"]
    assert found["whole"]["tokens"] > max(each["tokens"] for each in found["parts"])


@scene
async def test_where_nobody_counts_it_is_guessed_and_said_so(tmp_path: Path) -> None:
    made = desk(write_castra(tmp_path / "castra"), "http://127.0.0.1:9")
    async with page_of(made.room) as url, httpx.AsyncClient(base_url=f"{url}/camp/memoria/") as client:
        found = await check(client, "pullo", DRAFT)
    assert (found["whole"]["about"], found["whole"]["rule"]) == (True, GUESSED)
    assert found["whole"]["tokens"] > 5


@scene
async def test_a_prompt_is_saved_compared_and_put_back(tmp_path: Path) -> None:
    async with opened(tmp_path) as (client, made):
        was = (await get(client, "prompts/pullo"))["text"]
        assert await post(client, "prompts/pullo/save", text=DRAFT, was=was) == {"name": "pullo"}
        assert made.muster("pullo").system_prompt.endswith("You build bridges.\n")
        shown = await get(client, "prompts/pullo")
        (former,) = cast("list[Json]", shown["versions"])
        since = await get(client, "prompts/pullo/difference", **{"from": former["id"]})
        text = (await get(client, "prompts/pullo/version", id=former["id"]))["text"]
        await post(client, "prompts/pullo/save", text=text, was=shown["text"])
        again = await get(client, "prompts/pullo")

    assert (shown["text"], text, again["text"]) == (DRAFT, was, was)
    assert len(cast("list[Json]", again["versions"])) == 2
    kinds = [each["kind"] for each in cast("list[Json]", since["lines"])]
    assert {"gone", "new", "same"} <= set(kinds)


@scene
async def test_a_broken_draft_and_one_that_another_hand_was_before_are_not_saved(tmp_path: Path) -> None:
    async with opened(tmp_path) as (client, made):
        was = (await get(client, "prompts/pullo"))["text"]
        broken = await client.post("prompts/pullo/save", json={"text": "You.", "was": was})
        assert "there is no front matter" in complaint(broken)
        made.castra.prompt("pullo").write_text(DRAFT)
        late = await client.post("prompts/pullo/save", json={"text": f"{DRAFT}More.", "was": was})
        assert "pullo's prompt has been changed since you opened it" in complaint(late)
        assert made.castra.prompt("pullo").read_text() == DRAFT


@pytest.mark.parametrize("name", ["nobody", "..%2Flegatus", "caesar", "%2e%2e", "Pullo"])
@scene
async def test_who_is_no_agent_has_no_prompt(tmp_path: Path, name: str) -> None:
    async with opened(tmp_path) as (client, _):
        responses = [
            await client.get(f"prompts/{name}"),
            await client.get(f"prompts/{name}/version?id=x"),
            await client.post(f"prompts/{name}/save", json={"text": DRAFT, "was": ""}),
        ]
        assert {each.status_code for each in responses} <= {400, 404}
        checked = await client.post("prompts/check", json={"name": "../legatus", "text": DRAFT})
        assert "cannot be a centurio's name" in complaint(checked)


@scene
async def test_a_prompt_that_is_a_link_is_not_followed_and_an_unknown_version_is_told(tmp_path: Path) -> None:
    async with opened(tmp_path) as (client, made):
        assert "no such version" in complaint(await client.get("prompts/pullo/version?id=20260101T000000Z"))
        (tmp_path / "secret").write_text(DRAFT)
        made.castra.prompt("pullo").unlink()
        made.castra.prompt("pullo").symlink_to(tmp_path / "secret")
        assert "symbolic links are not followed" in complaint(await client.get("prompts/pullo"))
        response = await client.post("prompts/pullo/save", json={"text": f"{DRAFT}More.", "was": DRAFT})
        assert "symbolic links are not followed" in complaint(response)
        assert (tmp_path / "secret").read_text() == DRAFT
