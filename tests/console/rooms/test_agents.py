"""The room Agents over HTTP: who serves, what each is granted, who comes, changes and goes."""

import contextlib
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from legio.console.rooms.agents import agents_room
from tests.camp import Legion, legion
from tests.console.rig import page_of
from tests.fakes import Stage
from tests.scenes import scene
from tests.surveys import survey_of

HOSTILE = '<img src=x onerror="alert(1)">'
PROMPT = """\
---
# the builder
description: Builds bridges
tools:
  - Read
  - mcp__hub
ask: [Bash]
---
You build bridges.

---
And boats.
"""


@contextlib.asynccontextmanager
async def room(
    folder: Path, configured: tuple[str, ...] = ("hub",)
) -> AsyncIterator[tuple[httpx.AsyncClient, Legion]]:
    async with legion(folder / "castra", Stage()) as camp:
        camp.castra.prompt("pullo").write_text(PROMPT)
        made = agents_room(survey_of(camp), camp.recruiting, camp.praetorium.talk, configured=configured)
        async with (
            page_of(made) as url,
            httpx.AsyncClient(base_url=url, trust_env=False, verify=False) as client,
        ):
            yield client, camp


async def agent(client: httpx.AsyncClient, name: str) -> dict[str, Any]:
    shown = (await client.get("/camp/agents/list")).json()["agents"]
    (found,) = [it for it in shown if it["name"] == name]
    return dict(found)


async def edited(client: httpx.AsyncClient, name: str, /, **changes: object) -> httpx.Response:
    """The form of that agent, sent back with these changes."""
    it = await agent(client, name)
    return await client.post(
        "/camp/agents/edit", json={"name": name, "version": it["version"], **it["fields"], **changes}
    )


def history(camp: Legion, name: str) -> list[Path]:
    return sorted((camp.castra.post(name) / ".history").glob("*"))


@scene
async def test_everybody_is_listed_with_what_he_is_granted_and_what_that_allows(tmp_path: Path) -> None:
    async with room(tmp_path) as (client, _):
        shown = (await client.get("/camp/agents/list")).json()
        pullo = await agent(client, "pullo")
    assert [(it["name"], it["leads"]) for it in shown["agents"]] == [
        ("legatus", True),
        ("brutus", False),
        ("pullo", False),
        ("vorenus", False),
    ]
    assert pullo["fields"] == {
        "description": "Builds bridges",
        "model": None,
        "effort": None,
        "history_window": None,
        "tools": ["Read", "mcp__hub"],
        "ask": ["Bash"],
    }
    assert [(it["name"], it["allows"], it["asks"]) for it in pullo["grants"]] == [
        ("Read", "reads files in his own folder", False),
        ("mcp__hub", "uses every tool of the server hub", False),
        ("Bash", "runs commands, in a sandbox around his own folder", True),
    ]
    assert (pullo["trouble"], pullo["doubts"]) == ("", [])
    assert pullo["in_force"]["model"] == {"value": None, "reason": "nobody named one"}
    assert shown["grants"]["mcp__hub"] == "uses every tool of the server hub"
    assert shown["grants"]["WebSearch"] == "searches the web"
    assert {"opus", "sonnet"} <= set(shown["models"])
    assert shown["efforts"] == ["low", "medium", "high", "xhigh", "max"]


@scene
async def test_what_is_wrong_with_a_prompt_or_its_grants_is_said(tmp_path: Path) -> None:
    async with room(tmp_path, configured=()) as (client, camp):
        camp.castra.prompt("brutus").write_text("broken")
        camp.castra.prompt("vorenus").write_text("---\ndescription: d\ntools: [Raed]\n---\nYou.\n")
        camp.castra.prompt("legatus").write_text("broken")
        assert "there is no MCP server 'hub'" in (await agent(client, "pullo"))["trouble"]
        assert "Did you mean 'Read'?" in (await agent(client, "vorenus"))["doubts"][0]
        brutus = await agent(client, "brutus")
        assert "cannot be used" in brutus["trouble"]
        assert "fields" not in brutus
        answer = await client.post(
            "/camp/agents/edit", json={"name": "brutus", "version": "x", "description": "d"}
        )
        assert answer.status_code == 400


@scene
async def test_a_form_sets_the_front_matter_and_keeps_body_comments_and_the_former_version(
    tmp_path: Path,
) -> None:
    async with room(tmp_path) as (client, camp):
        answer = await edited(
            client,
            "pullo",
            description=f"  Builds:  {HOSTILE} ",
            model="opus",
            effort="low",
            history_window=0,
            tools=["Read", "Glob"],
            ask=[],
        )
        assert answer.json() == {"said": "pullo is as you set him from his next turn on; his thread goes on."}
        written = camp.roster.text("pullo")
        profile = camp.roster.profile("pullo")
        assert written.startswith("---\n# the builder\n")
        assert written.endswith("---\nYou build bridges.\n\n---\nAnd boats.\n")
        assert profile.description == f"Builds: {HOSTILE}"
        assert (profile.model, profile.effort, profile.history_window) == ("opus", "low", 0)
        assert (profile.tools, profile.asks) == (("Read", "Glob"), ())
        assert [path.read_text() for path in history(camp, "pullo")] == [PROMPT]

        await edited(client, "pullo", model="", effort="", history_window=None)
        profile = camp.roster.profile("pullo")
        assert (profile.model, profile.effort, profile.history_window) == (None, None, None)
        await edited(client, "pullo")
        assert len(history(camp, "pullo")) == 2, "a form that changes nothing writes nothing"


