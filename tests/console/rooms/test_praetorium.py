"""The record over HTTP: pages, days of the owner's, words, one nuntius with its way, files, exports."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest

from legio.nuntius import Attachment
from tests.console.rig import page_of
from tests.console.rooms.record import CONTENT, USAGE, Kept, conversed, filed, kept, quoted
from tests.praetorium.record import START, said
from tests.scenes import scene

PLACE = "/camp/praetorium"
XSS = ["<img src=x onerror=alert(1)>", '"><svg onload=alert(1)>', "</script><script>alert(1)</script>", "]]>"]


async def asked(url: str, path: str, **parameters: object) -> Any:
    """The JSON behind the address, which has to answer well."""
    response = await got(url, path, **parameters)
    assert response.status_code == 200, response.text
    return response.json()


async def got(url: str, path: str, **parameters: object) -> httpx.Response:
    async with httpx.AsyncClient(base_url=url, trust_env=False) as client:
        return await client.get(f"{PLACE}{path}", params={name: str(it) for name, it in parameters.items()})


def seqs(answer: Any) -> list[int]:
    return [each["seq"] for each in answer["nuntii"]]


async def many(made: Kept, count: int) -> None:
    for number in range(1, count + 1):
        await made.said(f"tents {number}", hours=number)


@scene
async def test_an_empty_record_is_an_empty_page(tmp_path: Path) -> None:
    async with kept(tmp_path) as made, page_of(made.room) as url:
        page = await asked(url, "/nuntii")
        found = await asked(url, "/search", words="tents")

    assert page == {"nuntii": [], "newer": False, "older": False, "names": [], "zone": "Europe/Zurich"}
    assert (found["nuntii"], found["total"]) == ([], 0)


@scene
async def test_a_nuntius_in_the_list_says_who_when_to_whom_and_what_came_with_it(tmp_path: Path) -> None:
    async with kept(tmp_path) as made, page_of(made.room) as url:
        await made.said(
            "x" * 401,
            attachments=(filed(made),),
            quote=quoted("so deep"),
            origin="schedule 3",
            audience=("vorenus", "pullo"),
        )
        page = await asked(url, "/nuntii")

    assert page["names"] == ["caesar", "pullo", "vorenus"]
    assert page["nuntii"] == [
        {
            "seq": 1,
            "time": "2026-11-21T04:04:05+01:00",
            "sender": "caesar",
            "audience": ["vorenus", "pullo"],
            "text": "x" * 400,
            "cut": True,
            "origin": "schedule 3",
            "quote": {"sender": "vorenus", "text": "so deep"},
            "answers": False,
            "files": [
                {
                    "name": "plan of war.pdf",
                    "size": 11,
                    "type": "application/pdf",
                    "note": "",
                    "kept": True,
                }
            ],
        }
    ]


@scene
async def test_one_goes_from_page_to_page_and_says_whether_there_is_another(tmp_path: Path) -> None:
    async with kept(tmp_path) as made, page_of(made.room) as url:
        await many(made, 5)
        newest = await asked(url, "/nuntii", limit=2)
        older = await asked(url, "/nuntii", limit=2, before=4)
        last = await asked(url, "/nuntii", limit=2, before=2)
        oldest = await asked(url, "/nuntii", limit=2, after=0)
        newer = await asked(url, "/nuntii", limit=2, after=2)
        nearly = await asked(url, "/nuntii", limit=2, after=4)
        beyond = await asked(url, "/nuntii", before=1)

    assert [seqs(page) for page in (newest, older, last)] == [[5, 4], [3, 2], [1]]
    assert [seqs(page) for page in (oldest, newer, nearly, beyond)] == [[2, 1], [4, 3], [5, 4], []]
    assert [(page["newer"], page["older"]) for page in (newest, older, last, beyond)] == [
        (False, True),
        (True, True),
        (True, False),
        (False, False),
    ]


@scene
async def test_a_day_is_caesars_day_and_an_agent_is_who_spoke_or_was_named(tmp_path: Path) -> None:
    async with kept(tmp_path) as made, page_of(made.room) as url:
        await made.said("before midnight in Zurich", hours=19.9)  # 22:58 UTC, 23:58 there
        await made.said("after midnight in Zurich", hours=20.0)
        await made.said("of his", hours=21.0, sender="vorenus", audience=("caesar",))
        await made.said("to everyone", hours=22.0, audience=("all",))

        assert seqs(await asked(url, "/nuntii", day="2026-11-21")) == [1]
        assert seqs(await asked(url, "/nuntii", day="2026-11-22")) == [4, 3, 2]
        assert seqs(await asked(url, "/nuntii", day="2026-11-22", agent="vorenus")) == [3]
        assert seqs(await asked(url, "/nuntii", day="2026-11-21", agent="vorenus")) == []
        assert seqs(await asked(url, "/nuntii", agent="all")) == [4]
        assert seqs(await asked(url, "/nuntii", day="2026-03-29")) == []


@scene
async def test_what_is_found_comes_in_parts_and_pages_that_stand_still(tmp_path: Path) -> None:
    async with kept(tmp_path) as made, page_of(made.room) as url:
        await many(made, 5)
        await made.said("🏛 <b>tents</b> at the ford", hours=6)
        first = await asked(url, "/search", words="tents ford", limit=2)
        await made.said("tents that are new", hours=7)
        second = await asked(url, "/search", words="tents ford", limit=2, offset=2, last=first["last"])
        narrowed = await asked(url, "/search", words="tents", agent="caesar", day="2026-11-21", limit=9)
        nobody = await asked(url, "/search", words="tents @pullo")

    assert first["nuntii"][0]["parts"] == [
        ["🏛 <b>", False],
        ["tents", True],
        ["</b> at the ", False],
        ["ford", True],
    ]
    assert (first["total"], second["total"], second["offset"]) == (6, 6, 2)
    assert 7 not in seqs(second)
    assert not set(seqs(first)) & set(seqs(second))
    assert sorted(seqs(narrowed)) == [1, 2, 3, 4, 5, 6, 7]
    assert seqs(nobody) == []


@scene
async def test_one_nuntius_is_shown_whole_with_its_conversation_and_its_ways(tmp_path: Path) -> None:
    async with kept(tmp_path) as made, page_of(made.room) as url:
        await conversed(made)
        question = await asked(url, "/nuntius/1")
        answer = await asked(url, "/nuntius/2")
        thanks = await asked(url, "/nuntius/3")

    assert question["nuntius"]["text"] == "How deep is the ford?"
    assert question["nuntius"]["seen"] == [
        "caesar (sees everything)", "legatus (sees everything)", "vorenus (named)", "pullo (named)",
    ]  # fmt: skip
    assert [(each["seq"], each["depth"]) for each in question["below"]] == [(2, 1), (3, 2)]
    assert [(each["agent"], each["state"], each["detail"]) for each in question["ways"]] == [
        ("vorenus", "answered", ""),
        ("pullo", "failed", "no model"),
    ]
    rows = dict(answer["ways"][0]["rows"])
    assert rows["Update"] == "501"
    assert rows["Nuntius"] == "1; answered by nuntius 2"
    assert (rows["Model"], rows["Cost"], rows["Seconds"]) == (USAGE.model, "$0.0123", "12.3")
    assert dict(question["ways"][1]["rows"])["Nuntius"] == "1; failed"
    assert ([each["seq"] for each in thanks["above"]], thanks["below"], thanks["ways"]) == ([1, 2], [], [])


@scene
async def test_a_file_is_given_out_to_be_kept_and_never_to_be_opened(tmp_path: Path) -> None:
    async with kept(tmp_path) as made, page_of(made.room) as url:
        named = "../../evil\r\nSet-Cookie: a=b; .html"
        page = replace(filed(made, "page.html"), name=named, media_type="text/html")
        await made.said("two files", attachments=(filed(made), page))
        plan = await got(url, "/nuntius/1/file/0")
        html = await got(url, "/nuntius/1/file/1")

    assert plan.content == html.content == CONTENT
    assert plan.headers["content-type"] == html.headers["content-type"] == "application/octet-stream"
    assert plan.headers["content-disposition"] == 'attachment; filename="plan_of_war.pdf"'
    assert html.headers["content-disposition"].startswith('attachment; filename="evil_Set-Cookie_a_b_.html"')
    assert "set-cookie" not in html.headers


@pytest.mark.parametrize(
    "place", ["praetorium.db", "../secret", "/etc/passwd", "attachments/../praetorium.db", "attachments/link"]
)
@scene
async def test_no_path_in_the_record_leads_out_of_the_attachments(tmp_path: Path, place: str) -> None:
    async with kept(tmp_path) as made, page_of(made.room) as url:
        (tmp_path / "attachments").mkdir()
        (tmp_path / "attachments" / "link").symlink_to("/etc/passwd")
        await made.said("a file", attachments=(Attachment(place, "a", "text/plain", 1, "document"),))
        response = await got(url, "/nuntius/1/file/0")

    assert response.status_code == 400
    assert "root:" not in response.text


@scene
async def test_what_is_not_there_is_said(tmp_path: Path) -> None:
    async with kept(tmp_path) as made, page_of(made.room) as url:
        lost = Attachment("attachments/gone.pdf", "gone.pdf", "application/pdf", 1, "document")
        large = Attachment("", "large.zip", "application/zip", 9, "document", "too large")
        await made.said("files", attachments=(lost, large))
        for path, words in {
            "/nuntius/9": "there is no nuntius 9",
            "/nuntius/9/file/0": "was not kept",
            "/nuntius/1/file/0": "this file is gone",
            "/nuntius/1/file/1": "was not kept",
            "/nuntius/1/file/2": "was not kept",
        }.items():
            response = await got(url, path)
            assert response.status_code == 400, path
            assert words in response.json()["error"]


@pytest.mark.parametrize(
    ("path", "parameters"),
    [
        ("/nuntii", {"before": "x"}),
        ("/nuntii", {"after": "-1"}),
        ("/nuntii", {"limit": "9" * 30}),
        ("/nuntii", {"day": "yesterday"}),
        ("/nuntii", {"day": "0001-01-01"}),
        ("/nuntii", {"day": "9999-12-31"}),
        ("/search", {"words": "  "}),
        ("/search", {"words": "tents", "offset": "x"}),
        ("/search", {"words": "tents since:never"}),
        ("/nuntius/x", {}),
        ("/nuntius/" + "9" * 5000, {}),
        ("/nuntius/1/file/-1", {}),
        ("/export", {}),
        ("/export", {"form": "exe"}),
        ("/export", {"form": "jsonl", "words": "the @pullo since:x"}),
        ("/export", {"form": "jsonl", "seqs": "1,x"}),
        ("/export", {"form": "jsonl", "seqs": ",".join("1" * 501)}),
    ],
)
@scene
async def test_what_makes_no_sense_is_refused_in_words(
    tmp_path: Path, path: str, parameters: dict[str, str]
) -> None:
    async with kept(tmp_path) as made, page_of(made.room) as url:
        response = await got(url, path, **parameters)

    assert response.status_code == 400
    assert response.json()["error"]


@pytest.mark.parametrize("sample", XSS)
@scene
async def test_what_people_wrote_comes_as_it_is_and_as_json(tmp_path: Path, sample: str) -> None:
    async with kept(tmp_path) as made, page_of(made.room) as url:
        bad = replace(filed(made), name=sample, media_type=sample, note=sample)
        await made.said(sample, attachments=(bad,), quote=quoted(sample), origin=sample)
        response = await got(url, "/nuntii", agent=sample)
        page = await asked(url, "/nuntii")

    assert response.json()["nuntii"] == []
    assert response.headers["content-type"] == "application/json"
    (nuntius,) = page["nuntii"]
    assert (
        nuntius["text"]
        == nuntius["quote"]["text"]
        == nuntius["origin"]
        == nuntius["files"][0]["name"]
        == sample
    )


@scene
async def test_a_selection_is_exported_in_its_order_and_a_search_by_its_time(tmp_path: Path) -> None:
    async with kept(tmp_path) as made, page_of(made.room) as url:
        await many(made, 5)
        await made.said("of his", hours=6, sender="vorenus", audience=("caesar",))

        async def exported(**parameters: object) -> list[int]:
            response = await got(url, "/export", form="jsonl", **parameters)
            assert response.status_code == 200
            return [json.loads(line)["seq"] for line in response.text.splitlines()]

        assert await exported() == [1, 2, 3, 4, 5, 6]
        assert await exported(agent="vorenus") == [6]
        assert await exported(day="2026-11-20") == []
        assert await exported(words="tents 2 3") == [1, 2, 3, 4, 5]
        assert await exported(words="tents", agent="vorenus") == []
        assert await exported(seqs="5,2,5,77") == [2, 5]


@scene
async def test_an_export_is_a_file_for_programs_or_for_people(tmp_path: Path) -> None:
    async with kept(tmp_path) as made, page_of(made.room) as url:
        await made.said("# So deep\n<script>")
        lines = await got(url, "/export", form="jsonl")
        text = await got(url, "/export", form="markdown")

    assert lines.headers["content-disposition"] == 'attachment; filename="praetorium.jsonl"'
    assert text.headers["content-disposition"] == 'attachment; filename="praetorium.md"'
    assert text.headers["content-type"] == "text/markdown; charset=utf-8"
    assert json.loads(lines.text)["timestamp"] == START.isoformat()
    assert text.text.startswith("## 2026-11-21\n\n**caesar → legatus** (04:04:05 CET, ")
    assert text.text.endswith("\n\n> # So deep\n> <script>\n\n")
    assert said("# So deep\n<script>").id[:8] in text.text
