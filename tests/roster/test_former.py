"""What stood in a prompt before, as `Roster.rewrite` has kept it."""

import os
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path

import pytest

from legio.castra import Castra
from legio.errors import CastraError, ProfileError
from legio.roster import Former, Roster, former_prompts
from tests.camp import write_castra

NOON = datetime(2026, 3, 15, 12, tzinfo=UTC)
PROMPT = "---\ndescription: builds\n---\n{}\n"


@pytest.fixture
def castra(tmp_path: Path) -> Castra:
    return write_castra(tmp_path / "castra")


@pytest.mark.parametrize("name", ["pullo", "legatus"])
def test_each_prompt_that_was_rewritten_is_told_the_newest_first(castra: Castra, name: str) -> None:
    roster = Roster(castra)
    first = roster.text(name)
    texts = [first, PROMPT.format("You dig."), PROMPT.format("You build."), PROMPT.format("You rest.")]
    for was, now in pairwise(texts):
        roster.rewrite(name, now, was=was, now=NOON)

    found = former_prompts(castra, name)

    assert found == (
        Former("20260315T120000Z-3", NOON, texts[2]),
        Former("20260315T120000Z-2", NOON, texts[1]),
        Former("20260315T120000Z", NOON, first),
    )


def test_without_a_history_nothing_stood_before(castra: Castra) -> None:
    assert former_prompts(castra, "pullo") == ()
    assert former_prompts(castra, "nobody") == ()


def test_what_is_no_version_or_cannot_be_read_is_left_out(castra: Castra, tmp_path: Path) -> None:
    folder = castra.post("pullo") / ".history"
    folder.mkdir()
    (tmp_path / "secret").write_text("secret")
    (folder / "prompt.20260315T120000Z.md").symlink_to(tmp_path / "secret")
    (folder / "prompt.20260315T120001Z.md").write_bytes(b"\xff")
    (folder / "prompt.20260315T120002Z.md").mkdir()
    os.mkfifo(folder / "prompt.20260315T120003Z.md")
    (folder / "prompt.20260315T120004Z.md").write_bytes(b"x" * 300_000)
    (folder / "prompt.20261341T120000Z.md").write_text("no date")
    (folder / "prompt.md").write_text("no date")
    (folder / "prompt.20260315T120005Z.md").write_text("sound")

    assert [each.text for each in former_prompts(castra, "pullo")] == ["sound"]


def test_a_history_that_is_no_folder_or_a_link_is_told(castra: Castra, tmp_path: Path) -> None:
    (castra.post("pullo") / ".history").write_text("in the way")
    (castra.post("brutus") / ".history").symlink_to(tmp_path)

    with pytest.raises(CastraError, match=r"pullo: the history cannot be read \(Not a directory\)"):
        former_prompts(castra, "pullo")
    with pytest.raises(CastraError, match="symbolic links are not followed"):
        former_prompts(castra, "brutus")


@pytest.mark.parametrize("name", ["../legatus", "caesar", "", "a/b"])
def test_a_name_that_leads_elsewhere_is_refused(castra: Castra, name: str) -> None:
    with pytest.raises(ProfileError):
        former_prompts(castra, name)
