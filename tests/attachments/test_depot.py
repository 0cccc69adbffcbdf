import os
import stat
from datetime import date
from pathlib import Path

import pytest

from legio.attachments.depot import MOST_SENT_BYTES, Depot
from legio.castra import Castra
from legio.errors import CastraError, Refused

DAY = date(2026, 11, 21)


@pytest.fixture
def depot(tmp_path: Path) -> Depot:
    castra = Castra(tmp_path / "castra")
    castra.workspace("pullo").mkdir(parents=True)
    return Depot(castra)


def workspace(tmp_path: Path) -> Path:
    return Castra(tmp_path / "castra").workspace("pullo")


def test_a_file_is_kept_whole_and_for_the_owner_alone(depot: Depot, tmp_path: Path) -> None:
    place = depot.keep(DAY, "17", "../../plan of attack.txt", b"ave")
    path = tmp_path / "castra" / place
    assert place == "attachments/2026-11-21/17-plan_of_attack.txt"
    assert depot.read(place) == b"ave"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [it.name for it in path.parent.iterdir()] == [path.name]


def test_the_same_file_again_takes_its_own_place(depot: Depot) -> None:
    first = depot.keep(DAY, "17", "a.txt", b"half")
    assert depot.keep(DAY, "17", "a.txt", b"whole") == first
    assert depot.read(first) == b"whole"
    assert depot.keep(DAY, "18", "a.txt", b"other") != first


def test_as_much_is_read_as_is_wanted(depot: Depot) -> None:
    assert depot.read(depot.keep(DAY, "1", "a.txt", b"avete"), most=3) == b"ave"


@pytest.mark.parametrize("place", ["praetorium.db", "attachments/../praetorium.db", "/etc/passwd"])
def test_a_place_that_is_none_is_refused(depot: Depot, place: str) -> None:
    with pytest.raises(CastraError):
        depot.read(place)


def test_a_file_that_is_gone_is_said(depot: Depot) -> None:
    with pytest.raises(CastraError, match="cannot be used"):
        depot.read("attachments/2026-11-21/1-a.txt")


def test_what_cannot_be_written_is_said(depot: Depot, tmp_path: Path) -> None:
    (tmp_path / "castra" / "attachments").mkdir()
    (tmp_path / "castra" / "attachments" / DAY.isoformat()).write_text("in the way")
    with pytest.raises(CastraError):
        depot.keep(DAY, "1", "a.txt", b"x")


def test_a_file_of_the_workspace_is_given(depot: Depot, tmp_path: Path) -> None:
    (workspace(tmp_path) / "out").mkdir()
    (workspace(tmp_path) / "out" / "report.md").write_text("# Done")
    assert depot.own("pullo", "out/report.md") == b"# Done"
    assert depot.own("pullo", "./out/report.md") == b"# Done"


@pytest.mark.parametrize(
    "name", ["/etc/passwd", "../brutus/secret", "out/../../x", "", ".", "a\0b", "missing.txt", "folder"]
)
def test_what_leaves_the_workspace_or_is_no_file_is_refused(depot: Depot, tmp_path: Path, name: str) -> None:
    (workspace(tmp_path) / "folder").mkdir()
    with pytest.raises(Refused):
        depot.own("pullo", name)


def test_links_are_not_followed_wherever_they_stand(depot: Depot, tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("gold")
    (workspace(tmp_path) / "link.txt").symlink_to(secret)
    (workspace(tmp_path) / "out").symlink_to(tmp_path)
    for name in ("link.txt", "out/secret.txt"):
        with pytest.raises(Refused, match="links are not followed"):
            depot.own("pullo", name)


def test_a_pipe_is_refused_and_not_waited_for(depot: Depot, tmp_path: Path) -> None:
    os.mkfifo(workspace(tmp_path) / "pipe")
    with pytest.raises(Refused, match="no plain file"):
        depot.own("pullo", "pipe")


def test_a_file_that_telegram_does_not_take_is_refused(depot: Depot, tmp_path: Path) -> None:
    (workspace(tmp_path) / "empty").touch()
    with (workspace(tmp_path) / "large").open("wb") as file:
        file.truncate(MOST_SENT_BYTES + 1)
    with pytest.raises(Refused, match="is empty"):
        depot.own("pullo", "empty")
    with pytest.raises(Refused, match="50 MB"):
        depot.own("pullo", "large")


def test_a_file_is_lent_to_a_workspace_once_and_what_the_agent_makes_of_it_stays(
    depot: Depot, tmp_path: Path
) -> None:
    place = depot.keep(DAY, "17", "plan.txt", b"march")
    assert depot.lend(place, workspace(tmp_path)) == "received/17-plan.txt"
    copy = workspace(tmp_path) / "received" / "17-plan.txt"
    assert copy.read_bytes() == b"march"
    copy.write_text("mine")
    depot.lend(place, workspace(tmp_path))
    assert copy.read_text() == "mine"
    assert depot.read(place) == b"march"
    assert [it.name for it in copy.parent.iterdir()] == [copy.name]


def test_nothing_is_lent_through_a_link(depot: Depot, tmp_path: Path) -> None:
    place = depot.keep(DAY, "17", "plan.txt", b"march")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (workspace(tmp_path) / "received").symlink_to(elsewhere)
    with pytest.raises(CastraError):
        depot.lend(place, workspace(tmp_path))
    assert list(elsewhere.iterdir()) == []


def test_what_a_crash_left_behind_is_taken_by_the_next_try(depot: Depot, tmp_path: Path) -> None:
    folder = tmp_path / "castra" / "attachments" / DAY.isoformat()
    folder.mkdir(parents=True)
    (folder / ".17-plan.txt.draft").write_bytes(b"half of something long")
    assert depot.read(depot.keep(DAY, "17", "plan.txt", b"march")) == b"march"
    assert [it.name for it in folder.iterdir()] == ["17-plan.txt"]