@scene
async def test_the_legatus_is_set_too_and_the_next_turn_obeys(tmp_path: Path) -> None:
    async with room(tmp_path) as (client, camp):
        await edited(client, "legatus", description="Leads them all")
        assert camp.roster.profile("legatus").description == "Leads them all"
        await camp.say("ave")
        await camp.settled(1)
        assert camp.ended[0].agent == "legatus"


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"description": "  "}, "description"),
        ({"description": "x" * 201}, "description"),
        ({"effort": "huge"}, "effort"),
        ({"history_window": 501}, "history_window"),
        ({"history_window": True}, "whole number"),
        ({"history_window": "7"}, "whole number"),
        ({"tools": "Read"}, "list of tools"),
        ({"ask": [7]}, "list of tools"),
        ({"tools": ["Read"], "ask": ["Read"]}, "stands in tools as well"),
        ({"tools": ["mcp__nowhere"]}, "no MCP server 'nowhere'"),
        ({"model": "a\nb"}, "model"),
        ({"version": "0"}, "has been changed since you opened it"),
        ({"name": "titus"}, "nobody called 'titus'"),
        ({"description": 7}, "has to be a text"),
    ],
)
@scene
async def test_what_cannot_be_is_refused_and_nothing_is_written(
    tmp_path: Path, changes: dict[str, object], said: str
) -> None:
    async with room(tmp_path) as (client, camp):
        answer = await edited(client, "pullo", **changes)
        assert answer.status_code == 400
        assert said in answer.json()["error"]
        assert camp.roster.text("pullo") == PROMPT
        assert history(camp, "pullo") == []


@scene
async def test_half_a_sign_gets_into_no_prompt_and_one_written_by_hand_is_refused(tmp_path: Path) -> None:
    # YAML writes half a sign as an escape, so that the file was well and what it said could not be shown.
    async with room(tmp_path) as (client, camp):
        version = (await agent(client, "pullo"))["version"]
        given = f'{{"name": "pullo", "version": "{version}", "description": "\\ud800"}}'
        assert (await client.post("/camp/agents/edit", content=given)).status_code == 400
        assert camp.roster.text("pullo") == PROMPT
        camp.castra.prompt("pullo").write_text('---\ndescription: "\\uD800"\n---\nYou.\n')
        assert "description: found the text" in (await agent(client, "pullo"))["trouble"]


@scene
async def test_what_another_hand_changed_meanwhile_is_not_written_over(tmp_path: Path) -> None:
    async with room(tmp_path) as (client, camp):
        form = await agent(client, "pullo")
        camp.castra.prompt("pullo").write_text(PROMPT + "And fords.\n")
        answer = await client.post(
            "/camp/agents/edit",
            json={"name": "pullo", "version": form["version"], **form["fields"], "description": "New"},
        )
        assert "has been changed since you opened it" in answer.json()["error"]
        assert camp.roster.text("pullo") == PROMPT + "And fords.\n"


@scene
async def test_a_centurio_comes_and_goes(tmp_path: Path) -> None:
    async with room(tmp_path) as (client, camp):
        given = {"name": " @Titus ", "specialization": "finds fords"}
        answer = await client.post("/camp/agents/create", json=given)
        assert answer.json()["said"].startswith("titus has joined: finds fords")
        assert (await agent(client, "titus"))["fields"]["description"] == "finds fords"
        assert "already" in (await client.post("/camp/agents/create", json=given)).json()["error"]
        answer = await client.post("/camp/agents/create", json={"name": "../x", "specialization": "y"})
        assert answer.status_code == 400

        answer = await client.post("/camp/agents/remove", json={"name": "titus"})
        assert answer.json()["said"].startswith("titus has been removed.")
        assert "titus" not in camp.roster.names()
        answer = await client.post("/camp/agents/remove", json={"name": "legatus"})
        assert "the Legatus cannot be removed" in answer.json()["error"]
        assert (await client.post("/camp/agents/remove", json={"name": "titus"})).status_code == 400


@scene
async def test_who_talked_to_whom_is_counted_and_drawn(tmp_path: Path) -> None:
    async with room(tmp_path) as (client, camp):
        nothing = (await client.get("/camp/agents/talk")).json()
        await camp.say("@pullo @vorenus ave")
        await camp.settled(2)
        talk = (await client.get("/camp/agents/talk")).json()
    assert (nothing["exchanges"], nothing["picture"]) == ([], "")
    assert nothing["since"] < camp.clock.now().isoformat()
    said = {(it["sender"], it["hearer"]): it["nuntii"] for it in talk["exchanges"]}
    assert said == {
        ("caesar", "pullo"): 1,
        ("caesar", "vorenus"): 1,
        ("pullo", "caesar"): 1,
        ("pullo", "vorenus"): 1,
        ("vorenus", "caesar"): 1,
        ("vorenus", "pullo"): 1,
    }
    assert talk["picture"].startswith("<svg ")
