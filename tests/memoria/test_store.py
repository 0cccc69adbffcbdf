"""The promises of the `Memoria` port on real files: listing and reading."""

import os
from pathlib import Path

import pytest

from legio.castra import Castra
from legio.errors import CastraError, DocumentError, ProfileError
from legio.memoria.store import FileMemoria
from legio.ports import Document, Kind, Memoria, Shelf
from tests.clocks import DAWN, FakeClock
from tests.memoria.shelves import by_hand, content, note, publish


def test_a_store_is_a_memoria(memoria: FileMemoria) -> None:
    port: Memoria = memoria

    assert port.list(Kind.EDICTUM).documents == ()


# --- listing ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [Kind.EDICTUM, Kind.ACTUM])
def test_a_missing_folder_is_an_empty_shelf(memoria: FileMemoria, kind: Kind) -> None:
    assert memoria.list(kind) == Shelf(())


def test_documents_are_listed_oldest_first(memoria: FileMemoria, clock: FakeClock) -> None:
    for title in ("Zeta", "Alpha", "Middle"):
        publish(memoria, title)
        clock.advance(1)

    assert [each.title for each in memoria.list(Kind.EDICTUM).documents] == ["Zeta", "Alpha", "Middle"]


def test_documents_of_one_instant_are_listed_by_name(memoria: FileMemoria) -> None:
    for title in ("Zeta", "Alpha"):
        publish(memoria, title)

    assert [each.name for each in memoria.list(Kind.EDICTUM).documents] == ["alpha", "zeta"]


def test_a_file_written_by_hand_is_caesars_and_as_old_as_the_file(
    memoria: FileMemoria, castra: Castra
) -> None:
    path = by_hand(castra.edicta / "by-hand.xml")
    os.utime(path, (DAWN.timestamp(), DAWN.timestamp()))

    (found,) = memoria.list(Kind.EDICTUM).documents

    assert found == Document(Kind.EDICTUM, "by-hand", "By hand", "By hand.", "caesar", DAWN)


@pytest.mark.parametrize(
    ("date", "year"), [(-(10**9), 1970), (10**12, 9999)], ids=["before 1970", "after the year 9999"]
)
def test_a_file_with_a_date_that_no_calendar_holds_is_listed(
    memoria: FileMemoria, castra: Castra, date: int, year: int
) -> None:
    path = by_hand(castra.edicta / "by-hand.xml")
    try:
        os.utime(path, (date, date))
    except OSError:
        pytest.skip("this file system cannot hold such a date")

    (found,) = memoria.list(Kind.EDICTUM).documents

    # A file system with fewer bits than that keeps its own last date.
    assert 1970 <= found.created.year <= year


def test_a_broken_file_is_reported_with_its_path_and_the_others_are_listed(
    memoria: FileMemoria, castra: Castra
) -> None:
    publish(memoria)
    broken = castra.edicta / "broken.xml"
    broken.write_text("<edictum><title>T</title>")
    before = content(castra.edicta)

    shelf = memoria.list(Kind.EDICTUM)

    assert [each.name for each in shelf.documents] == ["plain-words"]
    assert len(shelf.broken) == 1
    assert shelf.broken[0].startswith("edicta/broken.xml: this is not well-formed XML")
    assert content(castra.edicta) == before


def test_a_broken_file_of_a_journal_is_reported_by_its_path_in_the_castra(
    memoria: FileMemoria, castra: Castra
) -> None:
    by_hand(castra.commentarii("vorenus") / "wrong.xml", kind="actum")

    (word,) = memoria.list(Kind.COMMENTARIUM, "vorenus").broken

    assert word.startswith("centuriones/vorenus/commentarii/wrong.xml: this is a <actum>")


def test_links_pipes_folders_and_huge_files_are_reported_and_never_opened(
    memoria: FileMemoria, castra: Castra
) -> None:
    by_hand(castra.root / "outside.xml")
    castra.acta.mkdir()
    (castra.acta / "a-link.xml").symlink_to(castra.root / "outside.xml")
    (castra.acta / "b-folder.xml").mkdir()
    os.mkfifo(castra.acta / "c-pipe.xml")
    with (castra.acta / "d-huge.xml").open("wb") as file:
        file.truncate(2_000_000)

    shelf = memoria.list(Kind.ACTUM)

    assert shelf.documents == ()
    assert [word.split(": ")[0] for word in shelf.broken] == [
        "acta/a-link.xml",
        "acta/b-folder.xml",
        "acta/c-pipe.xml",
        "acta/d-huge.xml",
    ]
    assert all("not a plain file" in word for word in shelf.broken[:3])
    assert "larger than 1000 KB" in shelf.broken[3]


def test_a_folder_that_is_a_link_is_reported_and_not_followed(
    memoria: FileMemoria, castra: Castra, tmp_path: Path
) -> None:
    by_hand(tmp_path / "elsewhere" / "by-hand.xml")
    castra.edicta.symlink_to(tmp_path / "elsewhere")

    shelf = memoria.list(Kind.EDICTUM)

    assert shelf.documents == ()
    assert "symbolic links are not followed" in shelf.broken[0]
    with pytest.raises(CastraError, match="symbolic links"):
        memoria.read(Kind.EDICTUM, "by-hand")
    with pytest.raises(CastraError, match="symbolic links"):
        publish(memoria)
    with pytest.raises(CastraError, match="symbolic links"):
        memoria.revoke("by-hand", "caesar")


