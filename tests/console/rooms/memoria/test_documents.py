"""The shelves over HTTP: written, read, amended, revoked, compared and put back."""

import contextlib
from pathlib import Path
from typing import Any, cast

import httpx
import pytest

from legio.ports import Kind, Proof
from tests.console.rooms.memoria.desk import HOSTILE, complaint, get, opened, post
from tests.memoria.shelves import by_hand, content
from tests.scenes import scene

Json = dict[str, Any]
RULE = {"title": "Plain words", "text": "Use them.\nAlways."}


async def standing(client: httpx.AsyncClient, path: str, **parameters: str) -> Json:
    return cast("Json", (await get(client, path, **parameters))["standing"])


async def versions(client: httpx.AsyncClient, path: str, **parameters: str) -> list[Json]:
    return cast("list[Json]", (await get(client, path, **parameters))["versions"])


@pytest.mark.parametrize(("shelf", "owner"), [("edicta", ""), ("acta", ""), ("commentarii", "vorenus")])
@scene
async def test_a_document_is_written_amended_revoked_and_put_back(
    tmp_path: Path, shelf: str, owner: str
) -> None:
    path = f"{shelf}/plain-words"
    async with opened(tmp_path) as (client, made):
        assert await post(client, shelf, owner=owner, **RULE) == {"name": "plain-words", "warning": ""}
        first = await standing(client, path, owner=owner)
        assert (first["author"], first["text"]) == ("caesar", "Use them.\nAlways.")

        made.clock.advance(60)
        amended = await post(
            client, f"{path}/amend", owner=owner, title="Plain words", text="Never.", mark=first["mark"]
        )
        assert amended == {"name": "plain-words", "warning": ""}
        second = await standing(client, path, owner=owner)
        former = (await versions(client, path, owner=owner))[1]
        assert (second["text"], former["fate"], former["by"]) == ("Never.", "replaced", "caesar")
        assert (await get(client, f"{path}/version", owner=owner, id=former["id"]))["text"] == first["text"]

        await post(client, f"{path}/revoke", owner=owner, mark=second["mark"])
        shown = await get(client, shelf, owner=owner)
        gone = await get(client, path, owner=owner)
        assert shown["documents"] == []
        assert [each["name"] for each in cast("list[Json]", shown["gone"])] == ["plain-words"]
        assert gone["standing"] is None

        await post(client, f"{path}/restore", owner=owner, version=former["id"])
        assert await standing(client, path, owner=owner) == first
        assert len(await versions(client, path, owner=owner)) == 3


@scene
async def test_what_was_amended_gets_its_former_text_back(tmp_path: Path) -> None:
    async with opened(tmp_path) as (client, _):
        await post(client, "edicta", **RULE)
        first = await standing(client, "edicta/plain-words")
        await post(client, "edicta/plain-words/amend", title="Other", text="Else.", mark=first["mark"])
        second = await standing(client, "edicta/plain-words")
        (former,) = (await versions(client, "edicta/plain-words"))[1:]
        await post(client, "edicta/plain-words/restore", version=former["id"], mark=second["mark"])

        assert await standing(client, "edicta/plain-words") == first
        assert [each["title"] for each in await versions(client, "edicta/plain-words")] == [
            "Plain words",
            "Other",
            "Plain words",
        ]


@scene
async def test_of_two_who_saw_the_same_the_second_is_refused_and_nothing_is_lost(tmp_path: Path) -> None:
    async with opened(tmp_path) as (client, made):
        await post(client, "edicta", **RULE)
        seen = (await standing(client, "edicta/plain-words"))["mark"]
        await post(client, "edicta/plain-words/amend", title="T", text="Mine.", mark=seen)
        version = (await versions(client, "edicta/plain-words"))[1]["id"]
        before = content(made.castra.edicta)

        for path, given in (
            ("amend", {"title": "T", "text": "Yours."}),
            ("revoke", {}),
            ("restore", {"version": version}),
        ):
            response = await client.post(f"edicta/plain-words/{path}", json={**given, "mark": seen})
            assert "'plain-words' has been changed meanwhile: nothing was done." in complaint(response)
        unseen = await client.post("edicta/plain-words/restore", json={"version": version})
        assert "has been changed meanwhile" in complaint(unseen)
        assert content(made.castra.edicta) == before


