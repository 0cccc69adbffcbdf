"""The promises of the `History` port on real files: nothing that stood is ever lost or written over."""

import os
import sys
import warnings
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from legio.castra import Castra
from legio.errors import CastraError, DocumentError, ProfileError, Refused
from legio.memoria.history import MOST_GONE, FileHistory
from legio.memoria.store import FileMemoria
from legio.ports import Document, Fate, History, Kind, Past, Proof, Version
from tests.clocks import DAWN, FakeClock
from tests.disk import full_disk
from tests.memoria.shelves import by_hand, content, note, publish

KINDS = [(Kind.EDICTUM, ""), (Kind.ACTUM, ""), (Kind.COMMENTARIUM, "vorenus")]


@pytest.fixture
def history(castra: Castra, clock: FakeClock) -> FileHistory:
    return FileHistory(castra, clock)


def amend(history: FileHistory, was: Document, text: str) -> Document:
    document, warning = history.amend(was, title=was.title, text=text, author="caesar")
    assert warning == ""
    return document


def told(past: Past) -> list[tuple[str, Fate, str]]:
    return [(each.document.text, each.fate, each.by) for each in past.versions]


def test_a_store_is_a_history(history: FileHistory) -> None:
    port: History = history

    assert port.versions(Kind.EDICTUM, "none") == Past(())
    assert port.gone(Kind.ACTUM) == Past(())


# --- amending -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("kind", "owner"), KINDS)
def test_what_is_amended_stands_anew_and_what_stood_is_kept_with_its_author_and_date(
    memoria: FileMemoria, history: FileHistory, clock: FakeClock, kind: Kind, owner: str
) -> None:
    was, _ = memoria.write(kind, title="A rule", text="One.", author="pullo", owner=owner)
    clock.advance(60)

    now, warning = history.amend(was, title=" The  rule ", text="Two.\r\n", author="caesar")

    assert warning == ""
    assert now == replace(
        was, title="The rule", text="Two.", author="caesar", created=DAWN + timedelta(seconds=60)
    )
    assert memoria.list(kind, owner).documents == (now,)
    assert history.versions(kind, "a-rule", owner) == Past(
        (
            Version(now),
            Version(was, Fate.REPLACED, "20260315T060100Z", DAWN + timedelta(seconds=60), "caesar"),
        )
    )


def test_what_an_agent_ordered_at_caesars_word_is_caesars_own_once_he_amends_it(
    memoria: FileMemoria, history: FileHistory
) -> None:
    was, _ = memoria.ordain(title="A rule", text="One.", author="legatus", proof=Proof("n-1", "caesar"))

    now = amend(history, was, "Two.")

    assert (now.author, now.proof, now.allowed) == ("caesar", "", "")
    assert history.versions(Kind.EDICTUM, "a-rule").versions[1].document == was


def test_an_amendment_that_changes_nothing_writes_nothing(
    memoria: FileMemoria, history: FileHistory, castra: Castra
) -> None:
    was = publish(memoria)
    before = content(castra.root)

    assert history.amend(was, title="Plain  words", text="Use them.\n", author="pullo") == (was, "")
    assert content(castra.root) == before


def test_a_heavy_amendment_is_written_with_a_warning_and_one_too_heavy_is_not(
    memoria: FileMemoria, history: FileHistory
) -> None:
    was = publish(memoria)

    now, warning = history.amend(was, title="T", text="x" * 63_000, author="caesar")

    assert warning == "'plain-words' holds 63 KB: keep each below 50 KB."
    with pytest.raises(DocumentError, match="too much for one document"):
        amend(history, now, "x" * 1_000_000)
    assert memoria.read(Kind.EDICTUM, "plain-words") == now


# --- revoking and putting back ------------------------------------------------------------------------


