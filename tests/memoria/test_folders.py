"""Which file holds which document: what the store and the history both read through."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from legio.castra import Castra
from legio.errors import DocumentError, ProfileError
from legio.memoria.folders import Folders, moment
from legio.ports import Kind
from tests.memoria.shelves import by_hand


def test_each_kind_has_its_folder_and_a_journal_its_owner(castra: Castra) -> None:
    folders = Folders(castra)

    assert [folders.of(kind) for kind in (Kind.EDICTUM, Kind.ACTUM)] == [castra.edicta, castra.acta]
    assert folders.of(Kind.COMMENTARIUM, "vorenus") == castra.commentarii("vorenus")
    for owner in ("", "caesar", "../vorenus"):
        with pytest.raises(ProfileError):
            folders.of(Kind.COMMENTARIUM, owner)


def test_what_is_not_there_is_found_to_be_nothing_and_what_is_broken_is_told(castra: Castra) -> None:
    folders = Folders(castra)
    by_hand(castra.edicta / "by-hand.xml")
    (castra.edicta / "broken.xml").write_text("<broken")

    assert folders.find(Kind.EDICTUM, "none") is None
    assert folders.find(Kind.EDICTUM, "../by-hand") is None
    assert getattr(folders.find(Kind.EDICTUM, "by-hand"), "name", "") == "by-hand"
    with pytest.raises(DocumentError, match=r"edicta/broken.xml: this is not well-formed"):
        folders.find(Kind.EDICTUM, "broken")
    with pytest.raises(DocumentError, match=r"there is no edictum 'none'\. There are: by-hand"):
        folders.read(Kind.EDICTUM, "none")


def test_what_the_system_refuses_is_told_by_its_path_in_the_castra(castra: Castra) -> None:
    folders = Folders(castra)

    with (
        pytest.raises(DocumentError, match=r"edicta/x.xml: this cannot be used \(No such file"),
        folders.explained(castra.edicta / "x.xml"),
    ):
        Path(castra.edicta / "x.xml").read_bytes()


def test_a_files_date_is_told_to_the_second_and_within_the_calendar() -> None:
    assert moment(1_500_000_000) == datetime(1970, 1, 1, 0, 0, 1, tzinfo=UTC)
    assert (moment(-1).year, moment(10**30).year) == (1970, 9999)
