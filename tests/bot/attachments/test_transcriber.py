import sys
import textwrap
from datetime import date
from pathlib import Path

import psutil
import pytest

from legio.attachments import Depot
from legio.bot.attachments.transcriber import Transcriber
from legio.castra import Castra
from legio.errors import LegioError, Refused
from tests.scenes import scene, until

ENGINES = {
    "hears": "print('ave, ' + open(sys.argv[1]).read())",
    "fails": "print('half'); sys.exit(3)",
    "is silent": "print('  ')",
    "babbles": "while True: print('x' * 1000)",
}


@pytest.fixture
def depot(tmp_path: Path) -> Depot:
    return Depot(Castra(tmp_path / "the castra"))


def engine(tmp_path: Path, what: str, depot: Depot, *, seconds: float = 60.0) -> Transcriber:
    script = tmp_path / "engine.py"
    script.write_text("import os, sys\n" + textwrap.dedent(ENGINES[what]))
    return Transcriber(f"{sys.executable} '{script}' {{file}}", depot, seconds=seconds)


def voice(depot: Depot) -> str:
    return depot.keep(date(2026, 11, 21), "1", "voice; rm -rf $HOME.ogg", b"Caesar")


def running(*command: str) -> bool:
    """Whether any process of the machine is this one."""
    return any(it.info["cmdline"] == list(command) for it in psutil.process_iter(["cmdline"]))


@scene
async def test_the_command_is_given_the_file_and_says_what_it_heard(tmp_path: Path, depot: Depot) -> None:
    assert await engine(tmp_path, "hears", depot).words(voice(depot)) == "ave, Caesar"


@pytest.mark.parametrize(
    ("what", "reason"),
    [("fails", "exit code 3"), ("is silent", "heard no word"), ("babbles", "come to an end")],
)
@scene
async def test_a_command_that_hears_nothing_is_said_with_its_reason(
    tmp_path: Path, depot: Depot, what: str, reason: str
) -> None:
    with pytest.raises(Refused, match=reason):
        await engine(tmp_path, what, depot).words(voice(depot))


@pytest.mark.parametrize(("script", "sleep"), [("sleep 611.5", "611.5"), ("sleep 612.5 & echo ave", "612.5")])
@scene
async def test_what_never_ends_is_ended_when_its_time_is_up(depot: Depot, script: str, sleep: str) -> None:
    # A child that outlives its parent keeps the pipe open, so there may still be more to hear.
    with pytest.raises(Refused, match="'sh' took longer than 1 s"):
        await Transcriber(f"sh -c '{script}' {{file}}", depot, seconds=1.0).words(voice(depot))
    await until(lambda: not running("sleep", sleep), what="the end of all that was started")


@scene
async def test_without_a_command_nothing_is_heard(depot: Depot) -> None:
    with pytest.raises(Refused, match="there is no command for it"):
        await Transcriber(None, depot).words(voice(depot))


@scene
async def test_a_command_that_is_not_there_is_said(depot: Depot) -> None:
    with pytest.raises(Refused, match="could not be started"):
        await Transcriber("/no/such/whisper {file}", depot).words(voice(depot))


@scene
async def test_a_place_outside_of_the_attachments_is_never_heard(depot: Depot) -> None:
    with pytest.raises(LegioError):
        await Transcriber("cat {file}", depot).words("../secret")