@scene
async def test_two_versions_are_laid_beside_each_other(tmp_path: Path) -> None:
    async with opened(tmp_path) as (client, _):
        await post(client, "edicta", **RULE)
        mark = (await standing(client, "edicta/plain-words"))["mark"]
        await post(client, "edicta/plain-words/amend", title="Plain words", text="Use them.\nNow.", mark=mark)
        version = (await versions(client, "edicta/plain-words"))[1]["id"]
        since = await get(client, "edicta/plain-words/difference", **{"from": version})
        nothing = await get(client, "edicta/plain-words/difference", **{"from": version, "to": version})
        assert "no such version" in complaint(await client.get("edicta/plain-words/version?id=..%2Fx"))

    assert [(each["kind"], "".join(each["parts"])) for each in cast("list[Json]", since["lines"])] == [
        ("same", "Plain words"),
        ("same", ""),
        ("same", "Use them."),
        ("gone", "Always."),
        ("new", "Now."),
    ]
    assert nothing["lines"] == []


@scene
async def test_a_shelf_is_searched_and_says_what_it_leaves_out(tmp_path: Path) -> None:
    async with opened(tmp_path) as (client, made):
        for number in range(203):
            made.memoria.write(Kind.ACTUM, title=f"Fact {number}", text="It is so.", author="pullo")
            made.clock.advance(1)
        whole = await get(client, "acta")
        found = await get(client, "acta", containing="FACT 20")

    documents = cast("list[Json]", whole["documents"])
    assert (len(documents), documents[0]["title"], whole["older"]) == (200, "Fact 202", 3)
    assert [each["title"] for each in cast("list[Json]", found["documents"])] == [
        "Fact 202",
        "Fact 201",
        "Fact 200",
        "Fact 20",
    ]


@scene
async def test_what_an_agent_did_at_caesars_word_says_whose_word_it_was(tmp_path: Path) -> None:
    async with opened(tmp_path) as (client, made):
        proof = Proof("nuntius-1", "caesar")
        made.memoria.ordain(title="Ordained", text="Do.", author="legatus", proof=proof)
        shown = await standing(client, "edicta/ordained")
        made.memoria.revoke("ordained", "legatus", proof)
        (gone,) = await versions(client, "edicta/ordained")

    assert (shown["author"], shown["allowed"], shown["proof"]) == ("legatus", "caesar", "nuntius-1")
    assert (gone["fate"], gone["by"], gone["by_word"]) == ("revoked", "legatus", "caesar")


@scene
async def test_broken_files_are_told_and_the_others_are_shown(tmp_path: Path) -> None:
    async with opened(tmp_path) as (client, made):
        await post(client, "edicta", **RULE)
        (made.castra.edicta / "broken.xml").write_text(f"<edictum>{HOSTILE}")
        by_hand(made.castra.edicta / ".history" / "old.20260101T000000Z.xml", kind="actum")
        shelf = await get(client, "edicta")
        one = await get(client, "edicta/broken")
        response = await client.post(
            "edicta/broken/amend", json={"title": "T", "text": "X", "mark": "whatever"}
        )

    assert [each["name"] for each in cast("list[Json]", shelf["documents"])] == ["plain-words"]
    broken = cast("list[str]", shelf["broken"])
    assert broken[0].startswith("edicta/broken.xml: this is not well-formed XML")
    assert broken[1].startswith("edicta/.history/old.20260101T000000Z.xml: this is a <actum>")
    assert (one["standing"], one["versions"], len(cast("list[str]", one["broken"]))) == (None, [], 1)
    assert "edicta/broken.xml: this is not well-formed" in complaint(response)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"title": "", "text": "X"}, "the title is empty"),
        ({"title": "T", "text": " \n"}, "the text is empty"),
        ({"title": "T" * 201, "text": "X"}, "a title has 200 characters at most"),
        ({"title": "T", "text": "x" * 1_000_000}, "too much for one document"),
        ({"title": "T", "text": "x" * 2_000_000}, "this is too large"),
        ({"title": "T"}, "'text' has to be a text"),
    ],
)
@scene
async def test_what_cannot_be_a_document_is_refused_with_its_reason(
    tmp_path: Path, given: Json, said: str
) -> None:
    async with opened(tmp_path) as (client, made):
        assert said in complaint(await client.post("edicta", json=given))
        assert not list(made.castra.edicta.glob("*"))


