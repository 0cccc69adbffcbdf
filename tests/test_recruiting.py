from pathlib import Path

import pytest

from legio.errors import LegioError, Refused
from legio.recruiting import LONGEST_SPECIALIZATION
from tests.camp import Setting, legion
from tests.fakes import Stage
from tests.scenes import scene


@scene
async def test_a_new_centurio_has_a_prompt_and_answers(tmp_path: Path) -> None:
    async with legion(tmp_path / "castra", Stage()) as camp:
        said = await camp.recruiting.create("titus", "builds\n bridges")
        await camp.say("@titus ave")
        await camp.settled(1)
        assert camp.roster.profile("titus").description == "builds bridges"
    assert said == "titus has joined: builds bridges Write @titus to address him."
    assert [turn.agent for turn in camp.ended] == ["titus"]


@pytest.mark.parametrize("length", [0, LONGEST_SPECIALIZATION + 1])
@scene
async def test_a_specialization_is_one_sentence(tmp_path: Path, length: int) -> None:
    async with legion(tmp_path / "castra", Stage()) as camp:
        with pytest.raises(Refused, match=f"1 to 200 characters, this one has {length}"):
            await camp.recruiting.create("titus", "x" * length)
        assert "titus" not in camp.roster.names()


@pytest.mark.parametrize("name", ["legatus", "all", "Titus", "../titus", "a" * 33])
@scene
async def test_a_name_that_nobody_may_bear(tmp_path: Path, name: str) -> None:
    async with legion(tmp_path / "castra", Stage()) as camp:
        with pytest.raises(LegioError, match="name"):
            await camp.recruiting.create(name, "builds bridges")
        assert camp.roster.names() == ("brutus", "pullo", "vorenus")


@scene
async def test_there_may_be_so_many_and_no_more(tmp_path: Path) -> None:
    async with legion(tmp_path / "castra", Stage(), Setting(max_centuriones=3)) as camp:
        with pytest.raises(Refused, match=r"there may be 3\. Remove one, or raise max_centuriones"):
            await camp.recruiting.create("titus", "builds bridges")


@scene
async def test_a_removed_centurio_stops_leaves_the_roster_and_keeps_his_files(tmp_path: Path) -> None:
    async with legion(tmp_path / "castra", Stage()) as camp:
        await camp.say("@pullo ave")
        await camp.settled(1)
        said = await camp.recruiting.remove("pullo")
        assert camp.roster.names() == ("brutus", "vorenus")
        assert camp.stage.closed == ["pullo"]
    assert said == "pullo has been removed. His files lie in centuriones/.removed; nothing was deleted."
    (kept,) = (camp.castra.centuriones / ".removed").iterdir()
    assert (kept / "prompt.md").is_file()


@scene
async def test_caesar_decides_by_button_whether_a_centurio_goes(tmp_path: Path) -> None:
    async with legion(tmp_path / "castra", Stage()) as camp:
        remove, keep = camp.recruiting.removal("pullo")
        assert (remove.label, keep.label) == ("Remove pullo", "Keep")
        assert await keep.act() == "pullo stays."
        assert "pullo" in camp.roster.names()
        assert (await remove.act()).startswith("pullo has been removed.")
        assert "pullo" not in camp.roster.names()