@pytest.mark.parametrize(("kind", "owner"), KINDS)
def test_what_is_revoked_is_gone_and_stands_again_as_it_stood(
    memoria: FileMemoria, history: FileHistory, clock: FakeClock, kind: Kind, owner: str
) -> None:
    was, _ = memoria.write(kind, title="A rule", text="One.", author="pullo", owner=owner)
    proof = Proof("n-1", "caesar")
    history.revoke(was, "legatus", proof)
    clock.advance(60)

    (gone,) = history.gone(kind, owner).versions
    stood = memoria.list(kind, owner).documents
    back = history.restore(gone, "caesar")

    assert gone == Version(was, Fate.REVOKED, "20260315T060000Z", DAWN, "legatus", proof)
    assert stood == ()
    assert back == was == memoria.read(kind, "a-rule", owner)
    assert history.versions(kind, "a-rule", owner) == Past((Version(was), gone))
    assert history.gone(kind, owner) == Past(())


def test_a_former_text_is_put_back_and_what_stood_between_is_kept(
    memoria: FileMemoria, history: FileHistory, clock: FakeClock
) -> None:
    one = publish(memoria, text="One.")
    clock.advance(1)
    two = amend(history, one, "Two.")
    clock.advance(1)
    former = history.versions(Kind.EDICTUM, "plain-words").versions[1]

    assert history.restore(former, "caesar", over=two) == one

    assert memoria.list(Kind.EDICTUM).documents == (one,)
    assert told(history.versions(Kind.EDICTUM, "plain-words")) == [
        ("One.", Fate.STANDS, ""),
        ("Two.", Fate.REPLACED, "caesar"),
        ("One.", Fate.REPLACED, "caesar"),
    ]


def test_a_file_of_a_persons_is_put_back_to_the_letter_with_its_date(
    memoria: FileMemoria, history: FileHistory, castra: Castra
) -> None:
    path = by_hand(castra.edicta / "by-hand.xml")
    path.write_text(f"<!-- mine -->\n{path.read_text()}")
    os.utime(path, (1_000_000, 1_000_000))
    was, written = memoria.read(Kind.EDICTUM, "by-hand"), path.read_bytes()

    history.revoke(was, "caesar")
    (gone,) = history.gone(Kind.EDICTUM).versions
    history.restore(gone, "caesar")

    assert gone.document == was
    assert (path.read_bytes(), memoria.read(Kind.EDICTUM, "by-hand")) == (written, was)


def test_a_file_in_another_encoding_is_kept_so_that_it_can_be_read(
    memoria: FileMemoria, history: FileHistory, castra: Castra
) -> None:
    path = by_hand(castra.edicta / "by-hand.xml", title="Ärger")
    path.write_bytes(path.read_text().encode("utf-16"))
    was = memoria.read(Kind.EDICTUM, "by-hand")

    history.revoke(was, "caesar")
    (gone,) = history.gone(Kind.EDICTUM).versions

    assert gone.document == was
    assert history.restore(gone, "caesar") == memoria.read(Kind.EDICTUM, "by-hand")


def test_the_largest_document_is_kept_readable_too(
    memoria: FileMemoria, history: FileHistory, castra: Castra
) -> None:
    path = by_hand(castra.acta / "large.xml", kind="actum", title="T")
    path.write_text(path.read_text().replace("By hand.", "x" * (1_000_000 - path.stat().st_size + 8)))
    assert path.stat().st_size == 1_000_000

    history.revoke(memoria.read(Kind.ACTUM, "large"), "caesar")

    assert history.gone(Kind.ACTUM).broken == ()


def test_of_each_name_the_last_version_is_told_and_no_more_names_than_can_be_read(
    memoria: FileMemoria, history: FileHistory, castra: Castra
) -> None:
    for text in ("One.", "Two."):
        history.revoke(publish(memoria, text=text), "caesar")
    folder = castra.edicta / ".history"
    for number in range(MOST_GONE):
        by_hand(folder / f"n{number}.20260316T06{number // 60:02}{number % 60:02}Z.xml")

    gone = history.gone(Kind.EDICTUM).versions
    (folder / f"n{MOST_GONE - 1}.20260316T060319Z.xml").unlink()

    assert (len(gone), gone[0].document.name, gone[-1].document.name) == (MOST_GONE, "n199", "n0")
    assert history.gone(Kind.EDICTUM).versions[-1].document.text == "Two."


