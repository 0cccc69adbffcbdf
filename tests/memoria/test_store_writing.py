"""The promises of the `Memoria` port on real files: writing and revoking, also by many at once."""

import multiprocessing
from collections import Counter
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from datetime import UTC, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from legio.castra import Castra
from legio.errors import CastraError, DocumentError
from legio.memoria.documents import tidy, tidy_line
from legio.memoria.store import FileMemoria
from legio.ports import Kind
from tests.clocks import DAWN, FakeClock
from tests.disk import full_disk
from tests.memoria.shelves import content, note, publish

# --- writing ------------------------------------------------------------------------------------------


def test_each_kind_lies_in_its_own_folder(memoria: FileMemoria, castra: Castra) -> None:
    publish(memoria)
    memoria.write(Kind.ACTUM, title="A fact", text="It is so.", author="vorenus")
    note(memoria, "vorenus")
    note(memoria, "legatus")

    assert sorted(content(castra.root)) == [
        "acta/a-fact.xml",
        "centuriones/vorenus/commentarii/note.xml",
        "edicta/plain-words.xml",
        "legatus/commentarii/note.xml",
    ]


def test_a_document_carries_author_owner_and_the_time_in_utc(memoria: FileMemoria, clock: FakeClock) -> None:
    clock.advance(1.5)

    document = note(memoria, "vorenus")

    assert (document.author, document.owner) == ("vorenus", "vorenus")
    assert document.created == DAWN + timedelta(seconds=1.5)
    assert document.created.tzinfo is UTC
    assert memoria.list(Kind.COMMENTARIUM, "vorenus").documents == (document,)


def test_one_agents_journal_does_not_show_in_anothers(memoria: FileMemoria) -> None:
    note(memoria, "vorenus")

    assert memoria.list(Kind.COMMENTARIUM, "legatus").documents == ()


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("Plain words", "plain-words"),
        ("  Ärger: 50 % über/unter Plan! ", "arger-50-uber-unter-plan"),
        ("../../etc/passwd", "etc-passwd"),
        ("Приказ", "edictum"),
        ("🙂", "edictum"),
        ("x" * 200, "x" * 56),
    ],
)
def test_a_document_is_named_after_its_title(memoria: FileMemoria, title: str, name: str) -> None:
    assert publish(memoria, title).name == name


def test_a_name_that_is_taken_is_numbered_and_nothing_overwritten(
    memoria: FileMemoria, castra: Castra
) -> None:
    castra.edicta.mkdir()
    (castra.edicta / "plain-words.xml").write_text("<broken")
    (castra.edicta / "plain-words-2.xml").symlink_to("nowhere")

    names = [publish(memoria).name, publish(memoria).name]

    assert names == ["plain-words-3", "plain-words-4"]
    assert (castra.edicta / "plain-words.xml").read_text() == "<broken"
    assert not (castra.edicta / "nowhere").exists()


@pytest.mark.parametrize(("title", "text"), [("", "X"), ("T", " \n "), ("\x00", "X")])
def test_an_empty_document_is_refused_and_leaves_no_file(
    memoria: FileMemoria, castra: Castra, title: str, text: str
) -> None:
    with pytest.raises(DocumentError, match="is empty"):
        publish(memoria, title, text)

    assert content(castra.root) == {}


def test_a_document_too_large_to_be_read_is_refused(memoria: FileMemoria, castra: Castra) -> None:
    with pytest.raises(DocumentError, match="holds 1000 KB, which is too much"):
        publish(memoria, text="x" * 999_900)

    assert content(castra.root) == {}


def test_no_post_is_made_up_for_an_agent_that_is_gone(memoria: FileMemoria, castra: Castra) -> None:
    with pytest.raises(DocumentError, match="centuriones/pullo/commentarii: this cannot be used"):
        note(memoria, "pullo")

    assert not castra.post("pullo").exists()


def test_a_full_disk_is_told_and_leaves_nothing_behind(memoria: FileMemoria, castra: Castra) -> None:
    with full_disk(200), pytest.raises(DocumentError, match="this cannot be used"):
        publish(memoria, text="x" * 1000)

    assert content(castra.root) == {}


def test_a_large_document_is_written_with_a_warning(memoria: FileMemoria) -> None:
    _, below = memoria.write(Kind.ACTUM, title="T", text="x" * 49_000, author="vorenus")
    _, above = memoria.write(Kind.ACTUM, title="Long", text="x" * 63_000, author="vorenus")

    assert below == ""
    assert above == "'long' holds 63 KB: keep each below 50 KB."


def test_a_journal_beyond_a_megabyte_warns_its_own_writer_alone(memoria: FileMemoria) -> None:
    for _ in range(21):
        note(memoria, "vorenus", "x" * 49_000)

    _, warning = memoria.write(
        Kind.COMMENTARIUM, title="One more", text="X", author="vorenus", owner="vorenus"
    )
    _, other = memoria.write(Kind.COMMENTARIUM, title="First", text="X", author="legatus", owner="legatus")

    assert warning.startswith("These commentarii hold 1033 KB, more than 1000 KB: write less")
    assert other == ""


