"""`legio backup`, `legio restore` and `legio export`, as they are written and what they say."""

import asyncio
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from legio.cli import main
from legio.embedded import DATABASE
from legio.praetorium import open_praetorium
from tests.backup.castra import SECRET, inhabited, members
from tests.praetorium.record import StillClock, said

Shown = pytest.CaptureFixture[str]


@pytest.fixture
def camp(tmp_path: Path) -> Path:
    """The configuration of a castra that has been worked in."""
    asyncio.run(inhabited(tmp_path / "camp"))
    return tmp_path / "camp" / "legio.toml"


def test_a_backup_is_written_where_the_configuration_says(camp: Path, capsys: Shown) -> None:
    assert main(["backup", "--config", str(camp)]) == 0

    (path,) = (camp.parent / "backups").iterdir()
    assert re.fullmatch(r"legio-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ\.tar\.gz", path.name)
    assert capsys.readouterr().out == f"wrote {path} ({path.stat().st_size:,} bytes)\n"


def test_a_backup_is_written_where_it_is_told_with_all_that_is_asked_for(
    camp: Path, capsys: Shown, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TELEGRAM_BOT_TOKEN", SECRET)
    (camp.parent / "castra" / "token").write_text(SECRET)
    target = camp.parent / "mine.tar.gz"

    assert main(["backup", str(target), "--workspaces", "--config", str(camp)]) == 0

    assert "castra/workspaces/vorenus/plan.txt" in members(target)
    assert "left out castra/token: it keeps a secret\n" in capsys.readouterr().out


def test_a_backup_is_restored_and_what_was_there_is_named(camp: Path, capsys: Shown) -> None:
    archive = camp.parent.parent / "kept.tar.gz"
    main(["backup", str(archive), "--config", str(camp)])
    capsys.readouterr()

    assert main(["restore", str(archive), "--config", str(camp)]) == 0

    (aside,) = camp.parent.glob("castra.before-restore-*")
    moved, restored, left = capsys.readouterr().out.splitlines()
    assert moved == f"moved the castra that was there to {aside}"
    assert restored.startswith(f"restored {camp.parent / 'castra'} as it was at 20")
    assert left == f"left as it is: {camp}"


def test_on_an_empty_machine_the_configuration_is_restored_too(camp: Path, capsys: Shown) -> None:
    archive = camp.parent.parent / "kept.tar.gz"
    main(["backup", str(archive), "--config", str(camp)])
    shutil.rmtree(camp.parent)
    capsys.readouterr()

    assert main(["restore", str(archive), "--config", str(camp)]) == 0

    restored, wrote = capsys.readouterr().out.splitlines()
    assert restored.startswith("restored ")
    assert wrote == f"wrote {camp}"
    assert main(["export", "--config", str(camp)]) == 0
    assert "how deep" in capsys.readouterr().out


def test_what_is_no_backup_is_refused_in_a_sentence(camp: Path, capsys: Shown) -> None:
    assert main(["restore", str(camp), "--config", str(camp)]) == 1

    assert capsys.readouterr().err.startswith(
        f"legio: {camp}: this is not a backup of Legio, or it is damaged"
    )


def test_all_that_was_said_is_written_out(camp: Path, capsys: Shown) -> None:
    assert main(["export", "--config", str(camp)]) == 0

    assert [json.loads(line)["text"] for line in capsys.readouterr().out.splitlines()] == ["how deep", "deep"]


def test_a_person_reads_it_from_a_file_of_his_choice(camp: Path, capsys: Shown) -> None:
    output = camp.parent / "said.md"

    assert main(["export", "--format", "markdown", "--output", str(output), "--config", str(camp)]) == 0

    assert "**vorenus → caesar**" in output.read_text()
    assert capsys.readouterr().out == ""


def test_what_was_said_on_the_local_page_is_a_record_of_its_own(camp: Path, capsys: Shown) -> None:
    async def speak() -> None:
        async with open_praetorium(camp.parent / "castra" / DATABASE, StillClock()) as praetorium:
            await praetorium.nuntii.post(said("on the page"))

    assert main(["export", "--local", "--config", str(camp)]) == 1
    assert "there is no praetorium here" in capsys.readouterr().err

    asyncio.run(speak())

    assert main(["export", "--local", "--config", str(camp)]) == 0
    assert json.loads(capsys.readouterr().out)["text"] == "on the page"


def test_whoever_has_read_enough_may_stop(camp: Path) -> None:
    async def speak() -> None:
        async with open_praetorium(camp.parent / "castra" / "praetorium.db", StillClock()) as praetorium:
            for number in range(200):
                await praetorium.nuntii.post(said(f"{number} " + "x" * 2_000))

    asyncio.run(speak())
    command = [sys.executable, "-m", "legio", "export", "--config", str(camp)]

    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == ""
    assert process.returncode == 0