# --- two writers --------------------------------------------------------------------------------------


def test_the_second_of_two_who_began_with_the_same_is_refused(
    memoria: FileMemoria, history: FileHistory, castra: Castra
) -> None:
    was = publish(memoria)
    now = amend(history, was, "Mine.")
    before = content(castra.root)
    former = history.versions(Kind.EDICTUM, was.name).versions[1]

    for act in (
        lambda: amend(history, was, "Yours."),
        lambda: history.revoke(was, "caesar"),
        lambda: history.restore(former, "caesar"),
        lambda: history.restore(former, "caesar", over=replace(now, text="Another's.")),
    ):
        with pytest.raises(Refused, match="'plain-words' has been changed meanwhile: nothing was done"):
            act()

    assert content(castra.root) == before
    assert memoria.read(Kind.EDICTUM, was.name) == now


def test_of_many_at_once_one_wins_and_no_text_is_lost(memoria: FileMemoria, castra: Castra) -> None:
    was = publish(memoria)

    def write(number: int) -> str:
        try:
            return amend(FileHistory(castra, FakeClock()), was, f"Text {number}.").text
        except Refused:
            return ""

    with ThreadPoolExecutor(4) as pool:
        (won,) = filter(None, pool.map(write, range(8)))

    past = FileHistory(castra, FakeClock()).versions(Kind.EDICTUM, was.name)
    assert [each.document.text for each in past.versions] == [won, was.text]


class Meddler(FakeClock):
    """When he is asked for the time, somebody saves the file in an editor; he is asked before each step."""

    def __init__(self, path: Path, *, at: int) -> None:
        super().__init__()
        self._path, self._left = path, at

    def now(self) -> datetime:
        self._left -= 1
        if self._left == 0:
            by_hand(self._path, title="Saved meanwhile")
        return super().now()


@pytest.mark.parametrize("at", [1, 2, 3])
def test_what_an_editor_saves_meanwhile_is_not_written_over(
    memoria: FileMemoria, castra: Castra, at: int
) -> None:
    was, path = publish(memoria), castra.edicta / "plain-words.xml"
    history = FileHistory(castra, Meddler(path, at=at))

    with pytest.raises(Refused, match="changed meanwhile"):
        amend(history, was, "Mine.")

    assert memoria.read(Kind.EDICTUM, "plain-words").title == "Saved meanwhile"


def test_what_an_editor_saves_meanwhile_is_not_revoked(memoria: FileMemoria, castra: Castra) -> None:
    was, path = publish(memoria), castra.edicta / "plain-words.xml"

    with pytest.raises(Refused, match="changed meanwhile"):
        FileHistory(castra, Meddler(path, at=2)).revoke(was, "caesar")

    assert memoria.read(Kind.EDICTUM, "plain-words").title == "Saved meanwhile"


def test_what_is_gone_or_broken_cannot_be_amended(
    memoria: FileMemoria, history: FileHistory, castra: Castra
) -> None:
    was = publish(memoria)
    path = castra.edicta / "plain-words.xml"
    path.write_text("<broken")
    with pytest.raises(DocumentError, match="not well-formed"):
        amend(history, was, "Mine.")
    path.unlink()
    with pytest.raises(Refused, match="changed meanwhile"):
        amend(history, was, "Mine.")


def test_only_a_version_that_is_kept_and_does_not_stand_is_put_back(
    memoria: FileMemoria, history: FileHistory
) -> None:
    was = publish(memoria)

    with pytest.raises(Refused, match="this is what stands"):
        history.restore(Version(was), "caesar", over=was)
    for name in ("20260315T060000Z", "../../plain-words", ""):
        with pytest.raises(Refused, match="this version of 'plain-words' is not kept"):
            history.restore(Version(was, Fate.REVOKED, name), "caesar")


