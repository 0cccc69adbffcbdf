import json
import os
import socket
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from legio import __version__
from legio.backup import Source, make, place
from legio.backup.archive import NIGHTLY, name, taken
from legio.castra import Castra
from legio.errors import CastraError, LegioError, PraetoriumError, Refused
from legio.praetorium import open_praetorium
from tests.backup.castra import NOW, OTHERS, SECRET, TRANSCRIPT, inhabited, members, source
from tests.praetorium.record import StillClock, said
from tests.scenes import scene

KEPT_OUT = {
    "homes/vorenus/.claude.json",
    "homes/vorenus/.credentials.json",
    "workspaces/vorenus/plan.txt",
    "acta/.half.draft",
    "legio.lock",
}


class Enough(Exception):
    """Raised by a caller who does not want the backup any more."""


@scene
async def test_everything_of_caesars_is_in_it_and_nothing_else(tmp_path: Path) -> None:
    castra = await inhabited(tmp_path)

    archive = make(source(castra), tmp_path / "out" / "legio.tar.gz", now=NOW)

    found = members(archive.path)
    assert {f"castra/{path}" for path in OTHERS.keys() - KEPT_OUT} <= found.keys()
    assert not {f"castra/{path}" for path in KEPT_OUT} & found.keys()
    assert found[f"castra/{TRANSCRIPT}"] == OTHERS[TRANSCRIPT].encode()
    assert found["legio.toml"] == (tmp_path / "legio.toml").read_bytes()
    assert found["castra/centuriones/pullo/prompt.md"] == castra.prompt("pullo").read_bytes()
    assert "castra/praetorium.db" in found
    assert not [each for each in found if "-wal" in each or "-shm" in each]
    assert archive.left_out == ()
    assert archive.size == archive.path.stat().st_size


@scene
async def test_it_says_of_itself_what_it_is(tmp_path: Path) -> None:
    castra = await inhabited(tmp_path)

    archive = make(source(castra), tmp_path / "legio.tar.gz", now=NOW)

    first, content = next(iter(members(archive.path).items()))
    assert first == "legio-backup.json"
    assert json.loads(content or b"") == {
        "format": 1,
        "legio": __version__,
        "taken": "2026-11-21T03:04:05+00:00",
    }


@scene
async def test_workspaces_come_along_when_they_are_asked_for(tmp_path: Path) -> None:
    castra = await inhabited(tmp_path)

    archive = make(source(castra, workspaces=True), tmp_path / "legio.tar.gz", now=NOW)

    assert members(archive.path)["castra/workspaces/vorenus/plan.txt"] == b"a plan"


@scene
async def test_the_record_in_it_is_of_one_instant_while_legio_writes(tmp_path: Path) -> None:
    castra = await inhabited(tmp_path)
    async with open_praetorium(castra.database, StillClock()) as praetorium:
        archive = make(source(castra), tmp_path / "legio.tar.gz", now=NOW)
        assert await praetorium.check() == ()

    seen = tmp_path / "seen.db"
    seen.write_bytes(members(archive.path)["castra/praetorium.db"] or b"")
    with closing(sqlite3.connect(seen)) as connection:
        assert connection.execute("SELECT text FROM nuntii").fetchall() == [("how deep",), ("deep",)]
        assert connection.execute("PRAGMA journal_mode").fetchone()[0] == "delete"


@scene
async def test_it_is_the_owners_alone_and_leaves_no_draft(tmp_path: Path) -> None:
    castra = await inhabited(tmp_path)

    archive = make(source(castra), tmp_path / "out" / "legio.tar.gz", now=NOW)

    assert stat.S_IMODE(archive.path.stat().st_mode) == 0o600
    assert [path.name for path in archive.path.parent.iterdir()] == ["legio.tar.gz"]


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("castra/token", SECRET),
        ("castra/notes/token", f"{SECRET}\r\n"),
        ("castra/.env", f"X=1\nexport TELEGRAM_BOT_TOKEN='{SECRET}'\n"),
        ("castra/legatus/notes.toml", f'token = "{SECRET}"\n'),
    ],
)
@scene
async def test_a_file_that_keeps_a_secret_is_left_out_and_named(tmp_path: Path, file: str, text: str) -> None:
    castra = await inhabited(tmp_path)
    (tmp_path / file).write_text(text)

    archive = make(source(castra), tmp_path / "legio.tar.gz", now=NOW)

    assert archive.left_out == (f"{file}: it keeps a secret",)
    assert not [
        each for each, content in members(archive.path).items() if SECRET.encode() in (content or b"")
    ]
    assert SECRET not in repr(source(castra))


@scene
async def test_what_only_speaks_of_a_secret_is_never_left_out(tmp_path: Path) -> None:
    castra = await inhabited(tmp_path)
    async with open_praetorium(castra.database, StillClock()) as praetorium:
        await praetorium.nuntii.post(said(SECRET))
    (castra.root / TRANSCRIPT).write_text(f'{{"said":"my token is {SECRET}, keep it"}}\n')

    archive = make(source(castra), tmp_path / "legio.tar.gz", now=NOW)

    assert archive.left_out == ()
    assert {"castra/praetorium.db", f"castra/{TRANSCRIPT}"} <= members(archive.path).keys()


