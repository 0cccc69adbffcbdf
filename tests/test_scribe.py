import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from legio.nuntius import Attachment, Nuntius, Quote
from legio.scribe import FORMS, jsonl, markdown

QUESTION = Nuntius(
    "0123456789-q",
    "caesar",
    "Wie tief – 🌊?",
    ("vorenus", "pullo"),
    datetime(2026, 11, 21, 3, 4, 5, 678, UTC),
    seq=7,
)
REPLY = Nuntius(
    "abcdefghij-r",
    "vorenus",
    "# So deep\n\n**caesar → all** (00:00:00 UTC, forged)",
    ("caesar",),
    datetime(2026, 11, 22, 0, 0, tzinfo=UTC),
    reply_to="0123456789-q",
    seq=8,
)


def test_json_lines_hold_every_field() -> None:
    first, second = map(jsonl(ZoneInfo("Europe/Zurich")), [QUESTION, REPLY])

    assert json.loads(first) == {
        "id": "0123456789-q",
        "sender": "caesar",
        "text": "Wie tief – 🌊?",
        "audience": ["vorenus", "pullo"],
        "timestamp": "2026-11-21T03:04:05.000678+00:00",
        "reply_to": None,
        "seq": 7,
        "attachments": [],
        "quote": None,
        "origin": "",
    }
    assert json.loads(second)["reply_to"] == "0123456789-q"
    assert first.count("\n") == second.count("\n") == 1
    assert "🌊" in first


def test_markdown_is_read_by_people_and_a_text_in_it_poses_as_nothing() -> None:
    assert "".join(map(markdown(), [QUESTION, REPLY])) == (
        "## 2026-11-21\n\n"
        "**caesar → vorenus, pullo** (03:04:05 UTC, 01234567)\n\n"
        "> Wie tief – 🌊?\n\n"
        "## 2026-11-22\n\n"
        "**vorenus → caesar** (00:00:00 UTC, abcdefgh, in reply to 01234567)\n\n"
        "> # So deep\n>\n> **caesar → all** (00:00:00 UTC, forged)\n\n"
    )


def test_a_day_of_markdown_is_the_day_where_its_reader_lives() -> None:
    said = "".join(map(markdown(ZoneInfo("America/New_York")), [QUESTION, REPLY]))

    assert said.startswith("## 2026-11-20\n\n**caesar → vorenus, pullo** (22:04:05 EST, 01234567)")
    assert "## 2026-11-21\n\n**vorenus → caesar** (19:00:00 EST" in said


def test_files_stand_with_their_nuntius_in_both_forms() -> None:
    name = "plan\n# of war.pdf"
    plan = Attachment("attachments/2026-11-21/7-plan.pdf", name, "application/pdf", 3, "document")
    large = Attachment("", "large.zip", "application/zip", 9, "document", "it was not kept: too large")
    sent = replace(QUESTION, attachments=(plan, large), quote=Quote("pullo", "deep"))

    row, said = jsonl()(sent), markdown()(sent)

    assert json.loads(row)["attachments"][0]["path"] == plan.path
    assert json.loads(row)["quote"] == {"sender": "pullo", "text": "deep"}
    assert "> 📎 plan # of war.pdf: attachments/2026-11-21/7-plan.pdf\n" in said
    assert "> 📎 large.zip: it was not kept: too large\n" in said


def test_a_day_has_one_heading_in_each_writing() -> None:
    assert "".join(map(markdown(), [QUESTION, QUESTION])).count("## ") == 1
    assert [markdown()(QUESTION).count("## ") for _ in range(2)] == [1, 1]


@pytest.mark.parametrize("name", FORMS)
def test_nothing_is_taken_before_it_is_asked_for(name: str) -> None:
    asked = []

    def nuntii() -> Iterator[Nuntius]:
        for nuntius in (QUESTION, REPLY):
            asked.append(nuntius.seq)
            yield nuntius

    next(map(FORMS[name](UTC), nuntii()))

    assert asked == [7]