# --- a crash at any instant ---------------------------------------------------------------------------


STEPS = {"os.rename", "os.link", "os.remove", "os.mkdir", "os.utime", "fcntl.flock", "open"}


def killed_at(instant: int, act: str, castra: Castra) -> bool:
    """Run `act` in a process that dies just before the given step on its files; False once it outlives it."""
    with warnings.catch_warnings():
        warnings.simplefilter(
            "ignore", DeprecationWarning
        )  # other threads: the child touches nothing of theirs
        child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 9
    left = instant

    def die(event: str, arguments: tuple[object, ...]) -> None:
        nonlocal left
        if event in STEPS and any(str(castra.root) in str(each) for each in arguments):
            left -= 1
            if left == -1:
                os._exit(9)

    history = FileHistory(castra, FakeClock(DAWN + timedelta(days=1)))
    sys.addaudithook(die)
    ACTS[act](history)
    os._exit(0)


def _restored(history: FileHistory) -> None:
    past = history.versions(Kind.EDICTUM, "plain-words").versions
    history.restore(past[1], "caesar", over=past[0].document)


def _returned(history: FileHistory) -> None:
    history.restore(history.gone(Kind.EDICTUM).versions[0], "caesar")


def _revoked(history: FileHistory) -> None:
    history.revoke(history.versions(Kind.EDICTUM, "plain-words").versions[0].document, "caesar")


def _amended(history: FileHistory) -> None:
    amend(history, history.versions(Kind.EDICTUM, "plain-words").versions[0].document, "Third.")


ACTS = {"amended": _amended, "revoked": _revoked, "restored": _restored, "returned": _returned}


@pytest.mark.parametrize("act", ACTS)
def test_killed_at_any_instant_what_stood_or_what_follows_stands_and_every_text_is_there(
    tmp_path: Path, act: str
) -> None:
    instant, outlived = 0, False
    while not outlived:
        castra = Castra(tmp_path / str(instant))
        castra.root.mkdir()
        clock = FakeClock()
        memoria, history = FileMemoria(castra, clock), FileHistory(castra, clock)
        amend(history, publish(memoria, text="First."), "Second.")
        if act == "returned":
            history.revoke(memoria.read(Kind.EDICTUM, "plain-words"), "caesar")

        outlived = not killed_at(instant, act, castra)

        past = FileHistory(castra, clock).versions(Kind.EDICTUM, "plain-words")
        texts = {each.document.text for each in past.versions}
        stands = [each.document.text for each in past.versions if not each.id]
        follows = {"amended": ["Third."], "revoked": [], "restored": ["First."], "returned": ["Second."]}[act]
        stood = [] if act == "returned" else ["Second."]
        assert stands in (stood, follows), instant
        assert texts >= {"First.", "Second."}, instant
        assert past.broken == (), instant
        assert stands == follows or not outlived
        assert FileMemoria(castra, clock).list(Kind.EDICTUM).broken == (), instant
        instant += 1
    assert instant > 5


def test_a_disk_that_is_full_changes_nothing(
    memoria: FileMemoria, history: FileHistory, castra: Castra
) -> None:
    was = publish(memoria)
    before = content(castra.root)

    with full_disk(100), pytest.raises(DocumentError, match="this cannot be used"):
        amend(history, was, "x" * 1000)
    with full_disk(100), pytest.raises(DocumentError, match="this cannot be used"):
        history.revoke(was, "caesar")

    assert content(castra.root) == before


# --- confined to the castra ---------------------------------------------------------------------------