@scene
async def test_what_is_neither_file_nor_folder_is_left_out_and_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    castra = await inhabited(tmp_path)
    (castra.root / "link").symlink_to("/etc/hostname")
    os.mkfifo(castra.root / "pipe")
    with socket.socket(socket.AF_UNIX) as end:
        monkeypatch.chdir(castra.root)  # a socket's path may be no longer than 108 bytes
        end.bind("socket")

        archive = make(source(castra), tmp_path / "legio.tar.gz", now=NOW)

    assert sorted(archive.left_out) == [
        f"castra/{each}: neither a file nor a folder" for each in ("link", "pipe", "socket")
    ]


@scene
async def test_earlier_backups_in_the_castra_are_not_packed_again(tmp_path: Path) -> None:
    castra = await inhabited(tmp_path)
    folder = castra.root / "backups"

    make(source(castra), folder / name(NIGHTLY, NOW), now=NOW)
    second = make(source(castra), place(folder, NOW), now=NOW)

    assert [each for each in members(second.path) if "backups" in each] == ["castra/backups"]


@scene
async def test_a_large_file_comes_whole(tmp_path: Path) -> None:
    castra = await inhabited(tmp_path)
    large = os.urandom(3_000_000)
    (castra.root / "large.bin").write_bytes(large)

    archive = make(source(castra), tmp_path / "legio.tar.gz", now=NOW)

    assert members(archive.path)["castra/large.bin"] == large


@scene
async def test_a_castra_before_its_first_start_has_no_record_and_a_backup_all_the_same(
    tmp_path: Path,
) -> None:
    castra = await inhabited(tmp_path)
    castra.database.unlink()

    archive = make(Source(castra), tmp_path / "legio.tar.gz", now=NOW)

    assert not {"castra/praetorium.db", "legio.toml"} & members(archive.path).keys()


@scene
async def test_what_vanishes_at_any_instant_is_no_failure(tmp_path: Path) -> None:
    castra = await inhabited(tmp_path)
    doomed, seen = castra.root / "acta" / "a-ford.xml", set()
    for instant in range(60):
        doomed.write_text("soon gone")
        calls = iter(range(60))

        def proceed(calls: Iterator[int] = calls, instant: int = instant) -> None:
            if next(calls) == instant:
                doomed.unlink()

        archive = make(source(castra), tmp_path / f"{instant}.tar.gz", now=NOW, proceed=proceed)

        assert archive.left_out == ()
        seen.add(("castra/acta/a-ford.xml" in members(archive.path), doomed.exists()))
        if doomed.exists():
            break
    assert seen == {(False, False), (True, False), (True, True)}


@pytest.mark.skipif(os.geteuid() == 0, reason="permission bits do not bind root")
@scene
async def test_what_may_not_be_read_is_left_out_and_named(tmp_path: Path) -> None:
    castra = await inhabited(tmp_path)
    closed = castra.root / "acta" / "a-ford.xml"
    closed.chmod(0o000)

    archive = make(source(castra), tmp_path / "legio.tar.gz", now=NOW)

    assert archive.left_out == (f"{closed}: Permission denied",)


@scene
async def test_no_file_is_ever_written_over(tmp_path: Path) -> None:
    castra = await inhabited(tmp_path)
    target = tmp_path / "legio.tar.gz"
    target.write_text("mine")

    with pytest.raises(Refused, match="there is a file of this name already"):
        make(source(castra), target, now=NOW)

    assert target.read_text() == "mine"


@scene
async def test_whoever_has_enough_ends_it_and_nothing_is_left(tmp_path: Path) -> None:
    castra = await inhabited(tmp_path)

    def enough() -> None:
        raise Enough

    with pytest.raises(Enough):
        make(source(castra), tmp_path / "out" / "legio.tar.gz", now=NOW, proceed=enough)

    assert list((tmp_path / "out").iterdir()) == []


@scene
async def test_a_damaged_record_makes_no_backup(tmp_path: Path) -> None:
    castra = await inhabited(tmp_path)
    castra.database.write_bytes(b"not a database" * 1000)

    with pytest.raises(PraetoriumError):
        make(source(castra), tmp_path / "out" / "legio.tar.gz", now=NOW)

    assert list((tmp_path / "out").iterdir()) == []


def test_a_castra_that_is_not_there_is_no_empty_backup(tmp_path: Path) -> None:
    with pytest.raises(CastraError, match="there is no castra here"):
        make(Source(Castra(tmp_path / "castra")), tmp_path / "legio.tar.gz", now=NOW)


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "castra").mkdir()

    with pytest.raises(CastraError, match="cannot be written") as caught:
        make(Source(Castra(tmp_path / "castra")), tmp_path / "file" / "legio.tar.gz", now=NOW)

    assert isinstance(caught.value, LegioError)
    assert str(tmp_path / "file") in caught.value.where


def test_a_target_is_a_file_when_it_is_named_like_one() -> None:
    assert place(Path("here.tar.gz"), NOW) == Path("here.tar.gz")
    assert place(Path("there"), NOW) == Path("there/legio-2026-11-21T03-04-05Z.tar.gz")


def test_a_backups_name_tells_its_moment() -> None:
    assert taken(Path("x") / name(NIGHTLY, NOW)) == NOW