def test_a_file_in_place_of_a_folder_is_reported(memoria: FileMemoria, castra: Castra) -> None:
    castra.edicta.write_text("in the way")

    assert "edicta: this cannot be used (Not a directory)" in memoria.list(Kind.EDICTUM).broken[0]
    with pytest.raises(DocumentError, match="this cannot be used"):
        publish(memoria)


def test_a_castra_whose_path_the_system_refuses_is_reported(tmp_path: Path, clock: FakeClock) -> None:
    memoria = FileMemoria(Castra(tmp_path / ("x" * 300)), clock)

    assert "File name too long" in memoria.list(Kind.ACTUM).broken[0]
    with pytest.raises(DocumentError, match="File name too long"):
        memoria.read(Kind.ACTUM, "a")
    with pytest.raises(DocumentError, match="File name too long"):
        publish(memoria)


def test_hidden_files_and_other_files_are_nobodys_business(memoria: FileMemoria, castra: Castra) -> None:
    castra.edicta.mkdir()
    for name in (".plain-words.xml.12ab.draft", ".swap.xml", "notes.md"):
        (castra.edicta / name).write_text("<broken")

    assert memoria.list(Kind.EDICTUM).broken == ()


def test_an_unchanged_file_is_not_parsed_again_and_a_changed_one_is(
    memoria: FileMemoria, castra: Castra
) -> None:
    path = by_hand(castra.edicta / "by-hand.xml", title="One")
    status = path.stat()
    memoria.list(Kind.EDICTUM)

    path.write_text(path.read_text().replace("One", "Two"))
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    (unnoticed,) = memoria.list(Kind.EDICTUM).documents
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns + 1))
    (noticed,) = memoria.list(Kind.EDICTUM).documents

    assert (unnoticed.title, noticed.title) == ("One", "Two")


def test_a_mended_file_is_listed_and_a_removed_one_forgotten(memoria: FileMemoria, castra: Castra) -> None:
    path = castra.edicta / "by-hand.xml"
    castra.edicta.mkdir()
    path.write_text("<broken")
    assert memoria.list(Kind.EDICTUM).broken

    by_hand(path)
    mended = memoria.list(Kind.EDICTUM)
    path.unlink()
    removed = memoria.list(Kind.EDICTUM)

    assert [each.name for each in mended.documents] == ["by-hand"]
    assert mended.broken == ()
    assert removed == Shelf(())


# --- reading ------------------------------------------------------------------------------------------


def test_what_was_written_is_read_by_anyone_who_looks(memoria: FileMemoria, castra: Castra) -> None:
    document = publish(memoria)

    assert memoria.read(Kind.EDICTUM, "plain-words") == document
    assert FileMemoria(castra, FakeClock()).read(Kind.EDICTUM, "plain-words") == document


def test_a_missing_document_is_told_with_those_that_there_are(memoria: FileMemoria, clock: FakeClock) -> None:
    publish(memoria, "First")
    clock.advance(1)
    publish(memoria, "Second")

    with pytest.raises(DocumentError) as refusal:
        memoria.read(Kind.EDICTUM, "third")

    assert str(refusal.value) == "edicta: there is no edictum 'third'. There are: second, first."


def test_of_many_documents_only_the_newest_are_named(memoria: FileMemoria, castra: Castra) -> None:
    for number in range(35):
        path = by_hand(castra.acta / f"n{number}.xml", kind="actum")
        os.utime(path, (number, number))

    with pytest.raises(DocumentError, match=r"There are: n34, n33, .*, n5 and 5 older\."):
        memoria.read(Kind.ACTUM, "none")


def test_an_empty_shelf_says_so(memoria: FileMemoria) -> None:
    with pytest.raises(DocumentError, match=r"vorenus: there is no commentarium 'x'. There are none yet\."):
        memoria.read(Kind.COMMENTARIUM, "x", "vorenus")


@pytest.mark.parametrize(
    "name", ["../prompt", "/etc/hostname", "a/b", "", ".", "..", "a\x00b", "Plain-Words", "a" * 65]
)
def test_a_name_that_could_be_a_path_is_merely_unknown(memoria: FileMemoria, name: str) -> None:
    publish(memoria)

    with pytest.raises(DocumentError, match="there is no edictum"):
        memoria.read(Kind.EDICTUM, name)


def test_a_broken_document_is_told_with_its_fault_every_time(memoria: FileMemoria, castra: Castra) -> None:
    by_hand(castra.edicta / "broken.xml", kind="actum")

    for _ in range(2):
        with pytest.raises(DocumentError, match=r"edicta/broken.xml: this is a <actum>, not a <edictum>"):
            memoria.read(Kind.EDICTUM, "broken")


@pytest.mark.parametrize("owner", ["", "../legatus", "caesar", "all", "Vorenus", "a/b"])
def test_a_journal_of_nobody_is_refused(memoria: FileMemoria, owner: str) -> None:
    with pytest.raises(ProfileError):
        memoria.list(Kind.COMMENTARIUM, owner)
    with pytest.raises(ProfileError):
        memoria.read(Kind.COMMENTARIUM, "x", owner)
    with pytest.raises(ProfileError):
        note(memoria, owner)
