"""The castra's paths, and that no name or link leads out of it."""

from pathlib import Path

import pytest

from legio.castra import Castra, centurio_name
from legio.errors import CastraError, ProfileError


@pytest.fixture
def castra(tmp_path: Path) -> Castra:
    root = tmp_path / "castra"
    root.mkdir()
    return Castra(root)


def test_everything_lies_below_the_root(castra: Castra) -> None:
    found = {
        castra.centuriones: "centuriones",
        castra.edicta: "edicta",
        castra.acta: "acta",
        castra.attachments: "attachments",
        castra.database: "praetorium.db",
        castra.lock: "legio.lock",
        castra.post("vorenus"): "centuriones/vorenus",
        castra.prompt("vorenus"): "centuriones/vorenus/prompt.md",
        castra.commentarii("vorenus"): "centuriones/vorenus/commentarii",
        castra.home("vorenus"): "homes/vorenus",
        castra.workspace("vorenus"): "workspaces/vorenus",
    }

    for path, expected in found.items():
        assert path == castra.root / expected


def test_the_legatus_has_a_post_of_his_own(castra: Castra) -> None:
    assert castra.prompt("legatus") == castra.root / "legatus/prompt.md"
    assert castra.commentarii("legatus") == castra.root / "legatus/commentarii"


def test_a_path_inside_is_returned_whether_it_exists_or_not(castra: Castra) -> None:
    path = castra.prompt("vorenus")

    assert castra.confine(path) is path
    assert castra.confine(castra.root) is castra.root


@pytest.mark.parametrize("outside", ["../elsewhere", "acta/../../elsewhere", "acta/..", "/etc/hostname"])
def test_a_path_that_leaves_the_castra_is_refused(castra: Castra, outside: str) -> None:
    with pytest.raises(CastraError, match=r"this path leaves the castra. Use a plain name."):
        castra.confine(castra.root / outside)


def test_a_name_that_only_begins_like_the_root_is_outside(castra: Castra) -> None:
    with pytest.raises(CastraError, match="leaves the castra"):
        castra.confine(castra.root.with_name("castra-of-another") / "acta")


@pytest.mark.parametrize("link", ["acta", "acta/deep", "acta/deep/file.xml"])
def test_a_link_anywhere_below_the_root_is_refused_by_its_name(
    castra: Castra, link: str, tmp_path: Path
) -> None:
    step = castra.root / link
    step.parent.mkdir(parents=True, exist_ok=True)
    step.symlink_to(tmp_path)

    with pytest.raises(CastraError, match="symbolic links are not followed") as refusal:
        castra.confine(castra.acta / "deep" / "file.xml")

    assert refusal.value.where == str(step)


def test_the_root_itself_may_be_a_link(castra: Castra, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(castra.root)
    linked = Castra(tmp_path / "link")

    assert linked.confine(linked.acta) == tmp_path / "link" / "acta"


def test_a_folder_is_made_for_the_owner_alone_and_only_once(castra: Castra) -> None:
    folder = castra.folder(castra.workspace("vorenus"))

    assert castra.folder(folder) == folder
    assert folder.stat().st_mode & 0o777 == 0o700


def test_a_folder_that_cannot_be_made_is_told_with_its_path(castra: Castra) -> None:
    (castra.root / "homes").write_text("a file in the way")

    with pytest.raises(CastraError, match=r"cannot be made .* Give Legio the right to write") as refusal:
        castra.folder(castra.home("vorenus"))

    assert refusal.value.where == str(castra.home("vorenus"))


def test_a_folder_outside_is_not_made(castra: Castra, tmp_path: Path) -> None:
    with pytest.raises(CastraError, match="leaves the castra"):
        castra.folder(castra.root / ".." / "elsewhere")

    assert not (tmp_path / "elsewhere").exists()


@pytest.mark.parametrize("name", ["vorenus", "v", "legio-x_2", "a" * 32])
def test_a_plain_name_may_be_borne(name: str) -> None:
    assert centurio_name(name) == name


@pytest.mark.parametrize("name", ["caesar", "legatus", "all"])
def test_a_reserved_name_is_refused(name: str) -> None:
    with pytest.raises(ProfileError, match=f"the name '{name}' is reserved. Choose another name."):
        centurio_name(name)


@pytest.mark.parametrize(
    "name", ["", "Vorenus", "2nd", "-x", "_x", "a" * 33, "a.b", "../x", "ä", "vorenus\n"]
)
def test_any_other_name_is_refused_with_the_rule(name: str) -> None:
    with pytest.raises(ProfileError, match=r"cannot be a centurio's name. Use 1 to 32 of a-z"):
        centurio_name(name)