def test_a_history_that_is_a_link_is_not_followed(
    memoria: FileMemoria, history: FileHistory, castra: Castra, tmp_path: Path
) -> None:
    was = publish(memoria)
    by_hand(tmp_path / "elsewhere" / "plain-words.20260315T060000Z.xml")
    (castra.edicta / ".history").symlink_to(tmp_path / "elsewhere")
    before = content(tmp_path / "elsewhere")
    version = Version(was, Fate.REVOKED, "20260315T060000Z")

    for act in (
        lambda: amend(history, was, "Mine."),
        lambda: history.revoke(was, "caesar"),
        lambda: history.restore(version, "caesar"),
        lambda: history.versions(Kind.EDICTUM, was.name),
        lambda: history.gone(Kind.EDICTUM),
    ):
        with pytest.raises(CastraError, match="symbolic links are not followed"):
            act()

    assert content(tmp_path / "elsewhere") == before
    assert memoria.list(Kind.EDICTUM).documents == (was,)


def test_links_pipes_and_broken_files_in_a_history_are_told_and_never_opened(
    history: FileHistory, castra: Castra, tmp_path: Path
) -> None:
    folder = castra.edicta / ".history"
    by_hand(tmp_path / "secret.xml")
    folder.mkdir(parents=True)
    (folder / "a.20260315T060000Z.xml").symlink_to(tmp_path / "secret.xml")
    os.mkfifo(folder / "a.20260316T060000Z.xml")
    (folder / "a.20260317T060000Z.xml").write_text("<edictum>")
    (folder / "b.xml").write_text("not a version")

    past = history.versions(Kind.EDICTUM, "a")

    assert past.versions == ()
    assert [word.partition(": ")[0] for word in past.broken] == [
        f"edicta/.history/a.202603{day}T060000Z.xml" for day in (17, 16, 15)
    ]
    assert history.gone(Kind.EDICTUM) == Past((), past.broken[:1])


def test_a_link_in_a_documents_place_is_neither_amended_nor_replaced(
    memoria: FileMemoria, history: FileHistory, castra: Castra, tmp_path: Path
) -> None:
    was = publish(memoria)
    history.revoke(was, "caesar")
    (gone,) = history.gone(Kind.EDICTUM).versions
    path = castra.edicta / "plain-words.xml"
    path.symlink_to(by_hand(tmp_path / "elsewhere.xml"))
    before = content(tmp_path / "castra")

    with pytest.raises(DocumentError, match="not a plain file"):
        amend(history, was, "Mine.")
    with pytest.raises(CastraError, match="symbolic links are not followed"):
        history.restore(gone, "caesar")
    assert history.versions(Kind.EDICTUM, "plain-words").broken[0].startswith("edicta/plain-words.xml: this")

    assert path.is_symlink()
    assert content(tmp_path / "castra") == before


@pytest.mark.parametrize("owner", ["", "../legatus", "caesar", "a/b", "\x00"])
def test_a_journal_of_nobody_has_no_history(history: FileHistory, owner: str) -> None:
    with pytest.raises(ProfileError):
        history.versions(Kind.COMMENTARIUM, "x", owner)
    with pytest.raises(ProfileError):
        history.gone(Kind.COMMENTARIUM, owner)


@pytest.mark.parametrize("name", ["../prompt", "/etc/hostname", ".history/x", "", "a\x00b", "A"])
def test_a_name_that_could_be_a_path_has_no_versions_and_is_not_amended(
    memoria: FileMemoria, history: FileHistory, name: str
) -> None:
    was = publish(memoria)

    assert history.versions(Kind.EDICTUM, name) == Past(())
    with pytest.raises(DocumentError, match="cannot be a document's name"):
        amend(history, replace(was, name=name), "Mine.")
    with pytest.raises(Refused, match="changed meanwhile"):
        history.revoke(replace(was, name=name), "caesar")


def test_one_agents_history_does_not_show_in_anothers(memoria: FileMemoria, history: FileHistory) -> None:
    history.revoke(note(memoria, "vorenus"), "caesar")

    assert len(history.gone(Kind.COMMENTARIUM, "vorenus").versions) == 1
    assert history.gone(Kind.COMMENTARIUM, "legatus") == Past(())