@scene
async def test_signs_that_mean_something_elsewhere_come_and_go_as_they_are(tmp_path: Path) -> None:
    text = f"{HOSTILE}\n</text></edictum><!-- ]]> &amp; \u202e"
    async with opened(tmp_path) as (client, _):
        name = (await post(client, "acta", title=HOSTILE, text=text))["name"]
        shown = await standing(client, f"acta/{name}")
        assert (await client.get(f"acta/{name}")).headers["content-type"] == "application/json"
    assert (shown["title"], shown["text"]) == (HOSTILE, text)


NAMES = ["..%2Fprompt", "%2e%2e%2flegatus", "x%00", ".history", "A", "a" * 65, "%2Fetc%2Fhostname"]
OWNERS = ["../legatus", "caesar", "..", "a/b", "\x00", "vorenus/../pullo"]


@scene
async def test_no_name_and_no_owner_leads_out_of_the_shelf(tmp_path: Path) -> None:
    async with opened(tmp_path) as (client, made):
        await post(client, "edicta", **RULE)
        before = content(tmp_path)
        for name in NAMES:
            responses = [await client.get(f"edicta/{name}"), await client.get(f"edicta/{name}/version?id=")]
            for act in ("amend", "revoke", "restore"):
                given = {"title": "T", "text": "X", "mark": "m", "version": "20260315T060000Z"}
                responses.append(await client.post(f"edicta/{name}/{act}", json=given))
            assert {each.status_code for each in responses} <= {400, 404}
        for owner in OWNERS:
            responses = [
                await client.get("commentarii", params={"owner": owner}),
                await client.get("commentarii/x", params={"owner": owner}),
                await client.post("commentarii", json={**RULE, "owner": owner}),
                await client.post("commentarii/x/revoke", json={"mark": "", "owner": owner}),
                await client.post("commentarii/x/restore", json={"version": "x", "owner": owner}),
            ]
            assert {each.status_code for each in responses} == {400}
        assert content(tmp_path) == before
        assert made.memoria.list(Kind.EDICTUM).broken == ()


@scene
async def test_a_shelf_that_is_a_link_is_told_and_not_followed(tmp_path: Path) -> None:
    async with opened(tmp_path) as (client, made):
        by_hand(tmp_path / "elsewhere" / "by-hand.xml")
        with contextlib.suppress(FileNotFoundError):
            made.castra.edicta.rmdir()
        made.castra.edicta.symlink_to(tmp_path / "elsewhere")
        before = content(tmp_path / "elsewhere")
        for response in (
            await client.get("edicta"),
            await client.get("edicta/by-hand"),
            await client.post("edicta", json=RULE),
        ):
            assert "symbolic links are not followed" in complaint(response)
        assert content(tmp_path / "elsewhere") == before


@scene
async def test_a_missing_document_is_told_with_those_that_there_are(tmp_path: Path) -> None:
    async with opened(tmp_path) as (client, _):
        await post(client, "edicta", **RULE)
        assert "there is no edictum 'none'. There are: plain-words." in complaint(
            await client.get("edicta/none")
        )
        mark = (await standing(client, "edicta/plain-words"))["mark"]
        await post(client, "edicta/plain-words/revoke", mark=mark)
        response = await client.post("edicta/plain-words/revoke", json={"mark": mark})
        assert "there is no edictum 'plain-words'" in complaint(response)
