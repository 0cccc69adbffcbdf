import json
import stat
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from legio.backup.export import FORMATS, jsonl, markdown, write
from legio.errors import LegioError, Refused
from legio.nuntius import Attachment, Nuntius, Quote

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
    first, second = jsonl([QUESTION, REPLY])

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
    assert "".join(markdown([QUESTION, REPLY])) == (
        "## 2026-11-21\n\n"
        "**caesar → vorenus, pullo** (03:04:05 UTC, 01234567)\n\n"
        "> Wie tief – 🌊?\n\n"
        "## 2026-11-22\n\n"
        "**vorenus → caesar** (00:00:00 UTC, abcdefgh, in reply to 01234567)\n\n"
        "> # So deep\n>\n> **caesar → all** (00:00:00 UTC, forged)\n\n"
    )


def test_files_stand_with_their_nuntius_in_both_forms() -> None:
    name = "plan\n# of war.pdf"
    plan = Attachment("attachments/2026-11-21/7-plan.pdf", name, "application/pdf", 3, "document")
    large = Attachment("", "large.zip", "application/zip", 9, "document", "it was not kept: too large")
    sent = replace(QUESTION, attachments=(plan, large), quote=Quote("pullo", "deep"))

    (row,) = jsonl([sent])
    said = "".join(markdown([sent]))

    assert json.loads(row)["attachments"][0]["path"] == plan.path
    assert json.loads(row)["quote"] == {"sender": "pullo", "text": "deep"}
    assert "> 📎 plan # of war.pdf: attachments/2026-11-21/7-plan.pdf\n" in said
    assert "> 📎 large.zip: it was not kept: too large\n" in said


def test_a_day_has_one_heading() -> None:
    assert "".join(markdown([QUESTION, QUESTION])).count("## ") == 1


@pytest.mark.parametrize("name", FORMATS)
def test_nothing_is_taken_before_it_is_asked_for(name: str) -> None:
    asked = []

    def nuntii() -> Iterator[Nuntius]:
        for nuntius in (QUESTION, REPLY):
            asked.append(nuntius.seq)
            yield nuntius

    next(FORMATS[name](nuntii()))

    assert asked == [7]


def test_a_written_export_is_whole_and_the_owners_alone(tmp_path: Path) -> None:
    write(["a\n", "ü\n"], tmp_path / "out.jsonl")

    assert (tmp_path / "out.jsonl").read_bytes() == "a\nü\n".encode()
    assert stat.S_IMODE((tmp_path / "out.jsonl").stat().st_mode) == 0o600


def test_an_export_that_breaks_off_leaves_nothing(tmp_path: Path) -> None:
    def lines() -> Iterator[str]:
        yield "a\n"
        raise LegioError("the record cannot be read.")

    with pytest.raises(LegioError, match="cannot be read"):
        write(lines(), tmp_path / "out.jsonl")

    assert list(tmp_path.iterdir()) == []


def test_an_export_replaces_no_file(tmp_path: Path) -> None:
    (tmp_path / "out.jsonl").write_text("mine")

    with pytest.raises(Refused):
        write(["a\n"], tmp_path / "out.jsonl")

    assert (tmp_path / "out.jsonl").read_text() == "mine"


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    with pytest.raises(LegioError, match="cannot be written") as caught:
        write(["a\n"], tmp_path / "nowhere" / "out.jsonl")

    assert caught.value.where == str(tmp_path / "nowhere" / "out.jsonl")
