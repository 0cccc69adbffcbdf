"""The command line as its user meets it: a real process, its output and exit code, its end by signals."""

import argparse
import os
import signal
import time
from pathlib import Path

import pytest

from legio import __version__
from legio.cli import COMMANDS, Command, main
from legio.errors import Refused
from legio.templates import init
from tests.processes import TOKEN, LegioProcess, contents, refused, said, station
from tests.scenes import scene, until

# --- what ends by itself --------------------------------------------------------------------------------


@scene
async def test_the_version(tmp_path: Path) -> None:
    assert await said("--version", folder=tmp_path) == (0, f"legio {__version__}\n")


@scene
async def test_init_writes_what_doctor_and_run_need_and_says_so(tmp_path: Path) -> None:
    code, output = await said("init", "camp", folder=tmp_path)
    first, *_, last = output.splitlines()
    assert code == 0
    assert first == f"wrote {tmp_path}/camp/legio.toml"
    assert last == "Next: `legio doctor`, or `legio local` to try it."
    assert (tmp_path / "camp/castra/legatus/prompt.md").is_file()


def test_the_help_names_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main(["--help"])
    assert left.value.code == 0
    shown = capsys.readouterr().out
    assert all(f"    {command.name} " in shown for command in COMMANDS)


@scene
async def test_doctor_says_all_is_well_and_makes_nothing(tmp_path: Path) -> None:
    async with station(tmp_path) as made:
        before = contents(tmp_path)
        environment = made.environment | {"LEGIO_CONSOLE_PORT": "4711"}
        code, output = await said("doctor", folder=tmp_path, environment=environment)
        assert contents(tmp_path) == before
    # What this machine has to run commands in is told, and is no fault.
    lines = [line for line in output.splitlines() if " sandbox: " not in line]
    assert code == 0
    assert lines.pop(4).startswith("✅ claude CLI: ")
    assert lines.pop(1).startswith("✅ time zone: ")
    assert lines == [
        "✅ configuration: read.",
        "✅ Telegram: the bot is @legio_bot.",
        "✅ model: ANTHROPIC_API_KEY is set.",
        f"✅ castra: {tmp_path}/castra: 3 centuriones.",
        "✅ console: http://127.0.0.1:4711, for this machine alone.",
        "✅ praetorium: there is none yet; it is made at the first start.",
    ]


@scene
async def test_doctor_ends_with_1_when_anything_is_not_well(tmp_path: Path) -> None:
    init(tmp_path)
    code, output = await said("doctor", folder=tmp_path)
    assert code == 1
    assert "❌ Telegram: TELEGRAM_BOT_TOKEN is not set; only `legio local` will work.\n" in output


# --- the one error boundary -----------------------------------------------------------------------------


def broken(_: argparse.Namespace) -> int:
    raise RuntimeError(f"this was never meant to happen at {TOKEN}")


def test_a_bug_ends_with_3_and_a_report_to_paste_without_secrets(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["march"], commands=[Command("march", broken, "marches")]) == 3
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "RuntimeError: this was never meant to happen at [redacted]" in shown.err
    assert shown.err.splitlines()[-1].startswith(f"This is a bug in Legio {__version__} (Python ")
    assert TOKEN not in shown.err


def test_what_the_configuration_holds_secret_is_not_shown_whatever_its_shape(
    capsys: pytest.CaptureFixture[str],
) -> None:
    def blab(arguments: argparse.Namespace) -> int:
        arguments.secrets = ("swordfish",)  # as every command does that reads the configuration
        raise Refused("the word is swordfish.")

    assert main(["march"], commands=[Command("march", blab, "marches")]) == 1
    assert capsys.readouterr().err == "legio: the word is [redacted].\n"


def test_an_interrupted_command_ends_with_130(capsys: pytest.CaptureFixture[str]) -> None:
    def interrupted(_: argparse.Namespace) -> int:
        raise KeyboardInterrupt

    assert main(["march"], commands=[Command("march", interrupted, "marches")]) == 130
    assert capsys.readouterr().err == "legio: interrupted.\n"


# --- health ---------------------------------------------------------------------------------------------


async def health(process: LegioProcess, folder: Path) -> tuple[int, str]:
    code, output = await said("health", folder=folder)
    return code, output.replace(str(process.pid), "PID")


@scene(deadline=60)
async def test_health_is_0_while_a_legio_hears_from_telegram_and_1_when_it_does_not(tmp_path: Path) -> None:
    async with station(tmp_path) as made, made.run() as process:
        alive = await health(process, tmp_path)
        process.signal(signal.SIGSTOP)
        long_ago = time.time() - 300
        os.utime(made.castra.lock, (long_ago, long_ago))
        hanging = await health(process, tmp_path)
        process.signal(signal.SIGCONT)
        before = made.castra.lock.stat().st_mtime
        made.telegram.say("/version")  # a poll that is answered is a sign of life
        await until(lambda: made.castra.lock.stat().st_mtime > before)
        again = await health(process, tmp_path)
    assert alive[0] == again[0] == 0
    assert alive[1].startswith("Legio (pid PID) is alive; it heard from Telegram ")
    assert hanging[0] == 1
    assert hanging[1].startswith(
        f"legio: {tmp_path}/castra: Legio (pid PID) has not heard from Telegram for 30"
    )
    assert hanging[1].endswith(" s. Look at its log and at the network; restart it if this stays.\n")


@scene
async def test_health_is_1_when_no_legio_runs(tmp_path: Path) -> None:
    init(tmp_path)
    assert await refused("health", folder=tmp_path) == (
        f"legio: {tmp_path}/castra: no Legio is running. Start it with `legio run`.\n"
    )