@given(title=st.text(max_size=80), text=st.text(max_size=200))
def test_whatever_is_written_is_read_back_or_refused(
    tmp_path_factory: pytest.TempPathFactory, title: str, text: str
) -> None:
    castra = Castra(tmp_path_factory.mktemp("castra"))
    memoria = FileMemoria(castra, FakeClock())
    if not tidy_line(title) or not tidy(text):
        with pytest.raises(DocumentError):
            publish(memoria, title, text)
        return

    document = publish(memoria, title, text)

    assert (document.title, document.text) == (tidy_line(title), tidy(text))
    assert FileMemoria(castra, FakeClock()).list(Kind.EDICTUM).documents == (document,)


# --- many at once -------------------------------------------------------------------------------------


def written(root: Path, writer: int) -> list[str]:
    """Ten documents of one title; runs in a process of its own."""
    memoria = FileMemoria(Castra(root), FakeClock())
    return [
        memoria.write(Kind.ACTUM, title="Race", text=f"{writer}/{number}", author="vorenus")[0].name
        for number in range(10)
    ]


@pytest.mark.parametrize("threads", [True, False], ids=["threads", "processes"])
def test_writers_at_once_never_take_each_others_name(castra: Castra, *, threads: bool) -> None:
    castra.acta.mkdir()
    pool = ThreadPoolExecutor(4) if threads else ProcessPoolExecutor(2, multiprocessing.get_context("spawn"))
    writers = 4 if threads else 2

    with pool:
        names = [
            name for found in pool.map(written, [castra.root] * writers, range(writers)) for name in found
        ]

    texts = Counter(each.text for each in FileMemoria(castra, FakeClock()).list(Kind.ACTUM).documents)
    assert len(set(names)) == len(names) == 10 * writers
    assert texts == Counter(f"{writer}/{number}" for writer in range(writers) for number in range(10))
    assert len(content(castra.acta)) == 10 * writers


# --- revoking -----------------------------------------------------------------------------------------


def test_a_revoked_edictum_is_out_of_force_and_kept_with_who_and_when(
    memoria: FileMemoria, castra: Castra, clock: FakeClock
) -> None:
    document = publish(memoria)
    before = (castra.edicta / "plain-words.xml").read_text()
    clock.advance(60)

    revoked = memoria.revoke("plain-words", "legatus")

    assert revoked == document
    assert memoria.list(Kind.EDICTUM).documents == ()
    (kept,) = (castra.edicta / ".history").iterdir()
    assert kept.name == "plain-words.20260315T060100Z.xml"
    assert kept.read_text() == f'{before}<?revoked by="legatus" at="2026-03-15T06:01:00+00:00"?>\n'


def test_a_file_put_back_from_the_history_is_in_force_again(memoria: FileMemoria, castra: Castra) -> None:
    document = publish(memoria)
    memoria.revoke("plain-words", '?> <x a="')
    (kept,) = (castra.edicta / ".history").iterdir()

    kept.rename(castra.edicta / "plain-words.xml")

    assert memoria.list(Kind.EDICTUM).documents == (document,)


def test_an_edictum_of_the_same_name_revoked_in_the_same_second_overwrites_no_history(
    memoria: FileMemoria, castra: Castra
) -> None:
    for text in ("One.", "Two."):
        publish(memoria, text=text)
        memoria.revoke("plain-words", "caesar")

    kept = content(castra.edicta / ".history")
    assert sorted(kept) == ["plain-words.20260315T060000Z-2.xml", "plain-words.20260315T060000Z.xml"]
    assert b"One." in kept["plain-words.20260315T060000Z.xml"]


@pytest.mark.parametrize("name", ["none", "../acta/a", ".history/x"])
def test_what_is_not_in_force_cannot_be_revoked(memoria: FileMemoria, name: str) -> None:
    publish(memoria)

    with pytest.raises(DocumentError, match=r"there is no edictum .* There are: plain-words"):
        memoria.revoke(name, "caesar")


def test_a_broken_edictum_is_not_revoked_but_told(memoria: FileMemoria, castra: Castra) -> None:
    castra.edicta.mkdir()
    (castra.edicta / "broken.xml").write_text("<broken")

    with pytest.raises(DocumentError, match="not well-formed"):
        memoria.revoke("broken", "caesar")

    assert list(content(castra.edicta)) == ["broken.xml"]


def test_a_history_that_cannot_be_written_leaves_the_edictum_in_force(
    memoria: FileMemoria, castra: Castra
) -> None:
    document = publish(memoria)
    (castra.edicta / ".history").write_text("in the way")

    with pytest.raises(DocumentError, match=r"edicta/plain-words.xml: this cannot be used"):
        memoria.revoke("plain-words", "caesar")

    assert memoria.list(Kind.EDICTUM).documents == (document,)


def test_a_history_that_is_a_link_is_not_followed(
    memoria: FileMemoria, castra: Castra, tmp_path: Path
) -> None:
    document = publish(memoria)
    (tmp_path / "elsewhere").mkdir()
    (castra.edicta / ".history").symlink_to(tmp_path / "elsewhere")

    with pytest.raises(CastraError, match="symbolic links"):
        memoria.revoke("plain-words", "caesar")

    assert content(tmp_path / "elsewhere") == {}
    assert memoria.list(Kind.EDICTUM).documents == (document,)
